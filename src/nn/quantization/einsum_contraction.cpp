#include "nn/quantization/einsum_contraction.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"

namespace antler {
namespace {

/// `labels` with "..." replaced by the letters `spare`.
std::string spelled(std::string labels, const std::string& spare) {
  const size_t dots = labels.find("...");
  return dots == std::string::npos ? labels : labels.replace(dots, 3, spare);
}

ScaleLayout layout_of(const std::string& labels, const std::string& output) {
  ScaleLayout layout;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (output.find(labels[i]) == std::string::npos)
      layout.reduced.push_back(static_cast<int64_t>(i));
  }
  for (size_t i = 0; i < output.size(); ++i) {
    const size_t at = labels.find(output[i]);
    if (at == std::string::npos) {
      layout.added.push_back(static_cast<int64_t>(i));
    } else {
      layout.order.push_back(static_cast<int64_t>(at));
    }
  }
  // A reduced dimension replaces one that would be added. If there is none left, it is removed.
  int64_t place = 0;
  for (const int64_t axis : layout.reduced) {
    if (layout.added.empty()) {
      layout.removed.push_back(axis);
    } else {
      place = layout.added.front();
      layout.added.erase(layout.added.begin());
    }
    const auto end = static_cast<int64_t>(layout.order.size());
    layout.order.insert(layout.order.begin() + std::min(place, end), axis);
  }
  return layout;
}

/// The letters of an equation's three parts, with "..." replaced by letters.
struct SpelledEquation {
  std::string input;
  std::string kernel;
  std::string output;
};

SpelledEquation spelled_equation(const std::string& equation, int rank) {
  const size_t comma = equation.find(',');
  const size_t arrow = equation.find("->");
  const std::string input = equation.substr(0, comma);
  std::string spare;
  if (input.find("...") != std::string::npos) {
    const auto open = static_cast<size_t>(std::max(rank - static_cast<int>(input.size()) + 3, 0));
    for (char c = 'A'; c <= 'z' && spare.size() < open; ++c) {
      if (std::isalpha(static_cast<unsigned char>(c)) != 0 && equation.find(c) == std::string::npos)
        spare += c;
    }
  }
  return {spelled(input, spare), equation.substr(comma + 1, arrow - comma - 1),
          spelled(equation.substr(arrow + 2), spare)};
}

/// The order of the input's dimensions that puts the contracted ones last: those that it shares
/// with the kernel's first `count` dimensions and that the output lacks. No value if these are not
/// exactly the contracted dimensions.
std::optional<std::vector<int64_t>> contracted_last(const SpelledEquation& e, int count) {
  const std::string summed = e.kernel.substr(0, static_cast<size_t>(count));
  std::vector<int64_t> axes;
  for (size_t i = 0; i < e.input.size(); ++i) {
    if (e.output.find(e.input[i]) != std::string::npos) {
      axes.push_back(static_cast<int64_t>(i));
    } else if (summed.find(e.input[i]) == std::string::npos) {
      return {};
    }
  }
  for (const char c : summed) {
    const size_t at = e.input.find(c);
    if (at == std::string::npos || e.output.find(c) != std::string::npos) return {};
    axes.push_back(static_cast<int64_t>(at));
  }
  return axes;
}

class EinsumContraction : public Contraction {
 public:
  EinsumContraction(std::string equation, const SpelledEquation& e, int summed)
      : equation_(std::move(equation)),
        gradient_equation_(e.output + "," + e.kernel + "->" + e.input),
        input_(layout_of(e.input, e.output)),
        features_(contracted_last(e, summed)) {}

  Tensor times(const Tensor& x, const Tensor& kernel) const override {
    if (x.dtype() != DType::int8) return ops::einsum(equation_, {x, kernel});
    // Floating-point products are faster.
    int64_t terms = 1;
    for (const int64_t axis : input_.reduced) terms *= x.shape()[static_cast<int>(axis)];
    const DType exact = terms <= kExactTerms ? DType::float32 : DType::int32;
    return ops::einsum(equation_, {ops::cast(x, exact), ops::cast(kernel, exact)});
  }
  Tensor features_last(const Tensor& x) const override {
    return features_ ? ops::transpose(x, *features_) : Tensor();
  }

 protected:
  AxisList summed() const override { return AxisList(input_.reduced); }
  Tensor scale_of_product(const Tensor& scale) const override { return input_.apply(scale); }
  Tensor gradient(const Tensor& gradient, const Tensor& kernel) const override {
    return ops::einsum(gradient_equation_, {gradient, kernel});
  }

 private:
  std::string equation_;
  std::string gradient_equation_;  ///< from the gradient of the product and the kernel
  ScaleLayout input_;
  std::optional<std::vector<int64_t>> features_;
};

}  // namespace

void use_in_einsum(KernelSpec& spec, const std::string& equation, int rank) {
  const SpelledEquation letters = spelled_equation(equation, rank);
  spec.scales = layout_of(letters.kernel, letters.output);
  const Shape& kernel = spec.weight.shape;
  const auto& rows = spec.scales.reduced;
  spec.int4.shape = {1, 1};
  for (int i = 0; i < kernel.rank(); ++i) {
    spec.int4.shape[std::find(rows.begin(), rows.end(), i) == rows.end() ? 1 : 0] *= kernel[i];
  }
  // As in Keras's files of GPTQ and AWQ, the longest of three dimensions tells which of them are
  // inputs.
  spec.zero_name = "zero_point";
  if ((kernel.rank() == 2 || kernel.rank() == 3) && kernel.num_elements() != 0) {
    const bool first_only =
        kernel.rank() == 2 || (kernel[0] >= kernel[1] && kernel[0] >= kernel[2]);
    spec.inputs = first_only ? kernel[0] : kernel[0] * kernel[1];
    spec.outputs = kernel.num_elements() / spec.inputs;
  }
  spec.contraction =
      std::make_shared<EinsumContraction>(equation, letters, spec.inputs == kernel[0] ? 1 : 2);
}

}  // namespace antler

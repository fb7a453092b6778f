#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

[[noreturn]] void fail_equation(const std::string& equation, const std::string& why) {
  throw ValueError("ops::einsum: cannot use the equation '{}': {}.", equation, why);
}

bool contains(const std::string& labels, char label) {
  return labels.find(label) != std::string::npos;
}

/// An operand with a label for each dimension.
struct Labeled {
  Tensor x;
  std::string labels;
};

/// Replaces "..." by labels of `spare`, and takes diagonals of labels that occur twice.
Labeled labeled(const std::string& equation, std::string text, const Tensor& x,
                const std::string& spare) {
  const size_t dots = text.find("...");
  if (dots != std::string::npos) {
    const int named = static_cast<int>(text.size()) - 3;
    if (named > x.rank()) fail_equation(equation, "an operand has too few dimensions");
    // The "..." dimensions of all operands are aligned at the last.
    const auto open = static_cast<size_t>(x.rank() - named);
    text = text.substr(0, dots) + spare.substr(spare.size() - open) + text.substr(dots + 3);
  }
  if (static_cast<int>(text.size()) != x.rank()) {
    fail_equation(equation, format("an operand of rank {} has the labels '{}'", x.rank(), text));
  }
  Labeled result{x, text};
  for (size_t i = 0; i < result.labels.size();) {
    const char label = result.labels[i];
    const size_t twin = result.labels.find(label, i + 1);
    if (twin == std::string::npos) {
      ++i;
      continue;
    }
    if (result.x.dim(static_cast<int>(i)) != result.x.dim(static_cast<int>(twin)))
      fail_equation(equation, format("the label '{}' has two sizes", std::string(1, label)));
    result.x = diagonal(result.x, 0, static_cast<int64_t>(i), static_cast<int64_t>(twin));
    result.labels.erase(twin, 1);
    result.labels.erase(i, 1);
    result.labels += label;
  }
  return result;
}

/// Removes dimensions of size 1 whose label has a larger size in another operand: they are
/// broadcast.
void drop_broadcast_dimensions(std::vector<Labeled>& operands) {
  const auto is_larger_elsewhere = [&](char label) {
    return std::any_of(operands.begin(), operands.end(), [&](const Labeled& operand) {
      const size_t at = operand.labels.find(label);
      return at != std::string::npos && operand.x.dim(static_cast<int>(at)) > 1;
    });
  };
  for (Labeled& operand : operands) {
    for (size_t i = operand.labels.size(); i-- > 0;) {
      const auto axis = static_cast<int>(i);
      if (operand.x.dim(axis) != 1 || !is_larger_elsewhere(operand.labels[i])) continue;
      operand.x = squeeze(operand.x, axis);
      operand.labels.erase(i, 1);
    }
  }
}

/// Sums over the labels that are not in `others`.
Labeled without_unused(const Labeled& operand, const std::string& others) {
  Axes axes;
  std::string kept;
  for (size_t i = 0; i < operand.labels.size(); ++i) {
    if (contains(others, operand.labels[i])) {
      kept += operand.labels[i];
    } else {
      axes.push_back(static_cast<int64_t>(i));
    }
  }
  return {axes.empty() ? operand.x : sum(operand.x, axes), kept};
}

/// The product of two operands: batch labels, then free labels of x and of y. `needed` are the
/// labels of the output and of later operands.
Labeled contract(const Labeled& x, const Labeled& y, const std::string& needed) {
  const Labeled a = without_unused(x, y.labels + needed);
  const Labeled b = without_unused(y, x.labels + needed);
  DotDims dims;
  std::string batch;
  std::string free;
  for (size_t i = 0; i < a.labels.size(); ++i) {
    const size_t j = b.labels.find(a.labels[i]);
    const auto at = static_cast<int64_t>(i);
    if (j == std::string::npos) {
      free += a.labels[i];
    } else if (contains(needed, a.labels[i])) {
      dims.lhs_batch.push_back(at);
      dims.rhs_batch.push_back(static_cast<int64_t>(j));
      batch += a.labels[i];
    } else {
      dims.lhs_contract.push_back(at);
      dims.rhs_contract.push_back(static_cast<int64_t>(j));
    }
  }
  for (const char c : b.labels) {
    if (!contains(a.labels, c)) free += c;
  }
  return {dot_general(a.x, b.x, dims), batch + free};
}

struct Equation {
  std::vector<std::string> operands;
  std::string output;
};
Equation parse_equation(const std::string& equation, size_t count) {
  std::string text = equation;
  std::erase(text, ' ');
  const size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  Equation parsed;
  for (size_t start = 0; start <= left.size();) {
    const size_t comma = std::min(left.find(',', start), left.size());
    parsed.operands.push_back(left.substr(start, comma - start));
    start = comma + 1;
  }
  if (parsed.operands.size() != count) {
    fail_equation(equation, format("expected 'x,y->z' with {} operand(s)", count));
  }
  if (arrow != std::string::npos) {
    parsed.output = text.substr(arrow + 2);
    return parsed;
  }
  std::string once;
  for (const char c : left) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 &&
        std::count(left.begin(), left.end(), c) == 1) {
      once += c;
    }
  }
  std::sort(once.begin(), once.end());
  parsed.output = (left.find("...") == std::string::npos ? "" : "...") + once;
  return parsed;
}

}  // namespace

Tensor einsum(const std::string& equation, const std::vector<Tensor>& operands) {
  for (const Tensor& x : operands) require_defined("einsum", x);
  const Equation parsed = parse_equation(equation, operands.size());
  std::string spare;
  for (char c = 'A'; c <= 'z'; ++c) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 && !contains(equation, c)) spare += c;
  }
  std::vector<Labeled> list;
  std::string all;
  // As in Keras, all operands get the dtype of the result first, which is int32 for int8.
  const bool narrow = std::all_of(operands.begin(), operands.end(),
                                  [](const Tensor& x) { return x.dtype() == DType::int8; });
  const DType dtype = narrow ? DType::int32 : result_dtype(operands);
  for (size_t i = 0; i < operands.size(); ++i) {
    const Tensor strong = to_dtype(operands[i], dtype);
    list.push_back(labeled(equation, parsed.operands[i], strong, spare));
    all += list.back().labels;
  }
  std::string output = parsed.output;
  if (const size_t dots = output.find("..."); dots != std::string::npos) {
    std::string open;
    for (const char c : spare) {
      if (contains(all, c)) open += c;
    }
    output = output.substr(0, dots) + open + output.substr(dots + 3);
  }
  for (const char c : output) {
    if (!contains(all, c))
      fail_equation(equation,
                    format("no operand has the label '{}' of the output", std::string(1, c)));
  }

  drop_broadcast_dimensions(list);
  Labeled result = list[0];
  for (size_t i = 1; i < list.size(); ++i) {
    std::string needed = output;
    for (size_t j = i + 1; j < list.size(); ++j) needed += list[j].labels;
    result = contract(result, list[i], needed);
  }
  if (list.size() == 1) result = without_unused(result, output);
  if (result.labels.size() != output.size())
    fail_equation(equation, "a label occurs twice in the output");
  std::vector<int64_t> order;
  for (const char c : output) order.push_back(static_cast<int64_t>(result.labels.find(c)));
  const bool ordered = std::is_sorted(order.begin(), order.end());
  return to_dtype(ordered ? result.x : transpose(result.x, order), dtype);  // sum() widens
}

}  // namespace antler::ops

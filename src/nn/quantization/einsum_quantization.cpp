#include "nn/quantization/einsum_quantization.h"

#include <algorithm>
#include <cctype>
namespace antler {
namespace {

/// `labels` with its "..." as that many letters of `spare`.
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
  // A reduced dimension takes the place of one that would be added; when none is left, it goes.
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

/// The letters of an equation's three parts, "..." among them spelled out.
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

}  // namespace

std::optional<std::vector<int64_t>> contracted_last(const std::string& equation, int rank,
                                                    int count) {
  const auto [input, kernel, output] = spelled_equation(equation, rank);
  const std::string summed = kernel.substr(0, static_cast<size_t>(count));
  std::vector<int64_t> axes;
  for (size_t i = 0; i < input.size(); ++i) {
    if (output.find(input[i]) != std::string::npos) {
      axes.push_back(static_cast<int64_t>(i));
    } else if (summed.find(input[i]) == std::string::npos) {
      return {};
    }
  }
  for (const char c : summed) {
    const size_t at = input.find(c);
    if (at == std::string::npos || output.find(c) != std::string::npos) return {};
    axes.push_back(static_cast<int64_t>(at));
  }
  return axes;
}

EinsumQuantization einsum_quantization(const std::string& equation, int rank) {
  const auto [input, kernel, output] = spelled_equation(equation, rank);
  return {layout_of(input, output), layout_of(kernel, output),
          output + "," + kernel + "->" + input};
}

}  // namespace antler

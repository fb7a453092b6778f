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

[[noreturn]] void refuse(const std::string& equation, const std::string& why) {
  throw ValueError("einsum: cannot use the equation '" + equation + "': " + why + ".");
}

bool holds(const std::string& labels, char label) {
  return labels.find(label) != std::string::npos;
}

/// An operand with a label for each dimension.
struct Labelled {
  Tensor x;
  std::string labels;
};

/// The operand with "..." replaced by as many of `spare` as dimensions are left, and diagonals
/// taken of labels that stand twice.
Labelled labelled(const std::string& equation, std::string text, const Tensor& x,
                  const std::string& spare) {
  const size_t dots = text.find("...");
  if (dots != std::string::npos) {
    const int named = static_cast<int>(text.size()) - 3;
    if (named > x.rank()) refuse(equation, "an operand has too few dimensions");
    // The open dimensions of all operands are aligned at their ends.
    const auto open = static_cast<size_t>(x.rank() - named);
    text = text.substr(0, dots) + spare.substr(spare.size() - open) + text.substr(dots + 3);
  }
  if (static_cast<int>(text.size()) != x.rank()) {
    refuse(equation,
           "an operand of rank " + std::to_string(x.rank()) + " has the labels '" + text + "'");
  }
  Labelled result{x, text};
  for (size_t i = 0; i < result.labels.size();) {
    const char label = result.labels[i];
    const size_t twin = result.labels.find(label, i + 1);
    if (twin == std::string::npos) {
      ++i;
      continue;
    }
    result.x = diagonal(result.x, 0, static_cast<int64_t>(i), static_cast<int64_t>(twin));
    result.labels.erase(twin, 1);
    result.labels.erase(i, 1);
    result.labels += label;
  }
  return result;
}

/// Summed over the labels that nobody else has.
Labelled without_unused(const Labelled& operand, const std::string& others) {
  Axes axes;
  std::string kept;
  for (size_t i = 0; i < operand.labels.size(); ++i) {
    if (holds(others, operand.labels[i])) {
      kept += operand.labels[i];
    } else {
      axes.push_back(static_cast<int64_t>(i));
    }
  }
  return {axes.empty() ? operand.x : sum(operand.x, axes), kept};
}

/// The product of two operands: batch labels, those of x alone, those of y alone. `needed` are the
/// labels that somebody wants later.
Labelled contract(const Labelled& x, const Labelled& y, const std::string& needed) {
  const Labelled a = without_unused(x, y.labels + needed);
  const Labelled b = without_unused(y, x.labels + needed);
  DotDims dims;
  std::string batch;
  std::string free;
  for (size_t i = 0; i < a.labels.size(); ++i) {
    const size_t j = b.labels.find(a.labels[i]);
    const auto at = static_cast<int64_t>(i);
    if (j == std::string::npos) {
      free += a.labels[i];
    } else if (holds(needed, a.labels[i])) {
      dims.lhs_batch.push_back(at);
      dims.rhs_batch.push_back(static_cast<int64_t>(j));
      batch += a.labels[i];
    } else {
      dims.lhs_contract.push_back(at);
      dims.rhs_contract.push_back(static_cast<int64_t>(j));
    }
  }
  for (const char c : b.labels) {
    if (!holds(a.labels, c)) free += c;
  }
  return {dot_general(a.x, b.x, dims), batch + free};
}

/// The labels of operands and output, as they are written.
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
    refuse(equation, "expected 'x,y->z' with " + std::to_string(count) + " operand(s)");
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
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 && !holds(equation, c)) spare += c;
  }
  std::vector<Labelled> list;
  std::string all;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Tensor strong = to_dtype(operands[i], operands[i].dtype());
    list.push_back(labelled(equation, parsed.operands[i], strong, spare));
    all += list.back().labels;
  }
  std::string output = parsed.output;
  if (const size_t dots = output.find("..."); dots != std::string::npos) {
    std::string open;
    for (const char c : spare) {
      if (holds(all, c)) open += c;
    }
    output = output.substr(0, dots) + open + output.substr(dots + 3);
  }
  for (const char c : output) {
    if (!holds(all, c)) refuse(equation, std::string("no operand has the output's '") + c + "'");
  }

  Labelled result = list[0];
  for (size_t i = 1; i < list.size(); ++i) {
    std::string needed = output;
    for (size_t j = i + 1; j < list.size(); ++j) needed += list[j].labels;
    result = contract(result, list[i], needed);
  }
  if (list.size() == 1) result = without_unused(result, output);
  if (result.labels.size() != output.size()) refuse(equation, "the output has a label twice");
  std::vector<int64_t> order;
  for (const char c : output) order.push_back(static_cast<int64_t>(result.labels.find(c)));
  return std::is_sorted(order.begin(), order.end()) ? result.x : transpose(result.x, order);
}

}  // namespace antler::ops

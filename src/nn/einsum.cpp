#include "nn/einsum.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "antler/base/error.h"
#include "antler/ops/linalg.h"
#include "antler/ops/reduce.h"
#include "antler/ops/shape.h"

namespace antler {
namespace {

[[noreturn]] void refuse(const std::string& equation, const std::string& why) {
  throw ValueError("einsum: cannot use the equation '" + equation + "': " + why + ".");
}

/// The labels of one operand, "..." replaced by as many of `spare` as dimensions are left.
std::string labels_of(const std::string& equation, std::string text, int rank,
                      const std::string& spare) {
  const size_t dots = text.find("...");
  if (dots != std::string::npos) {
    const int named = static_cast<int>(text.size()) - 3;
    if (named > rank) refuse(equation, "an operand has too few dimensions");
    // The open dimensions of all operands are aligned at their ends.
    const auto open = static_cast<size_t>(rank - named);
    text = text.substr(0, dots) + spare.substr(spare.size() - open) + text.substr(dots + 3);
  }
  if (static_cast<int>(text.size()) != rank) {
    refuse(equation,
           "an operand of rank " + std::to_string(rank) + " has the labels '" + text + "'");
  }
  if (std::set<char>(text.begin(), text.end()).size() != text.size())
    refuse(equation, "a label stands twice in '" + text + "'");
  return text;
}

/// `x` summed over the labels that neither `other` nor `output` has.
Tensor without_unused(Tensor x, std::string& labels, const std::string& other,
                      const std::string& output) {
  ops::Axes axes;
  std::string kept;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (other.find(labels[i]) == std::string::npos && output.find(labels[i]) == std::string::npos) {
      axes.push_back(static_cast<int64_t>(i));
    } else {
      kept += labels[i];
    }
  }
  labels = kept;
  return axes.empty() ? x : ops::sum(x, axes);
}

}  // namespace

Tensor einsum(const std::string& equation, const Tensor& x, const Tensor& y) {
  std::string text = equation;
  std::erase(text, ' ');
  const size_t comma = text.find(',');
  const size_t arrow = text.find("->");
  if (comma == std::string::npos || arrow == std::string::npos || arrow < comma)
    refuse(equation, "expected 'x,y->z'");
  std::string spare;
  for (char c = 'A'; c <= 'z'; ++c) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 && text.find(c) == std::string::npos)
      spare += c;
  }
  std::string a = labels_of(equation, text.substr(0, comma), x.rank(), spare);
  std::string b = labels_of(equation, text.substr(comma + 1, arrow - comma - 1), y.rank(), spare);
  std::string output = text.substr(arrow + 2);
  if (const size_t dots = output.find("..."); dots != std::string::npos) {
    std::string open;
    for (char c : spare) {
      if (a.find(c) != std::string::npos || b.find(c) != std::string::npos) open += c;
    }
    output = output.substr(0, dots) + open + output.substr(dots + 3);
  }

  const Tensor lhs = without_unused(x, a, b, output);
  const Tensor rhs = without_unused(y, b, a, output);
  ops::DotDims dims;
  std::string result;  // labels of the product: batch, free of x, free of y
  std::string free_x;
  for (size_t i = 0; i < a.size(); ++i) {
    const size_t j = b.find(a[i]);
    const auto at = static_cast<int64_t>(i);
    if (j == std::string::npos) {
      free_x += a[i];
    } else if (output.find(a[i]) == std::string::npos) {
      dims.lhs_contract.push_back(at);
      dims.rhs_contract.push_back(static_cast<int64_t>(j));
    } else {
      dims.lhs_batch.push_back(at);
      dims.rhs_batch.push_back(static_cast<int64_t>(j));
      result += a[i];
    }
  }
  result += free_x;
  for (char c : b) {
    if (a.find(c) == std::string::npos) result += c;
  }
  if (result.size() != output.size()) refuse(equation, "the output has labels of no operand");
  std::vector<int64_t> order;
  for (char c : output) {
    const size_t at = result.find(c);
    if (at == std::string::npos)
      refuse(equation, std::string("no operand has the output's '") + c + "'");
    order.push_back(static_cast<int64_t>(at));
  }
  const Tensor product = ops::dot_general(lhs, rhs, dims);
  return std::is_sorted(order.begin(), order.end()) ? product : ops::transpose(product, order);
}

}  // namespace antler

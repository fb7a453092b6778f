#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "antler/base/error.h"
#include "antler/ops/numpy/manipulation.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

/// The dimensions of one side of a pattern, each a list of names. "..." is a single name.
using PatternSide = std::vector<std::vector<std::string>>;

constexpr std::string_view kDots = "...";
constexpr std::string_view kGroupedDots = "(...)";

[[noreturn]] void fail_pattern(const std::string& pattern, const std::string& why) {
  throw ValueError("ops::rearrange: cannot use the pattern '{}': {}.", pattern, why);
}

PatternSide parse_side(const std::string& pattern, const std::string& text) {
  PatternSide side;
  bool inside = false;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++i;
    } else if (c == '(' || c == ')') {
      if (inside == (c == '(')) fail_pattern(pattern, "the parentheses do not match");
      inside = c == '(';
      if (inside) side.emplace_back();
      ++i;
    } else {
      size_t end = i;
      while (end < text.size() && text[end] != '(' && text[end] != ')' &&
             std::isspace(static_cast<unsigned char>(text[end])) == 0) {
        ++end;
      }
      const std::string name = text.substr(i, end - i);
      if (!inside) side.emplace_back();
      if (name != "1")
        side.back().push_back(inside && name == kDots ? std::string(kGroupedDots) : name);
      i = end;
    }
  }
  if (inside) fail_pattern(pattern, "the parentheses do not match");
  return side;
}

bool is_dots(const std::string& name) { return name == kDots || name == kGroupedDots; }

/// Replaces "..." by the `open` remaining dimensions.
void expand_dots(const std::string& pattern, PatternSide& side, int64_t open) {
  for (auto group = side.begin(); group != side.end(); ++group) {
    const auto dots = std::find_if(group->begin(), group->end(), is_dots);
    if (dots == group->end()) continue;
    std::vector<std::string> names;
    for (int64_t i = 0; i < open; ++i) names.push_back("..." + std::to_string(i));
    if (*dots == kGroupedDots) {
      const auto at = group->erase(dots);
      group->insert(at, names.begin(), names.end());
    } else {
      PatternSide groups;
      for (const std::string& name : names) groups.push_back({name});
      side.insert(side.erase(group), groups.begin(), groups.end());
    }
    return;
  }
  if (open > 0) fail_pattern(pattern, "the array has more dimensions than the pattern");
}

bool has_dots(const PatternSide& side) {
  return std::any_of(side.begin(), side.end(), [](const auto& group) {
    return std::any_of(group.begin(), group.end(), is_dots);
  });
}

}  // namespace

Tensor rearrange(const Tensor& x, const std::string& pattern,
                 const std::vector<std::pair<std::string, int64_t>>& sizes) {
  const Shape& shape = known_shape("rearrange", x);
  const size_t arrow = pattern.find("->");
  if (arrow == std::string::npos) fail_pattern(pattern, "expected 'x -> y'");
  PatternSide from = parse_side(pattern, pattern.substr(0, arrow));
  PatternSide to = parse_side(pattern, pattern.substr(arrow + 2));
  if (has_dots(from)) {
    const int64_t open = shape.rank() - static_cast<int64_t>(from.size()) + 1;
    if (open < 0) fail_pattern(pattern, "the array has too few dimensions");
    expand_dots(pattern, from, open);
    expand_dots(pattern, to, open);
  }
  if (static_cast<int>(from.size()) != shape.rank()) {
    fail_pattern(pattern,
                 format("it has {} dimensions for an array of shape {}", from.size(), shape));
  }
  std::map<std::string, int64_t> known(sizes.begin(), sizes.end());
  std::vector<std::string> order;
  Shape apart;
  for (size_t d = 0; d < from.size(); ++d) {
    const int64_t whole = shape[static_cast<int>(d)];
    int64_t product = 1;
    std::string open;
    for (const std::string& name : from[d]) {
      if (std::find(order.begin(), order.end(), name) != order.end()) {
        fail_pattern(pattern, format("'{}' occurs twice", name));
      }
      order.push_back(name);
      if (known.contains(name)) {
        product *= known[name];
      } else if (open.empty()) {
        open = name;
      } else {
        fail_pattern(pattern, format("the sizes of '{}' and '{}' are unknown", open, name));
      }
    }
    if (!open.empty() && product != 0) known[open] = whole / product;
    if (open.empty() ? product != whole : product == 0 || whole % product != 0) {
      fail_pattern(pattern, format("dimension {} of shape {} does not match the sizes", d, shape));
    }
  }
  for (const std::string& name : order) apart.push_back(known[name]);
  std::vector<int64_t> axes;
  Shape result;
  for (const auto& group : to) {
    int64_t size = 1;
    for (const std::string& name : group) {
      const auto at = std::find(order.begin(), order.end(), name);
      if (at == order.end()) fail_pattern(pattern, format("'{}' occurs only on the right", name));
      axes.push_back(at - order.begin());
      size *= known[name];
    }
    result.push_back(size);
  }
  std::vector<int64_t> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < order.size(); ++i) {
    if (sorted.size() != order.size() || sorted[i] != static_cast<int64_t>(i)) {
      fail_pattern(pattern, "both sides must have the same names, each once");
    }
  }
  return reshape(transpose(reshape(x, apart), axes), result);
}

}  // namespace antler::ops

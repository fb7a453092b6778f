#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "antler/base/error.h"
#include "antler/ops/numpy/manipulation.h"
#include "ops/numpy/numpy.h"

/// Patterns of einops.
namespace antler::ops {
namespace {

/// The dimensions of one side, each a list of names; "..." is one dimension of that name.
using PatternSide = std::vector<std::vector<std::string>>;

constexpr std::string_view kDots = "...";
constexpr std::string_view kGroupedDots = "(...)";

[[noreturn]] void refuse_pattern(const std::string& pattern, const std::string& why) {
  throw ValueError("ops::rearrange: cannot use the pattern '" + pattern + "': " + why + ".");
}

PatternSide parse_side(const std::string& pattern, const std::string& text) {
  PatternSide side;
  bool inside = false;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++i;
    } else if (c == '(' || c == ')') {
      if (inside == (c == '(')) refuse_pattern(pattern, "the parentheses do not fit");
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
  if (inside) refuse_pattern(pattern, "the parentheses do not fit");
  return side;
}

bool is_dots(const std::string& name) { return name == kDots || name == kGroupedDots; }

/// "..." becomes as many dimensions as the others leave.
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
  if (open > 0) refuse_pattern(pattern, "the rank of the array is another");
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
  if (arrow == std::string::npos) refuse_pattern(pattern, "expected 'x -> y'");
  PatternSide from = parse_side(pattern, pattern.substr(0, arrow));
  PatternSide to = parse_side(pattern, pattern.substr(arrow + 2));
  if (has_dots(from)) {
    const int64_t open = shape.rank() - static_cast<int64_t>(from.size()) + 1;
    if (open < 0) refuse_pattern(pattern, "the array has too few dimensions");
    expand_dots(pattern, from, open);
    expand_dots(pattern, to, open);
  }
  if (static_cast<int>(from.size()) != shape.rank()) {
    refuse_pattern(pattern, "it names " + std::to_string(from.size()) +
                                " dimensions of an array of shape " + shape.str());
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
        refuse_pattern(pattern, "'" + name + "' stands twice");
      }
      order.push_back(name);
      if (known.contains(name)) {
        product *= known[name];
      } else if (open.empty()) {
        open = name;
      } else {
        refuse_pattern(pattern, "the sizes of '" + open + "' and '" + name + "' are not known");
      }
    }
    if (!open.empty() && product != 0) known[open] = whole / product;
    if (open.empty() ? product != whole : product == 0 || whole % product != 0) {
      refuse_pattern(pattern, "dimension " + std::to_string(d) + " of the shape " + shape.str() +
                                  " does not fit the sizes");
    }
  }
  for (const std::string& name : order) apart.push_back(known[name]);
  std::vector<int64_t> axes;
  Shape result;
  for (const auto& group : to) {
    int64_t size = 1;
    for (const std::string& name : group) {
      const auto at = std::find(order.begin(), order.end(), name);
      if (at == order.end()) refuse_pattern(pattern, "'" + name + "' stands on the right alone");
      axes.push_back(at - order.begin());
      size *= known[name];
    }
    result.push_back(size);
  }
  std::vector<int64_t> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < order.size(); ++i) {
    if (sorted.size() != order.size() || sorted[i] != static_cast<int64_t>(i)) {
      refuse_pattern(pattern, "both sides must name the same dimensions, each once");
    }
  }
  return reshape(transpose(reshape(x, apart), axes), result);
}

}  // namespace antler::ops

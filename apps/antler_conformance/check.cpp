#include "check.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "antler/base/format.h"

namespace antler::conformance {
namespace {

std::vector<int64_t> unravel(int64_t flat, const Shape& shape) {
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()));
  for (int d = shape.rank(); d-- > 0;) {
    index[static_cast<size_t>(d)] = flat % shape[d];
    flat /= shape[d];
  }
  return index;
}

bool exact(DType dtype) { return !is_floating(dtype); }

}  // namespace

bool Check::element(const std::string& where, double got, double want, std::vector<int64_t> index) {
  double excess = 0;  // relative to the tolerance; infinite if a value is not finite
  if (!std::isfinite(want) || !std::isfinite(got)) {
    const bool same = std::isnan(want) ? std::isnan(got) : got == want;
    if (same) return true;
    excess = std::numeric_limits<double>::infinity();
  } else {
    const double tolerance = golden_.atol() + golden_.rtol() * std::abs(want);
    const double difference = std::abs(got - want);
    if (difference <= tolerance) return true;
    excess = tolerance > 0 ? difference / tolerance : std::numeric_limits<double>::infinity();
  }
  if (excess > worst_) {
    worst_ = excess;
    const std::string at = index.empty() ? "" : fmt::format("[{}]", fmt::join(index, ","));
    worst_text_ =
        fmt::format("{}{} is {:.7g}, expected {:.7g} (off by {:.7g}, {:.7g} times the tolerance)",
                    where, at, got, want, std::abs(got - want), excess);
  }
  return false;
}

void Check::array(const std::string& name, const Tensor& got) {
  arrays(name, got, golden_.expected(name));
}

void Check::arrays(const std::string& where, const Tensor& got, const Tensor& want) {
  if (!got.defined()) return broken_.push_back(where + " is missing");
  if (!(got.shape() == want.shape())) {
    return broken_.push_back(
        format("{} has shape {}, expected {}", where, got.shape(), want.shape()));
  }
  if (exact(want.dtype()) && !exact(got.dtype())) {
    return broken_.push_back(
        format("{} is {}, expected {}", where, dtype_name(got.dtype()), dtype_name(want.dtype())));
  }
  const std::vector<double> a = got.to_doubles();
  const std::vector<double> b = want.to_doubles();
  bool ok = true;
  for (size_t i = 0; i < a.size(); ++i) {
    const auto index = [&] { return unravel(static_cast<int64_t>(i), want.shape()); };
    if (exact(want.dtype())) {
      if (a[i] == b[i]) continue;
      return broken_.push_back(fmt::format("{}[{}] is {:.7g}, expected {:.7g}", where,
                                           fmt::join(index(), ","), a[i], b[i]));
    }
    if (!element(where, a[i], b[i], index())) ok = false;
  }
  if (!ok) ++far_;
}

void Check::value(const std::string& where, double got, double want) {
  if (!element(where, got, want, {})) ++far_;
}

void Check::json(const std::string& where, const Json& got, const Json& want) {
  if (is_number(want) && is_number(got) && !want.is_boolean()) {
    return value(where, number(got), number(want));
  }
  // Logs have a number instead of an array of one element.
  if (want.is_array() && want.size() == 1 && is_number(got)) return json(where, got, want[0]);
  if (want.is_array() && got.is_array() && want.size() == got.size()) {
    for (size_t i = 0; i < want.size(); ++i) json(format("{}[{}]", where, i), got[i], want[i]);
    return;
  }
  if (want.is_object() && got.is_object()) {
    for (const auto& [key, value] : want.items()) {
      if (got.contains(key)) {
        json(where + "." + key, got[key], value);
      } else {
        broken_.push_back(format("{} has no key '{}'", where, key));
      }
    }
    for (const auto& [key, value] : got.items()) {
      if (!want.contains(key)) {
        broken_.push_back(format("{} has the unexpected key '{}'", where, key));
      }
    }
    return;
  }
  equal(where, got, want);
}

void Check::equal(const std::string& where, const Json& got, const Json& want) {
  if (got == want) return;
  const auto shortened = [](const Json& json) {
    std::string text = json.dump();
    if (text.size() > 300) text = text.substr(0, 300) + "...";
    return text;
  };
  broken_.push_back(format("{} is {}, expected {}", where, shortened(got), shortened(want)));
}

void Check::truth(const std::string& where, bool ok, const std::string& problem) {
  if (!ok) broken_.push_back(where + " " + problem);
}

std::string Check::report() const {
  constexpr ptrdiff_t kShown = 12;
  std::vector<std::string> lines(broken_.begin(),
                                 broken_.begin() + std::min(std::ssize(broken_), kShown));
  if (std::ssize(broken_) > kShown) {
    lines.push_back(format("and {} more", std::ssize(broken_) - kShown));
  }
  if (far_ > 0) lines.push_back(worst_text_);
  if (far_ > 1) lines.push_back(format("{} results differ", far_));
  return fmt::format("{}", fmt::join(lines, "; "));
}

}  // namespace antler::conformance

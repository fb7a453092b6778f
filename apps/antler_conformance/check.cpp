#include "check.h"

#include <cmath>
#include <cstdio>
#include <limits>

namespace antler::conformance {
namespace {

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.7g", value);
  return buffer;
}

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
  double excess = 0;  // of the tolerance; infinite where one side is no finite number
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
    std::string at;
    for (int64_t i : index) at += (at.empty() ? "[" : ",") + std::to_string(i);
    worst_text_ = where + (at.empty() ? "" : at + "]") + " is " + text(got) + ", expected " +
                  text(want) + " (off by " + text(std::abs(got - want)) + ", " + text(excess) +
                  " tolerances)";
  }
  return false;
}

void Check::array(const std::string& name, const Tensor& got) {
  arrays(name, got, golden_.expected(name));
}

void Check::arrays(const std::string& where, const Tensor& got, const Tensor& want) {
  if (!got.defined()) return broken_.push_back(where + " is missing");
  if (!(got.shape() == want.shape())) {
    return broken_.push_back(where + " has shape " + got.shape().str() + ", expected " +
                             want.shape().str());
  }
  if (exact(want.dtype()) && !exact(got.dtype())) {
    return broken_.push_back(where + " is " + dtype_name(got.dtype()) + ", expected " +
                             dtype_name(want.dtype()));
  }
  const std::vector<double> a = got.to_doubles();
  const std::vector<double> b = want.to_doubles();
  bool ok = true;
  for (size_t i = 0; i < a.size(); ++i) {
    const auto index = [&] { return unravel(static_cast<int64_t>(i), want.shape()); };
    if (exact(want.dtype())) {
      if (a[i] == b[i]) continue;
      std::string at;
      for (int64_t k : index()) at += (at.empty() ? "" : ",") + std::to_string(k);
      return broken_.push_back(where + "[" + at + "] is " + text(a[i]) + ", expected " +
                               text(b[i]));
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
  // Logs hold numbers: an array of one is that number.
  if (want.is_array() && want.size() == 1 && is_number(got)) return json(where, got, want[0]);
  if (want.is_array() && got.is_array() && want.size() == got.size()) {
    for (size_t i = 0; i < want.size(); ++i)
      json(where + "[" + std::to_string(i) + "]", got[i], want[i]);
    return;
  }
  if (want.is_object() && got.is_object()) {
    for (const auto& [key, value] : want.items()) {
      if (got.contains(key)) {
        json(where + "." + key, got[key], value);
      } else {
        broken_.push_back(where + " has no key '" + key + "'");
      }
    }
    for (const auto& [key, value] : got.items()) {
      if (!want.contains(key)) broken_.push_back(where + " has the unexpected key '" + key + "'");
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
  broken_.push_back(where + " is " + shortened(got) + ", expected " + shortened(want));
}

void Check::truth(const std::string& where, bool ok, const std::string& otherwise) {
  if (!ok) broken_.push_back(where + " " + otherwise);
}

std::string Check::report() const {
  constexpr size_t kShown = 12;
  std::string result;
  for (size_t i = 0; i < broken_.size() && i < kShown; ++i) {
    result += (result.empty() ? "" : "; ") + broken_[i];
  }
  if (broken_.size() > kShown)
    result += "; and " + std::to_string(broken_.size() - kShown) + " more";
  if (far_ > 0) {
    result += (result.empty() ? "" : "; ") + worst_text_;
    if (far_ > 1) result += "; " + std::to_string(far_) + " results differ";
  }
  return result;
}

}  // namespace antler::conformance

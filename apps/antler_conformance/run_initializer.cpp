// Initializers: the values of deterministic ones, the statistics of random ones.
#include <cmath>

#include "antler/nn/initializers.h"
#include "kinds.h"

namespace antler::conformance {
namespace {

/// Checks that the matrix (all but the last axis flattened) has orthogonal columns of length
/// `gain`, or rows if it is wide.
void check_orthogonal(Check& check, const std::string& where, const Tensor& x, double gain) {
  const std::vector<double> values = x.to_doubles();
  const auto columns = static_cast<size_t>(x.shape().back());
  const size_t rows = values.size() / columns;
  const bool wide = columns > rows;
  const size_t vectors = wide ? rows : columns;
  const size_t length = wide ? columns : rows;
  const auto at = [&](size_t vector, size_t i) {
    return wide ? values[vector * columns + i] : values[i * columns + vector];
  };
  double worst = 0;
  for (size_t a = 0; a < vectors; ++a) {
    for (size_t b = 0; b <= a; ++b) {
      double dot = 0;
      for (size_t i = 0; i < length; ++i) dot += at(a, i) * at(b, i);
      worst = std::max(worst, std::abs(dot - (a == b ? gain * gain : 0)));
    }
  }
  check.truth(where, worst <= 1e-3 * gain * gain,
              format("is not orthogonal: a product is off by {}", worst));
}

void check_statistics(Check& check, const std::string& where, const Tensor& x, const Json& stats) {
  double sum = 0;
  double low = INFINITY;
  double high = -INFINITY;
  const std::vector<double> values = x.to_doubles();
  for (double v : values) {
    sum += v;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  const double count = static_cast<double>(values.size());
  const double mean = sum / count;
  double squares = 0;
  for (double v : values) squares += (v - mean) * (v - mean);
  const double deviation = std::sqrt(squares / count);
  const auto given = [&](const char* key) { return stats.contains(key) && !stats[key].is_null(); };
  if (given("orthogonal")) {
    return check_orthogonal(check, where, x, given("gain") ? number(stats["gain"]) : 1.0);
  }
  if (given("mean")) {
    check.truth(where, std::abs(mean - number(stats["mean"])) <= number(stats["mean_atol"]),
                format("has mean {}, expected {}", mean, stats["mean"].dump()));
  }
  if (given("std")) {
    check.truth(where, std::abs(deviation / number(stats["std"]) - 1) <= number(stats["std_rtol"]),
                format("has deviation {}, expected {}", deviation, stats["std"].dump()));
  }
  if (given("low")) {
    check.truth(where, low >= number(stats["low"]), format("has value {}", low));
  }
  if (given("high")) {
    check.truth(where, high <= number(stats["high"]), format("has value {}", high));
  }
}

}  // namespace

void run_initializer(const GoldenCase& golden, Check& check) {
  const Json& json = golden.json;
  const Initializer initializer =
      make_or_unsupported([&] { return initializers::deserialize(json.at("initializer")); });
  const Json& shapes = json.at("shapes");
  for (size_t k = 0; k < shapes.size(); ++k) {
    const Shape shape(shapes[k].get<std::vector<int64_t>>());
    const Tensor x = initializer(shape);
    const std::string where = format("value{}", k);
    check.truth(where, x.shape() == shape, format("has shape {}", x.shape()));
    if (!(x.shape() == shape)) continue;
    if (json.value("exact", false)) {
      check.array(where, x);
    } else {
      check_statistics(check, where, x, json.at("stats").at(k));
    }
  }
}

}  // namespace antler::conformance

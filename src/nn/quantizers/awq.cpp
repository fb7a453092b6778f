#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "antler/base/parallel.h"
#include "nn/quantizers/calibrated_matrix.h"
#include "nn/quantizers/rounding.h"

namespace antler {
namespace {

constexpr int64_t kAwqBits = 4;

/// The weights of one output, multiplied by the scales of their inputs, in groups.
class ScaledRow {
 public:
  ScaledRow(const float* weights, const std::vector<float>& scales, int64_t group_size)
      : group_(group_size == -1 ? static_cast<int64_t>(scales.size()) : group_size) {
    for (size_t i = 0; i < scales.size(); ++i) scaled_.push_back(weights[i] * scales[i]);
    const auto n = static_cast<int64_t>(scaled_.size());
    for (int64_t begin = 0; begin < n; begin += group_) {
      Range range = Range::of(scaled_.data() + begin, std::min(group_, n - begin));
      // As in Keras, which pads the last of several groups with zeros.
      if (n > group_ && begin + group_ > n) range.add(0);
      rounding_.push_back(Rounding::of_range(range.lowest, range.highest, kAwqBits, false));
    }
  }

  const std::vector<Rounding>& rounding() const { return rounding_; }
  float level(size_t i) const { return rounding_of(i).level(scaled_[i]); }
  float rounded(size_t i) const { return rounding_of(i).value(level(i)); }

 private:
  const Rounding& rounding_of(size_t i) const { return rounding_[i / static_cast<size_t>(group_)]; }
  int64_t group_;
  std::vector<float> scaled_;
  std::vector<Rounding> rounding_;
};

/// Powers of the magnitudes, normalized to around 1.
std::vector<float> scales_of(const std::vector<float>& magnitudes, float power) {
  std::vector<float> scales;
  scales.reserve(magnitudes.size());
  for (const float x : magnitudes) scales.push_back(std::max(std::pow(x, power), 1e-4F));
  const auto [lowest, highest] = std::ranges::minmax(scales);
  const float middle = std::max(std::sqrt(highest * lowest), 1e-8F);
  for (float& scale : scales) scale /= middle;
  return scales;
}

/// The mean error of the outputs due to rounding, for inputs of these magnitudes.
double loss_of(const Tensor& weights, const std::vector<float>& magnitudes,
               const std::vector<float>& scales, int64_t group_size) {
  const int64_t outputs = weights.shape()[0];
  const size_t n = scales.size();
  std::vector<double> losses(static_cast<size_t>(outputs), 0);
  run_ranges(outputs, [&](int64_t first, int64_t last) {
    for (int64_t output = first; output < last; ++output) {
      const float* w = weights.data<float>() + output * static_cast<int64_t>(n);
      const ScaledRow row(w, scales, group_size);
      for (size_t i = 0; i < n; ++i) {
        const float error = (w[i] - row.rounded(i) / scales[i]) * magnitudes[i];
        losses[static_cast<size_t>(output)] += error * error;
      }
    }
  });
  return std::accumulate(losses.begin(), losses.end(), 0.0);
}

std::vector<float> best_scales(const Tensor& weights, const std::vector<float>& magnitudes,
                               const AWQConfig& config) {
  std::vector<float> best;
  double best_loss = 0;
  for (int64_t i = 0; i <= config.num_grid_points; ++i) {
    const double power = static_cast<double>(i) / static_cast<double>(config.num_grid_points);
    std::vector<float> scales = scales_of(magnitudes, static_cast<float>(power));
    const double loss = loss_of(weights, magnitudes, scales, config.group_size);
    if (!best.empty() && !(loss < best_loss)) continue;
    best_loss = loss;
    best = std::move(scales);
  }
  return best;
}

}  // namespace

CalibratedMatrix awq_quantize(const Tensor& weights, const Tensor& magnitudes,
                              const AWQConfig& config) {
  const int64_t outputs = weights.shape()[0];
  const int64_t n = weights.shape()[1];
  std::vector<float> largest(static_cast<size_t>(n), 1);
  if (magnitudes.defined()) largest = magnitudes.to_vector<float>();
  for (float& x : largest) {
    if (x < 1e-8F) x = 1;
  }
  const std::vector<float> scales = best_scales(weights, largest, config);
  const int64_t groups = group_count(n, config.group_size);
  CalibratedMatrix m{.values = Tensor::empty(DType::uint8, {outputs, n}),
                     .scale = Tensor::empty(DType::float32, {outputs, groups}),
                     .zero_point = Tensor::empty(DType::uint8, {outputs, groups}),
                     .group_index = Tensor::empty(DType::float32, {n}),
                     .input_scale = Tensor::empty(DType::float32, {n})};
  std::ranges::copy(scales, m.input_scale.mutable_data<float>());
  for (int64_t output = 0; output < outputs; ++output) {
    const ScaledRow row(weights.data<float>() + output * n, scales, config.group_size);
    for (int64_t g = 0; g < groups; ++g) {
      const Rounding& rounding = row.rounding()[static_cast<size_t>(g)];
      m.scale.mutable_data<float>()[output * groups + g] = rounding.scale;
      m.zero_point.mutable_data<uint8_t>()[output * groups + g] =
          static_cast<uint8_t>(rounding.zero);
    }
    for (int64_t i = 0; i < n; ++i) {
      m.values.mutable_data<uint8_t>()[output * n + i] =
          static_cast<uint8_t>(row.level(static_cast<size_t>(i)));
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    m.group_index.mutable_data<float>()[i] =
        static_cast<float>(config.group_size == -1 ? 0 : i / config.group_size);
  }
  return m;
}

}  // namespace antler

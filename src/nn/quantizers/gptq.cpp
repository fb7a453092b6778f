#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/base/parallel.h"
#include "base/ceil_div.h"
#include "nn/quantizers/calibrated_matrix.h"
#include "nn/quantizers/rounding.h"

namespace antler {
namespace {

/// The number of columns whose errors are collected before they are added to all later ones.
constexpr int64_t kGptqBlock = 128;

/// The moments, with a fraction of the mean of their diagonal added to the diagonal. An input that
/// was always 0 counts as 1.
std::vector<double> damped_moments(const Tensor& moments, int64_t n, double damping) {
  std::vector<double> h(static_cast<size_t>(n * n), 0);
  if (moments.defined()) {
    const float* from = moments.data<float>();
    std::copy(from, from + n * n, h.begin());
  }
  double mean = 0;
  for (int64_t i = 0; i < n; ++i) {
    double& diagonal = h[static_cast<size_t>(i * (n + 1))];
    if (diagonal == 0) diagonal = 1;
    mean += diagonal / static_cast<double>(n);
  }
  for (int64_t i = 0; i < n; ++i) h[static_cast<size_t>(i * (n + 1))] += damping * mean;
  return h;
}

/// Inverts a symmetric positive definite matrix by Gauss-Jordan elimination, which needs no
/// pivoting.
std::vector<double> inverse_matrix(std::vector<double> a, int64_t n) {
  const auto row = [n](std::vector<double>& m, int64_t i) { return m.data() + i * n; };
  for (int64_t k = 0; k < n; ++k) {
    double* pivot_row = row(a, k);
    const double pivot = pivot_row[k];
    if (!(pivot > 1e-12) || !std::isfinite(pivot)) {
      throw ValueError(
          "GPTQ: the second moments of the inputs cannot be inverted. Raise `hessian_damping`, or "
          "give more data.");
    }
    pivot_row[k] = 1;
    for (int64_t j = 0; j < n; ++j) pivot_row[j] /= pivot;
    run_ranges(n, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if (i == k) continue;
        double* other = row(a, i);
        const double factor = other[k];
        other[k] = 0;
        for (int64_t j = 0; j < n; ++j) other[j] -= factor * pivot_row[j];
      }
    });
  }
  return a;
}

struct RoundingProblem {
  int64_t outputs;
  int64_t inputs;
  int64_t group;                   ///< inputs per group
  std::vector<float> weights;      ///< [outputs, inputs], corrected by the errors so far
  std::vector<float> inverse;      ///< inverse_of_the_rest()
  std::vector<Rounding> rounding;  ///< [outputs, groups]
  std::vector<uint8_t> levels;     ///< [outputs, inputs]

  int64_t groups() const { return ceil_div(inputs, group); }
  float* row(int64_t output) { return weights.data() + output * inputs; }
};

/// Row i of the result is based on the inverse of the moments without the inputs before i, which
/// have already been rounded. (Keras 3.15 uses the whole inverse.) Elements below the diagonal are
/// unused.
std::vector<float> inverse_of_the_rest(std::vector<double> a, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    const double* pivot_row = a.data() + k * n;
    run_ranges(n - k - 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = k + 1 + begin; i < k + 1 + end; ++i) {
        double* other = a.data() + i * n;
        const double factor = pivot_row[i] / pivot_row[k];
        for (int64_t j = i; j < n; ++j) other[j] -= factor * pivot_row[j];
      }
    });
  }
  return {a.begin(), a.end()};
}

/// Determines the rounding of the group that begins at input `begin` from the current weights.
void find_rounding(RoundingProblem& p, int64_t begin, const GPTQConfig& config) {
  const int64_t count = std::min(p.group, p.inputs - begin);
  const auto set = [&](int64_t output, const Range& range) {
    p.rounding[static_cast<size_t>(output * p.groups() + begin / p.group)] =
        Rounding::of_range(range.lowest, range.highest, config.weight_bits, config.symmetric);
  };
  Range whole = Range::of(p.row(0) + begin, count);
  for (int64_t output = 0; output < p.outputs; ++output) {
    const Range own = Range::of(p.row(output) + begin, count);
    if (config.per_channel) set(output, own);
    whole.add(own.lowest);
    whole.add(own.highest);
  }
  for (int64_t output = 0; output < p.outputs && !config.per_channel; ++output) set(output, whole);
}

/// Rounds the inputs [begin, end) of one output. The inputs after them compensate for the errors.
void round_block(RoundingProblem& p, int64_t output, int64_t begin, int64_t end) {
  float* w = p.row(output);
  std::array<float, kGptqBlock> errors{};
  for (int64_t i = begin; i < end; ++i) {
    const Rounding& rounding = p.rounding[static_cast<size_t>(output * p.groups() + i / p.group)];
    const float level = rounding.level(w[i]);
    p.levels[static_cast<size_t>(output * p.inputs + i)] = static_cast<uint8_t>(level);
    const float* across = p.inverse.data() + i * p.inputs;
    const float error = (w[i] - rounding.value(level)) / across[i];
    errors[static_cast<size_t>(i - begin)] = error;
    for (int64_t j = i + 1; j < end; ++j) w[j] -= error * across[j];
  }
  for (int64_t i = begin; i < end; ++i) {
    const float* across = p.inverse.data() + i * p.inputs;
    const float error = errors[static_cast<size_t>(i - begin)];
    for (int64_t j = end; j < p.inputs; ++j) w[j] -= error * across[j];
  }
}

void round_all(RoundingProblem& p, const GPTQConfig& config) {
  for (int64_t begin = 0; begin < p.inputs; begin += kGptqBlock) {
    const int64_t end = std::min(begin + kGptqBlock, p.inputs);
    for (int64_t i = begin; i < end; ++i) {
      if (i % p.group == 0) find_rounding(p, i, config);
    }
    run_ranges(p.outputs, [&](int64_t first, int64_t last) {
      for (int64_t output = first; output < last; ++output) round_block(p, output, begin, end);
    });
  }
}

/// The order in which inputs are rounded.
std::vector<int64_t> rounding_order(const std::vector<double>& moments, int64_t n,
                                    bool by_activation) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  const auto diagonal = [&](int64_t i) {
    return static_cast<float>(moments[static_cast<size_t>(i * (n + 1))]);
  };
  if (by_activation) {
    std::ranges::stable_sort(order,
                             [&](int64_t a, int64_t b) { return diagonal(a) > diagonal(b); });
  }
  return order;
}

CalibratedMatrix calibrated_result(const RoundingProblem& p, const std::vector<int64_t>& order) {
  CalibratedMatrix m{.values = Tensor::empty(DType::uint8, {p.outputs, p.inputs}),
                     .scale = Tensor::empty(DType::float32, {p.outputs, p.groups()}),
                     .zero_point = Tensor::empty(DType::uint8, {p.outputs, p.groups()}),
                     .group_index = Tensor::empty(DType::float32, {p.inputs})};
  for (size_t g = 0; g < p.rounding.size(); ++g) {
    m.scale.mutable_data<float>()[g] = p.rounding[g].scale;
    m.zero_point.mutable_data<uint8_t>()[g] = static_cast<uint8_t>(p.rounding[g].zero);
  }
  for (int64_t i = 0; i < p.inputs; ++i) {
    const int64_t to = order[static_cast<size_t>(i)];
    m.group_index.mutable_data<float>()[to] = static_cast<float>(i) / static_cast<float>(p.group);
    for (int64_t output = 0; output < p.outputs; ++output) {
      m.values.mutable_data<uint8_t>()[output * p.inputs + to] =
          p.levels[static_cast<size_t>(output * p.inputs + i)];
    }
  }
  return m;
}

}  // namespace

int64_t group_count(int64_t inputs, int64_t group_size) {
  return group_size == -1 ? 1 : ceil_div(inputs, group_size);
}

CalibratedMatrix gptq_quantize(const Tensor& weights, const Tensor& second_moments,
                               const GPTQConfig& config) {
  const int64_t outputs = weights.shape()[0];
  const int64_t n = weights.shape()[1];
  const std::vector<double> moments = damped_moments(second_moments, n, config.hessian_damping);
  const std::vector<int64_t> order = rounding_order(moments, n, config.activation_order);
  std::vector<double> ordered(moments.size());
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      ordered[static_cast<size_t>(i * n + j)] = moments[static_cast<size_t>(
          order[static_cast<size_t>(i)] * n + order[static_cast<size_t>(j)])];
    }
  }
  RoundingProblem p{.outputs = outputs,
                    .inputs = n,
                    .group = config.group_size == -1 ? n : config.group_size,
                    .weights = std::vector<float>(static_cast<size_t>(outputs * n)),
                    .inverse = inverse_of_the_rest(inverse_matrix(std::move(ordered), n), n),
                    .rounding = {},
                    .levels = std::vector<uint8_t>(static_cast<size_t>(outputs * n))};
  p.rounding.resize(static_cast<size_t>(outputs * p.groups()));
  for (int64_t i = 0; i < n; ++i) {
    const int64_t from = order[static_cast<size_t>(i)];
    for (int64_t output = 0; output < outputs; ++output) {
      p.row(output)[i] = weights.data<float>()[output * n + from];
    }
  }
  round_all(p, config);
  return calibrated_result(p, order);
}

}  // namespace antler

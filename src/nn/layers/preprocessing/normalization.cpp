#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/layers/preprocessing.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/layers/classes.h"

namespace antler {

namespace {

/// "axis": a list. Null means no axis: one mean and variance for all elements.
struct AxisField {
  std::vector<int64_t>& value;
};
void write_field(Json& out, const AxisField& field) { out = field.value; }
void read_field(const Json& in, AxisField& field) {
  field.value.clear();
  if (!in.is_null()) antler::read_field(in, field.value);
}

/// Numbers in nested lists.
struct ArrayField {
  Tensor& value;
};
void write_field(Json& out, const ArrayField& field) {
  out = nullptr;
  if (!field.value.defined()) return;
  const std::vector<double> numbers = field.value.to_doubles();
  size_t next = 0;
  const auto nested = [&](const auto& self, int axis) -> Json {
    if (axis == field.value.rank()) return numbers[next++];
    Json list = Json::array();
    for (int64_t i = 0; i < field.value.dim(axis); ++i) list.push_back(self(self, axis + 1));
    return list;
  };
  out = nested(nested, 0);
}
void read_field(const Json& in, ArrayField& field) {
  field.value = {};
  if (in.is_null()) return;
  Shape shape;
  for (const Json* level = &in; level->is_array(); level = &level->front()) {
    shape.push_back(static_cast<int64_t>(level->size()));
    if (level->empty()) break;
  }
  std::vector<float> numbers;
  const auto collect = [&](const auto& self, const Json& level) -> void {
    if (level.is_array()) {
      for (const Json& item : level) self(self, item);
    } else if (level.is_number()) {
      numbers.push_back(static_cast<float>(level.get<double>()));
    } else {
      throw TypeError("expected numbers");
    }
  };
  collect(collect, in);
  field.value = Tensor::of(numbers, shape);
}

}  // namespace

template <class V>
void fields(V& v, NormalizationOptions& o) {
  AxisField axis{o.axis};
  v("axis", axis);
  v("invert", o.invert);
  ArrayField mean{o.mean};
  v("mean", mean);
  ArrayField variance{o.variance};
  v("variance", variance);
}

struct Normalization::State {
  Shape input_shape;
  std::vector<int> kept;  ///< axes with their own statistics, ascending
  Shape broadcast;        ///< shape in which the statistics broadcast to the input
  Variable mean;
  Variable variance;
  Variable count;
};

Normalization::Normalization(const NormalizationOptions& options)
    : LayerOf(options), own_(std::make_shared<State>()) {
  set_supports_masking(true);
  const Tensor& mean = options_.mean;
  const Tensor& variance = options_.variance;
  if (mean.defined() != variance.defined()) {
    throw ValueError("When setting values directly, both `mean` and `variance` must be set.");
  }
  if (!mean.defined()) return;
  if (mean.shape() != variance.shape()) {
    throw ValueError(
        "When setting values directly, `mean` and `variance` must have the same shape. Received: "
        "mean shape {} and variance shape {}",
        mean.shape(), variance.shape());
  }
  if (mean.rank() > static_cast<int>(options_.axis.size())) {
    throw ValueError(
        "The rank of `mean` must be less than or equal to the number of axes ({}). Received: mean "
        "shape {}",
        options_.axis.size(), mean.shape());
  }
}

void Normalization::build(const Shape& input_shape) {
  State& s = *own_;
  const int rank = input_shape.rank();
  s.input_shape = input_shape;
  s.kept.clear();
  for (const int64_t axis : options_.axis) {
    if (axis < -rank || axis >= rank) {
      throw ValueError(
          "All `axis` values must be in the range [-ndim, ndim). Received inputs with ndim={}, "
          "while axis={}",
          rank, axis);
    }
    s.kept.push_back(static_cast<int>(axis < 0 ? axis + rank : axis));
  }
  std::sort(s.kept.begin(), s.kept.end());
  s.broadcast = Shape(std::vector<int64_t>(static_cast<size_t>(rank), 1));
  Shape statistics;
  for (const int axis : s.kept) {
    if (input_shape[axis] == Shape::kUnknown) {
      throw ValueError(
          "All `axis` values to be kept must have a known shape. Received inputs.shape={}, with "
          "unknown axis at index {}",
          input_shape, axis);
    }
    s.broadcast[axis] = input_shape[axis];
    statistics.push_back(input_shape[axis]);
  }
  if (options_.mean.defined()) return;
  s.mean =
      add_weight({.shape = statistics, .initializer = "zeros", .trainable = false, .name = "mean"});
  s.variance = add_weight(
      {.shape = statistics, .initializer = "ones", .trainable = false, .name = "variance"});
  s.count = add_weight({.shape = {},
                        .initializer = "zeros",
                        .dtype = DType::int64,
                        .trainable = false,
                        .name = "count"});
}

void Normalization::adapt(const Tensor& data) { adapt(std::vector<Tensor>{data}); }

void Normalization::adapt(const std::vector<Tensor>& batches) {
  if (options_.mean.defined()) {
    throw ValueError("Normalization.adapt: the layer already has a given `mean` and `variance`.");
  }
  if (batches.empty()) {
    throw ValueError("adapt() received an empty iterable (no batches). Expected at least one.");
  }
  ensure_built({batches[0].shape()});
  const State& s = *own_;
  const auto cells = static_cast<size_t>(s.mean.shape().num_elements());
  std::vector<double> mean(cells, 0.0);
  std::vector<double> squares(cells, 0.0);  // sums of squared distances from the mean
  std::vector<double> count(cells, 0.0);
  for (const Tensor& batch : batches) {
    for (const int axis : s.kept) {
      if (batch.rank() != s.input_shape.rank() || batch.shape()[axis] != s.input_shape[axis]) {
        throw ValueError(
            "The layer was built with input_shape={}, but adapt() is being called with data with "
            "an incompatible shape, data.shape={}",
            s.input_shape, batch.shape());
      }
    }
    const std::vector<double> values = batch.to_doubles();
    const std::vector<int64_t> strides = batch.shape().strides();
    for (size_t i = 0; i < values.size(); ++i) {
      int64_t cell = 0;
      for (const int axis : s.kept) {
        const int64_t size = batch.shape()[axis];
        const int64_t at = static_cast<int64_t>(i) / strides[static_cast<size_t>(axis)] % size;
        cell = cell * size + at;
      }
      // Welford's update.
      const auto c = static_cast<size_t>(cell);
      count[c] += 1;
      const double distance = values[i] - mean[c];
      mean[c] += distance / count[c];
      squares[c] += distance * (values[i] - mean[c]);
    }
  }
  for (size_t c = 0; c < cells; ++c) squares[c] /= std::max(count[c], 1.0);
  const auto store = [&](const std::vector<double>& numbers, const Variable& variable) {
    const Tensor value =
        Tensor::of(std::vector<float>(numbers.begin(), numbers.end()), variable.shape());
    variable.assign(ops::cast(value, variable.dtype()));
  };
  store(mean, s.mean);
  store(squares, s.variance);
}

Normalization::Statistics Normalization::statistics() const {
  const State& s = *own_;
  if (s.mean.defined()) {
    return {ops::reshape(value_of(s.mean), s.broadcast),
            ops::reshape(value_of(s.variance), s.broadcast)};
  }
  if (!options_.mean.defined() || s.broadcast.empty() != s.input_shape.empty()) {
    throw ValueError("You must call `.build(input_shape)` on the layer before using it.");
  }
  // The dimensions of a given array correspond to the last of the kept axes.
  const auto fitted = [&](const Tensor& given) {
    Shape shape(std::vector<int64_t>(s.broadcast.dims().size(), 1));
    for (int i = 1; i <= given.rank(); ++i) {
      shape[s.kept[s.kept.size() - static_cast<size_t>(i)]] = given.dim(-i);
    }
    return ops::broadcast_to(ops::reshape(ops::cast(given, compute_dtype()), shape), s.broadcast);
  };
  return {fitted(options_.mean), fitted(options_.variance)};
}

Tensor Normalization::mean() const { return statistics().mean; }
Tensor Normalization::variance() const { return statistics().variance; }

Tensor Normalization::call(const Tensor& input, const CallOptions&) {
  constexpr double kSmallest = 1e-7;
  const Statistics s = statistics();
  const Tensor x = ops::cast(input, compute_dtype());
  const Tensor deviation = ops::maximum(ops::sqrt(s.variance), kSmallest);
  return options_.invert ? s.mean + x * deviation : (x - s.mean) / deviation;
}

LayerClasses normalization_layers() { return layer_classes<Normalization>(); }

}  // namespace antler

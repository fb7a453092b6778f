#include "estimator/graph_layers.h"

#include "antler/estimator/graph.h"
#include "antler/nn/layers.h"
#include "antler/ops/ops.h"

namespace antler::conformance::estimators {
namespace {

/// An initializer with given values: an array, or one number for all elements.
class GivenValues final : public InitializerImpl {
 public:
  explicit GivenValues(Tensor values) : values_(std::move(values)) {}
  Tensor call(const Shape& shape, DType dtype) const override {
    if (values_.size() == 1) return Tensor::full(dtype, shape, values_.item());
    if (!(values_.shape() == shape)) {
      throw ValueError("The initial value has shape {}, the variable {}.", values_.shape(), shape);
    }
    return values_.astype(dtype);
  }
  std::string class_name() const override { return "GivenValues"; }
  Json get_config() const override { return Json::object(); }

 private:
  Tensor values_;
};

Initializer initial_value(const Scenario& scenario, const Json& value, const char* otherwise) {
  if (value.is_null()) return otherwise;
  return GivenValues(scenario.array(value));
}

std::optional<std::string> layer_name(const Json& op) {
  return optional_of<std::string>(member(op, "name"));
}

ActivationFunction activation_of(const Json& op) {
  const Json& name = member(op, "activation");
  return name.is_null() ? ActivationFunction() : ActivationFunction(name.get<std::string>());
}

Sizes sizes_of(const Json& value, int64_t otherwise) {
  if (value.is_null()) return otherwise;
  if (value.is_array()) return Sizes(value.get<std::vector<int64_t>>());
  return value.get<int64_t>();
}

std::string padding_of(const Json& op) {
  std::string padding = "valid";
  read_member(op, "padding", padding);
  return padding;
}

Tensor dense(const Scenario& scenario, const Json& op, const Tensor& input) {
  bool use_bias = true;
  read_member(op, "use_bias", use_bias);
  return Dense(
      {.units = op.at("units").get<int64_t>(),
       .activation = activation_of(op),
       .use_bias = use_bias,
       .kernel_initializer = initial_value(scenario, member(op, "kernel"), "glorot_uniform"),
       .bias_initializer = initial_value(scenario, member(op, "bias"), "zeros"),
       .name = layer_name(op)})(input);
}

Tensor conv2d(const Scenario& scenario, const Json& op, const Tensor& input) {
  bool use_bias = true;
  read_member(op, "use_bias", use_bias);
  return Conv2D(
      {.filters = op.at("filters").get<int64_t>(),
       .kernel_size = sizes_of(op.at("kernel_size"), 1),
       .strides = sizes_of(member(op, "strides"), 1),
       .padding = padding_of(op),
       .activation = activation_of(op),
       .use_bias = use_bias,
       .kernel_initializer = initial_value(scenario, member(op, "kernel"), "glorot_uniform"),
       .bias_initializer = initial_value(scenario, member(op, "bias"), "zeros"),
       .name = layer_name(op)})(input);
}

Tensor max_pooling2d(const Json& op, const Tensor& input) {
  return MaxPooling2D({.pool_size = sizes_of(op.at("pool_size"), 2),
                       .strides = sizes_of(op.at("strides"), 2),
                       .padding = padding_of(op)})(input);
}

/// tf.compat.v1.layers.batch_normalization. The optimizer updates the moving averages only if told
/// to. For images, where TensorFlow uses its fused form, the moving variance is unbiased.
Tensor batch_normalization(const Json& op, const GraphSettings& settings, const Tensor& input) {
  double momentum = 0.99;
  double epsilon = 1e-3;
  read_member(op, "momentum", momentum);
  read_member(op, "epsilon", epsilon);
  const est::NamedScope scope(
      layer_name(op).value_or(est::unique_scope_name("batch_normalization")));
  const Shape shape{input.shape()[-1]};
  const auto variable = [&](const char* name, double initial, bool trainable) {
    return est::get_variable(name, Tensor::full(DType::float32, shape, initial), trainable);
  };
  const Variable gamma = variable("gamma", 1, true);
  const Variable beta = variable("beta", 0, true);
  const Variable moving_mean = variable("moving_mean", 0, false);
  const Variable moving_variance = variable("moving_variance", 1, false);
  Tensor mean = moving_mean;
  Tensor variance = moving_variance;
  if (settings.mode == est::ModeKeys::train) {
    std::vector<int64_t> axes;
    for (int axis = 0; axis + 1 < input.rank(); ++axis) axes.push_back(axis);
    mean = ops::mean(input, axes);
    variance = ops::variance(input, axes);
    if (settings.updates_moving_averages) {
      const double n = static_cast<double>(input.size()) / static_cast<double>(shape[0]);
      const double correction = input.rank() == 4 && n > 1 ? n / (n - 1) : 1;
      moving_mean.assign_sub((moving_mean.value() - mean) * (1 - momentum));
      moving_variance.assign_sub((moving_variance.value() - variance * correction) *
                                 (1 - momentum));
    }
  }
  return (input - mean) * ops::rsqrt(variance + epsilon) * gamma.value() + beta.value();
}

Tensor embedding(const Scenario& scenario, const Json& op, const Tensor& ids) {
  const est::NamedScope scope(op.at("scope").get<std::string>());
  const Variable table = est::get_variable(
      op.at("variable").get<std::string>(),
      {.shape = Shape(op.at("shape").get<std::vector<int64_t>>()),
       .initializer = initial_value(scenario, member(op, "value"), "glorot_uniform")});
  const Tensor rows = ops::take(table, ids, 0);
  return member(op, "combiner") == "mean" ? ops::mean(rows, {1}) : rows;
}

Tensor variable_scale(const Scenario& scenario, const Json& op, const Tensor& input) {
  const est::NamedScope scope(op.at("scope").get<std::string>());
  bool trainable = true;
  read_member(op, "trainable", trainable);
  const Variable factor =
      est::get_variable(op.at("variable").get<std::string>(),
                        {.shape = {},
                         .initializer = initial_value(scenario, member(op, "value"), "zeros"),
                         .trainable = trainable});
  return input * factor.value();
}

}  // namespace

bool run_graph_layer(const Scenario& scenario, const Json& op, const GraphSettings& settings,
                     const Tensor& input, Tensor& result) {
  const auto kind = op.at("op").get<std::string>();
  if (kind == "dense") {
    result = dense(scenario, op, input);
  } else if (kind == "conv2d") {
    result = conv2d(scenario, op, input);
  } else if (kind == "max_pooling2d") {
    result = max_pooling2d(op, input);
  } else if (kind == "flatten") {
    result = Flatten()(input);
  } else if (kind == "batch_normalization") {
    result = batch_normalization(op, settings, input);
  } else if (kind == "embedding") {
    result = embedding(scenario, op, input);
  } else if (kind == "variable_scale") {
    result = variable_scale(scenario, op, input);
  } else {
    return false;
  }
  return true;
}

}  // namespace antler::conformance::estimators

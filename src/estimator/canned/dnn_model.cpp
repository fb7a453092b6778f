#include "antler/base/error.h"
#include "antler/core/variable_origin.h"
#include "antler/estimator/graph.h"
#include "antler/nn/layers/regularization.h"
#include "antler/ops/collectives.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "estimator/canned/models.h"
#include "nn/feature_columns/column.h"

namespace antler::estimator {
namespace {

/// Concatenates the columns.
Tensor input_layer(const Nest& features, const std::vector<FeatureColumn>& columns) {
  const NamedScope scope("input_from_feature_columns/input_layer");
  Tensors parts;
  for (const FeatureColumn& column : columns) {
    Tensor table;
    if (const feature_column::EmbeddingTable* embedding = column.impl().table()) {
      table = get_variable(column.name() + "/embedding_weights",
                           {.shape = {embedding->rows, embedding->dimension},
                            .initializer = embedding->initializer,
                            .trainable = embedding->trainable})
                  .value();
    }
    parts.push_back(column.impl().dense(features, table));
  }
  return ops::concatenate(parts, -1);
}

Tensor dense_layer(const Tensor& x, int64_t units) {
  const Variable kernel =
      get_variable("kernel", {.shape = {x.dim(-1), units}, .initializer = "glorot_uniform"});
  const Variable bias = get_variable("bias", {.shape = {units}, .initializer = "zeros"});
  return ops::matmul(x, kernel) + bias.value();
}

/// Moves the running mean towards `value`; replicas use the mean of their values.
void move_average(const Variable& average, const Tensor& value) {
  constexpr double kMomentum = 0.999;
  const JointUpdate together;
  const Tensor now = ops::all_reduce(ops::stop_gradient(value), ops::ReduceOp::mean);
  average.assign(average.value() * kMomentum + now * (1 - kMomentum));
}

Tensor batch_normalization(const Tensor& x, bool training) {
  constexpr double kEpsilon = 0.001;
  const Shape channels = {x.dim(-1)};
  const Variable gamma = get_variable("gamma", {.shape = channels, .initializer = "ones"});
  const Variable beta = get_variable("beta", {.shape = channels, .initializer = "zeros"});
  const Variable moving_mean =
      get_variable("moving_mean", {.shape = channels, .initializer = "zeros", .trainable = false});
  const Variable moving_variance = get_variable(
      "moving_variance", {.shape = channels, .initializer = "ones", .trainable = false});
  Tensor mean = moving_mean.value();
  Tensor variance = moving_variance.value();
  if (training) {
    mean = ops::mean(x, 0);
    variance = ops::variance(x, 0);
    move_average(moving_mean, mean);
    move_average(moving_variance, variance);
  }
  return (x - mean) * ops::rsqrt(variance + kEpsilon) * gamma.value() + beta.value();
}

Tensor dropped_out(const Tensor& x, double rate) {
  Dropout dropout(rate);
  return dropout(x, {.training = true});
}

void summarize(const std::string& layer, const Tensor& value) {
  summary::scalar(layer + "/fraction_of_zero_values",
                  ops::mean(ops::cast(ops::equal(value, 0.0), DType::float32)));
  summary::histogram(layer + "/activation", value);
}

}  // namespace

void check_dense(const std::vector<FeatureColumn>& columns) {
  for (const FeatureColumn& column : columns) {
    if (column.impl().size() > 0) continue;
    throw ValueError(
        "Items of feature_columns must be dense columns. You can wrap a categorical column with an "
        "embedding_column or indicator_column. Given: '{}'.",
        column.name());
  }
}

Tensor dnn_logits(const Nest& features, const DNNModel& model, int64_t units, ModeKeys mode) {
  const NamedScope scope("dnn");
  const bool training = mode == ModeKeys::train;
  Tensor net = input_layer(features, model.columns);
  for (size_t i = 0; i < model.hidden_units.size(); ++i) {
    const std::string name = format("hiddenlayer_{}", i);
    const NamedScope layer(name);
    net = model.activation_fn(dense_layer(net, model.hidden_units[i]));
    if (model.dropout && training) net = dropped_out(net, *model.dropout);
    if (model.batch_norm) {
      const NamedScope norm(format("batchnorm_{}", i));
      net = batch_normalization(net, training);
    }
    if (training) summarize("dnn/" + name, net);
  }
  const NamedScope last("logits");
  Tensor logits = dense_layer(net, units);
  if (training) summarize("dnn/logits", logits);
  return logits;
}

}  // namespace antler::estimator

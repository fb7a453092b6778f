// use_tpu with several replicas: what input_fn and model_fn see, and which rows each replica gets.
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "antler/antler.h"
#include "antler/estimator/estimators.h"
#include "estimator/folder_test.h"

namespace antler::estimator {
namespace {

using enum tpu::InputPipelineConfig;
using tpu::InputPipelineConfig;

constexpr int64_t kBatch = 8;  ///< global
constexpr int64_t kRows = 40;  ///< of a training: five global batches

/// params["batch_size"] of each call.
struct Seen {
  std::vector<int64_t> input;
  std::vector<int64_t> model;
};

Tensor numbers(int64_t rows) {
  std::vector<float> values;
  for (int64_t i = 0; i < rows; ++i) values.push_back(static_cast<float>(i));
  return Tensor::of(values, {rows, 1});
}

/// Rows 0, 1, 2, ... as features and labels. Several pipelines divide each global batch.
InputFn counting_rows(int64_t rows, Seen* seen = nullptr) {
  return [=](const InputFnArgs& args) -> InputData {
    const auto size = args.params.get<int64_t>("batch_size");
    if (seen != nullptr) seen->input.push_back(size);
    const Tensor x = numbers(rows);
    const data::InputContext& context = args.input_context;
    auto dataset = data::Dataset::from_tensor_slices(x, x).batch(size, {.drop_remainder = true});
    if (args.mode == ModeKeys::predict)
      dataset = data::Dataset::from_tensor_slices(x, x).batch(size);
    if (context.num_input_pipelines == 1) return dataset;
    return dataset.shard(context.num_input_pipelines, context.input_pipeline_id);
  };
}

Tensor of_each_row(const Tensor& x, const Tensor& scalar) { return ops::zeros_like(x) + scalar; }

/// The rows of all replicas, and for each row the sum over all rows of its replica.
EvalMetricOps row_metrics(const HostTensors& tensors) {
  return {{"rows", metrics::mean_tensor(tensors.at("rows").tensor())},
          {"sums", metrics::mean_tensor(tensors.at("sums").tensor())}};
}

/// A linear model whose predictions and metrics are `rows` and `sums`.
ModelFn revealing_model(Seen* seen = nullptr, bool cross_shard = true) {
  return [=](const ModelFnArgs& args) -> TPUEstimatorSpec {
    if (seen != nullptr) seen->model.push_back(args.params.get<int64_t>("batch_size"));
    const Tensor x = args.features.tensor();
    const Variable w = get_variable("w", Tensor::of<float>({0.25F}));
    const Variable b = get_variable("b", Tensor::of<float>({0}));
    const Tensor y = x * 0.05F * w.value() + b.value();
    const Nest revealed{{"rows", x}, {"sums", of_each_row(x, ops::sum(x))}};
    if (args.mode == ModeKeys::predict) return {.mode = args.mode, .predictions = revealed};
    const Tensor loss = ops::mean(ops::square(y - args.labels.tensor() * 0.1F));
    if (args.mode == ModeKeys::eval) {
      return {.mode = args.mode,
              .loss = loss,
              .eval_metrics = EvalMetrics{.metric_fn = row_metrics, .tensors = revealed}};
    }
    train::OptimizerPtr optimizer = train::MomentumOptimizer(0.1, 0.9);
    if (cross_shard) optimizer = tpu::CrossShardOptimizer(optimizer);
    return {.mode = args.mode,
            .loss = loss,
            .train_op = optimizer->minimize(loss, {.global_step = get_global_step()})};
  };
}

/// Sees how many steps each execution has.
class ExecutionSizes final : public SessionRunHook {
 public:
  void after_run(SessionRunContext& /*context*/, const SessionRunValues& values) override {
    sizes.push_back(values.steps);
  }
  std::vector<int64_t> sizes;
};

/// The sum of the part of each row if `rows` are divided in order.
std::vector<double> sums_of_parts(const std::vector<double>& rows, int64_t replicas) {
  std::vector<double> sums(rows.size());
  const size_t part = rows.size() / static_cast<size_t>(replicas);
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t k = i / part * part; k < (i / part + 1) * part; ++k) sums[i] += rows[k];
  }
  return sums;
}

class TPUReplicas : public FolderTest {
 protected:
  TPUEstimator make(const ModelFn& model_fn, int64_t replicas, const tpu::TPUConfigOptions& config,
                    const std::optional<std::vector<int64_t>>& batch_axis = {}) const {
    tpu::TPUConfigOptions with_replicas = config;
    with_replicas.num_shards = replicas;
    tpu::RunConfigOptions options;
    options.tpu_config = with_replicas;
    return TPUEstimator(model_fn, {.model_dir = path(format("model{}", ++made_)),
                                   .config = tpu::RunConfig(options),
                                   .train_batch_size = kBatch,
                                   .eval_batch_size = kBatch,
                                   .predict_batch_size = kBatch,
                                   .batch_axis = batch_axis});
  }

 private:
  mutable int made_ = 0;
};

/// Replicas, and how they get their input.
class TPUInputModes
    : public TPUReplicas,
      public ::testing::WithParamInterface<std::tuple<int64_t, InputPipelineConfig>> {
 protected:
  int64_t replicas() const { return std::get<0>(GetParam()); }
  InputPipelineConfig input() const { return std::get<1>(GetParam()); }
  TPUEstimator make(const ModelFn& model_fn) const {
    if (input() == sliced)
      return TPUReplicas::make(model_fn, replicas(), {.eval_training_input_configuration = sliced});
    return TPUReplicas::make(model_fn, replicas(), {.per_host_input_for_training = input()});
  }
};

TEST_P(TPUInputModes, TrainsAsOneReplicaWithTheGlobalBatch) {
  const TPUEstimator one = TPUReplicas::make(revealing_model(), 1, {});
  one.train(counting_rows(kRows), {.max_steps = 5});

  Seen seen;
  const auto executions = std::make_shared<ExecutionSizes>();
  const TPUEstimator several = make(revealing_model(&seen));
  several.train(counting_rows(kRows, &seen), {.hooks = {executions}, .max_steps = 5});
  for (const char* name : {"w", "b", "w/Momentum"}) {
    const double expected = one.get_variable_value(name).item();
    EXPECT_NE(expected, 0);
    EXPECT_NEAR(several.get_variable_value(name).item(), expected, 1e-6) << name;
  }
  EXPECT_EQ(several.get_variable_value("global_step").item<int>(), 5);
  EXPECT_EQ(executions->sizes, (std::vector<int64_t>{2, 2, 1}));

  const int64_t share = kBatch / replicas();
  std::vector<int64_t> calls = {kBatch};
  if (input() == per_shard_v1) calls.assign(static_cast<size_t>(replicas()), share);
  if (input() == per_host_v2) calls = {share};
  EXPECT_EQ(seen.input, calls);
  EXPECT_EQ(seen.model, std::vector<int64_t>(static_cast<size_t>(replicas()),
                                             input() == broadcast ? kBatch : share));
}

TEST_P(TPUInputModes, EvaluatesTheRowsOfAllReplicasInOrder) {
  Seen seen;
  const TPUEstimator estimator = make(revealing_model(&seen));
  estimator.train(counting_rows(kRows), {.max_steps = 1});
  seen = {};
  const EvalResult result = estimator.evaluate(counting_rows(kBatch, &seen), {.steps = 1});
  const std::vector<double> rows = numbers(kBatch).to_doubles();
  EXPECT_EQ(result.at("rows").to_doubles(), rows);
  EXPECT_EQ(result.at("sums").to_doubles(),
            sums_of_parts(rows, input() == broadcast ? 1 : replicas()));
  const int64_t share = kBatch / replicas();
  EXPECT_EQ(seen.input, std::vector<int64_t>{input() == per_host_v2 ? share : kBatch});
  EXPECT_EQ(seen.model, std::vector<int64_t>(static_cast<size_t>(replicas()),
                                             input() == broadcast ? kBatch : share));
  // The mean of the replicas' losses.
  const double w = estimator.get_variable_value("w").item();
  const double b = estimator.get_variable_value("b").item();
  double loss = 0;
  for (const double x : rows) loss += std::pow(x * 0.05 * w + b - x * 0.1, 2) / kBatch;
  EXPECT_NEAR(result.at("loss").item(), loss, 1e-6);
}

TEST_P(TPUInputModes, PredictsEachRowOnceWithoutPadding) {
  const TPUEstimator estimator = make(revealing_model());
  estimator.train(counting_rows(kRows), {.max_steps = 1});
  for (const int64_t count : {3, 8, 11, 16}) {
    Seen seen;
    std::vector<double> rows;
    std::vector<double> sums;
    for (const Nest& prediction : estimator.predict(counting_rows(count, &seen))) {
      EXPECT_EQ(prediction.at("rows").shape(), Shape({1}));
      rows.push_back(prediction.at("rows").tensor().item());
      sums.push_back(prediction.at("sums").tensor().item());
    }
    EXPECT_EQ(rows, numbers(count).to_doubles());
    // Rows of zeros follow the last one.
    const auto real = static_cast<size_t>(count);
    std::vector<double> padded = rows;
    padded.resize((real + kBatch - 1) / kBatch * kBatch);
    std::vector<double> expected;
    for (size_t at = 0; at < padded.size(); at += kBatch) {
      const auto begin = padded.begin() + static_cast<std::ptrdiff_t>(at);
      const auto parts =
          sums_of_parts({begin, begin + kBatch}, input() == broadcast ? 1 : replicas());
      expected.insert(expected.end(), parts.begin(), parts.end());
    }
    expected.resize(real);
    EXPECT_EQ(sums, expected) << count;
    EXPECT_EQ(seen.input,
              std::vector<int64_t>{input() == per_host_v2 ? kBatch / replicas() : kBatch});
  }
}

TEST_P(TPUInputModes, PredictsBatchesWithoutPadding) {
  const TPUEstimator estimator = make(revealing_model());
  estimator.train(counting_rows(kRows), {.max_steps = 1});
  std::vector<Shape> shapes;
  for (const Nest& batch : estimator.predict(counting_rows(11), {.yield_single_examples = false}))
    shapes.push_back(batch.at("rows").shape());
  EXPECT_EQ(shapes, (std::vector<Shape>{{8, 1}, {3, 1}}));
}

INSTANTIATE_TEST_SUITE_P(All, TPUInputModes,
                         ::testing::Combine(::testing::Values(2, 4),
                                            ::testing::Values(per_shard_v1, per_host_v1,
                                                              per_host_v2, broadcast, sliced)));

TEST_F(TPUReplicas, TheClusterResolverSaysHowMany) {
  tpu::RunConfigOptions config;
  config.tpu_config = tpu::TPUConfig({.iterations_per_loop = 3});
  config.cluster = std::make_shared<distribute::SimpleClusterResolver>(
      distribute::ClusterSpec(),
      distribute::SimpleClusterResolverOptions{.num_accelerators = {{"CPU", 4}}});
  Seen seen;
  const TPUEstimator estimator(
      revealing_model(&seen),
      {.model_dir = path("model"), .config = tpu::RunConfig(config), .train_batch_size = kBatch});
  estimator.train(counting_rows(kRows), {.steps = 2});
  EXPECT_EQ(seen.model, std::vector<int64_t>(4, 2));
}

TEST_F(TPUReplicas, HostCallGetsTheRowsOfAllReplicas) {
  std::vector<std::vector<double>> rows;
  std::vector<std::vector<double>> steps;
  const ModelFn model_fn = [&](const ModelFnArgs& args) -> TPUEstimatorSpec {
    const ModelSpec plain = revealing_model()(args);
    auto spec = std::get<TPUEstimatorSpec>(plain);
    spec.host_call =
        HostCall{.host_fn =
                     [&](const HostTensors& tensors) {
                       rows.push_back(tensors.at("rows").tensor().to_doubles());
                       steps.push_back(tensors.at("step").tensor().to_doubles());
                     },
                 .tensors = Nest{{"rows", args.features.tensor()},
                                 {"step", ops::reshape(get_global_step().value(), Shape{1})}}};
    return spec;
  };
  const TPUEstimator estimator = make(model_fn, 2, {});
  estimator.train(counting_rows(kRows), {.max_steps = 3});
  ASSERT_EQ(rows.size(), 3U);
  const std::vector<double> all = numbers(kRows).to_doubles();
  for (size_t i = 0; i < 3; ++i) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i * kBatch);
    EXPECT_EQ(rows[i], std::vector<double>(begin, begin + kBatch));
    ASSERT_EQ(steps[i].size(), 2U);
    EXPECT_EQ(steps[i][0], steps[i][1]);
  }
}

/// With statistics of each replica, and a layer behind them.
TPUEstimatorSpec normalizing_model(const ModelFnArgs& args) {
  const Tensor x =
      ops::concatenate({args.features.tensor(), ops::square(args.features.tensor())}, 1);
  const Tensor h =
      BatchNormalization({.momentum = 0.5})(x * 0.1F, {.training = args.mode == ModeKeys::train});
  const Tensor y =
      Dense(1, {.kernel_initializer = "ones"})(Dense(3, {.kernel_initializer = "ones"})(h));
  const Tensor labels = args.labels.tensor();
  const Tensor loss = ops::mean(ops::square(y - labels));
  if (args.mode == ModeKeys::eval) {
    const auto metric_fn = [](const HostTensors& tensors) -> EvalMetricOps {
      const Tensor is_large = ops::greater(tensors[0].tensor(), 2.5F);
      const auto keras = std::make_shared<antler::metrics::TruePositives>();
      keras->update_state(is_large, is_large);
      return {{"keras", EvalMetricOp(MetricPtr(keras))},
              {"count", metrics::true_positives(is_large, is_large)}};
    };
    return {.mode = args.mode,
            .loss = loss,
            .eval_metrics = EvalMetrics{.metric_fn = metric_fn, .tensors = Nest(Tensors{labels})}};
  }
  tpu::CrossShardOptimizer optimizer(train::GradientDescentOptimizer(0.01));
  return {.mode = args.mode,
          .loss = loss,
          .train_op = optimizer.minimize(loss, {.global_step = get_global_step()})};
}

TEST_F(TPUReplicas, VariablesWithAValuePerReplicaAreSavedAsOne) {
  const InputFn same_each_time = [](const InputFnArgs& /*args*/) -> InputData {
    return {Nest(numbers(kBatch)), Nest(numbers(kBatch))};
  };
  const TPUEstimator once = make(normalizing_model, 2, {});
  once.train(same_each_time, {.max_steps = 6});
  const TPUEstimator twice = make(normalizing_model, 2, {});
  twice.train(same_each_time, {.max_steps = 3});
  twice.train(same_each_time, {.max_steps = 6});
  const std::vector<std::string> names = {"batch_normalization/beta",
                                          "batch_normalization/gamma",
                                          "batch_normalization/moving_mean",
                                          "batch_normalization/moving_variance",
                                          "dense/bias",
                                          "dense/kernel",
                                          "dense_1/bias",
                                          "dense_1/kernel",
                                          "global_step"};
  EXPECT_EQ(once.get_variable_names(), names);
  for (const std::string& name : names) {
    const std::vector<double> expected = once.get_variable_value(name).to_doubles();
    const std::vector<double> values = twice.get_variable_value(name).to_doubles();
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(values[i], expected[i], 1e-5 * std::max(1.0, std::abs(expected[i]))) << name;
  }
  // Each replica has half of the rows, and the mean of both means is that of all rows.
  const double mean = once.get_variable_value("batch_normalization/moving_mean").to_doubles()[0];
  EXPECT_NEAR(mean, 0.35 * (1 - std::pow(0.5, 6)), 1e-5);
  // Metrics count each row once.
  const EvalResult result = once.evaluate(same_each_time, {.steps = 3});
  EXPECT_EQ(result.at("count").item(), 15);
  EXPECT_EQ(result.at("keras").item(), 15);
}

TEST_F(TPUReplicas, BatchAxisDividesOtherAxes) {
  const InputFn columns = [](const InputFnArgs& /*args*/) -> InputData {
    return {Nest(ops::transpose(numbers(kBatch))), Nest(numbers(kBatch))};
  };
  const ModelFn model_fn = [](const ModelFnArgs& args) -> TPUEstimatorSpec {
    const Tensor x = args.features.tensor();
    EXPECT_EQ(x.shape(), Shape({1, 4}));
    EXPECT_EQ(args.labels.tensor().shape(), Shape({4, 1}));
    const Variable w = get_variable("w", Tensor::of<float>({0}));
    const Tensor loss =
        ops::mean(ops::square(ops::transpose(x) * w.value() - args.labels.tensor()));
    if (args.mode == ModeKeys::eval) {
      const Tensor column = ops::transpose(x);
      const Nest tensors{{"rows", column}, {"sums", of_each_row(column, ops::sum(x))}};
      return {.mode = args.mode,
              .loss = loss,
              .eval_metrics = EvalMetrics{.metric_fn = row_metrics, .tensors = tensors}};
    }
    tpu::CrossShardOptimizer optimizer(train::GradientDescentOptimizer(0.01));
    return {.mode = args.mode,
            .loss = loss,
            .train_op = optimizer.minimize(loss, {.global_step = get_global_step()})};
  };
  const TPUEstimator estimator = make(model_fn, 2, {}, std::vector<int64_t>{1, 0});
  estimator.train(columns, {.max_steps = 1});
  // d/dw of mean((w x - x)^2) at 0 is -2 mean(x^2) = -2 * 17.5.
  EXPECT_NEAR(estimator.get_variable_value("w").item(), 0.35, 1e-6);
  const EvalResult result = estimator.evaluate(columns, {.steps = 1});
  const std::vector<double> rows = numbers(kBatch).to_doubles();
  EXPECT_EQ(result.at("rows").to_doubles(), rows);
  EXPECT_EQ(result.at("sums").to_doubles(), sums_of_parts(rows, 2));

  EXPECT_THROW(make(model_fn, 2, {}, std::vector<int64_t>{1}).train(columns, {.steps = 1}),
               ValueError);
  EXPECT_THROW(make(model_fn, 2, {}, std::vector<int64_t>{2, 0}).train(columns, {.steps = 1}),
               ValueError);
}

TEST_F(TPUReplicas, WrongUseIsRefused) {
  // Gradients that nobody sums.
  EXPECT_THROW(
      make(revealing_model(nullptr, false), 2, {}).train(counting_rows(kRows), {.steps = 1}),
      ValueError);
  EXPECT_NO_THROW(
      make(revealing_model(nullptr, false), 1, {}).train(counting_rows(kRows), {.steps = 1}));
  EXPECT_THROW(make(revealing_model(), 3, {}).train(counting_rows(kRows), {.steps = 1}),
               ValueError);  // 8 rows

  const TPUEstimator estimator = make(revealing_model(), 2, {});
  estimator.train(counting_rows(kRows), {.steps = 1});
  const auto with_model = [&](const ModelFn& model_fn,
                              const std::optional<std::vector<int64_t>>& batch_axis = {}) {
    tpu::RunConfigOptions options;
    options.tpu_config = tpu::TPUConfig({.num_shards = 2});
    return TPUEstimator(model_fn, {.model_dir = estimator.model_dir(),
                                   .config = tpu::RunConfig(options),
                                   .train_batch_size = kBatch,
                                   .eval_batch_size = kBatch,
                                   .predict_batch_size = kBatch,
                                   .batch_axis = batch_axis});
  };
  // What leaves the system must have rows.
  const auto sending = [](const std::function<Tensor(const ModelFnArgs&)>& tensor) -> ModelFn {
    return [=](const ModelFnArgs& args) -> TPUEstimatorSpec {
      auto spec = std::get<TPUEstimatorSpec>(revealing_model()(args));
      spec.eval_metrics = EvalMetrics{.metric_fn = [](const HostTensors& tensors) -> EvalMetricOps {
                                        return {{"m", metrics::mean(tensors[0].tensor())}};
                                      },
                                      .tensors = Nest(Tensors{tensor(args)})};
      return spec;
    };
  };
  const ModelFn scalar =
      sending([](const ModelFnArgs& args) { return ops::sum(args.features.tensor()); });
  const ModelFn rows = sending([](const ModelFnArgs& args) { return args.features.tensor(); });
  EXPECT_THROW(with_model(scalar).evaluate(counting_rows(kBatch), {.steps = 1}), RuntimeError);
  EXPECT_NEAR(with_model(rows).evaluate(counting_rows(kBatch), {.steps = 1}).at("m").item(), 3.5,
              1e-6);

  const ModelFn plain = [](const ModelFnArgs& args) -> EstimatorSpec {
    const auto spec = std::get<TPUEstimatorSpec>(revealing_model()(args));
    return {.mode = args.mode, .predictions = spec.predictions, .loss = spec.loss};
  };
  EXPECT_THROW(with_model(plain).evaluate(counting_rows(kBatch), {.steps = 1}), RuntimeError);
  Nest prediction;
  EXPECT_THROW(with_model(plain).predict(counting_rows(kBatch)).next(prediction), RuntimeError);
  const ModelFn one_tensor = [](const ModelFnArgs& args) -> TPUEstimatorSpec {
    auto spec = std::get<TPUEstimatorSpec>(revealing_model()(args));
    spec.predictions = args.features;
    return spec;
  };
  EXPECT_THROW(with_model(one_tensor).predict(counting_rows(kBatch)).next(prediction), TypeError);
  EXPECT_THROW(with_model(revealing_model(), std::vector<int64_t>{0})
                   .predict(counting_rows(kBatch))
                   .next(prediction),
               TypeError);
  const InputFn tensors = [](const InputFnArgs&) -> InputData { return {Nest(numbers(kBatch))}; };
  EXPECT_THROW(estimator.predict(tensors).next(prediction), TypeError);
  const InputFn too_many = [](const InputFnArgs&) -> InputData {
    return data::Dataset::from_tensor_slices(numbers(kBatch + 1)).batch(kBatch + 1);
  };
  EXPECT_THROW(estimator.predict(too_many).next(prediction), ValueError);
}

}  // namespace
}  // namespace antler::estimator

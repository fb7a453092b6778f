// use_tpu on the devices of a plug-in: one replica on each.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "antler/antler.h"
#include "antler/estimator/estimators.h"
#include "estimator/folder_test.h"
#include "support/cpu_plugin.h"

namespace antler::estimator {
namespace {

/// Needs the CPU plug-in that ANTLER_PJRT_CPU names.
class TPUDevices : public FolderTest {
 protected:
  void SetUp() override {
    if (!test::prepare_cpu_plugin(2)) GTEST_SKIP() << test::kNoCpuPlugin;
    FolderTest::SetUp();
  }
  void TearDown() override {
    config::set_device("cpu");
    config::set_dump_sink({});
    FolderTest::TearDown();
  }
};

InputFn rows() {
  return [](const InputFnArgs& args) -> InputData {
    std::vector<float> x(64);
    std::vector<float> y(32);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7 % 11) * 0.2F - 1;
    for (size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(i * 5 % 7) * 0.3F - 1;
    return data::Dataset::from_tensor_slices(Tensor::of(x, {32, 2}), Tensor::of(y, {32, 1}))
        .batch(args.params.get<int64_t>("batch_size"), {.drop_remainder = true});
  };
}

TPUEstimatorSpec two_layers(const ModelFnArgs& args) {
  utils::set_random_seed(4);
  const Tensor hidden = ops::tanh(ops::matmul(
      args.features.tensor(),
      get_variable("up", Tensor::of<float>({0.1F, -0.2F, 0.3F, 0.4F}, {2, 2})).value()));
  const Tensor logits =
      ops::matmul(hidden, get_variable("down", Tensor::of<float>({0.5F, -0.5F}, {2, 1})).value());
  if (args.mode == ModeKeys::predict)
    return {.mode = args.mode, .predictions = Nest{{"logits", logits}}};
  const Tensor loss = ops::mean(ops::square(logits - args.labels.tensor()));
  if (args.mode == ModeKeys::eval) {
    return {.mode = args.mode,
            .loss = loss,
            .eval_metrics =
                EvalMetrics{.metric_fn = [](const HostTensors& tensors) -> EvalMetricOps {
                              return {{"mean", metrics::mean(tensors.at("logits").tensor())}};
                            },
                            .tensors = Nest{{"logits", logits}}}};
  }
  tpu::CrossShardOptimizer optimizer(train::AdamOptimizer(0.05));
  return {.mode = args.mode,
          .loss = loss,
          .train_op = optimizer.minimize(loss, {.global_step = get_global_step()})};
}

/// Collects the loss of each execution's last step.
class Losses final : public SessionRunHook {
 public:
  SessionRunArgs before_run(SessionRunContext& /*context*/) override {
    return {.fetches = {{"loss", std::string("total_loss")}}};
  }
  void after_run(SessionRunContext& /*context*/, const SessionRunValues& values) override {
    losses.push_back(values.at("loss").item());
  }
  std::vector<double> losses;
};

/// The losses of a training run, the weights after it, and the results of evaluate() and predict().
std::vector<double> results_of(const TPUEstimator& estimator) {
  const auto losses = std::make_shared<Losses>();
  estimator.train(rows(), {.hooks = {losses}, .max_steps = 4});
  std::vector<double> values = losses->losses;
  const auto add = [&](const Tensor& tensor) {
    for (const double v : tensor.to_doubles()) values.push_back(v);
  };
  for (const char* name : {"up", "down"}) add(estimator.get_variable_value(name));
  const EvalResult evaluated = estimator.evaluate(rows(), {.steps = 4});
  for (const char* name : {"loss", "mean"}) add(evaluated.at(name));
  Predictions predictions = estimator.predict(rows());
  for (Nest row; predictions.next(row);) add(row.at("logits").tensor());
  return values;
}

TEST_F(TPUDevices, TrainsEvaluatesAndPredictsAsReplicasOnTheCpuDo) {
  const auto estimator = [&](const std::string& folder, const tpu::RunConfigOptions& options) {
    return TPUEstimator(two_layers, {.model_dir = path(folder),
                                     .config = tpu::RunConfig(options),
                                     .train_batch_size = 8,
                                     .eval_batch_size = 8,
                                     .predict_batch_size = 8});
  };
  tpu::RunConfigOptions options;
  options.tpu_config = tpu::TPUConfigOptions{.iterations_per_loop = 2, .num_shards = 2};
  const std::vector<double> expected = results_of(estimator("cpu", options));
  ASSERT_EQ(expected.size(), 2U + 6U + 2U + 32U);

  std::string modules;
  config::set_dump_sink([&](const std::string&, const std::string&, const std::string& text) {
    modules += text.substr(0, text.find('{', text.find('{') + 1));
  });
  options.cluster = std::make_shared<distribute::TPUClusterResolver>("pjrt:cpu");
  const std::vector<double> actual = results_of(estimator("devices", options));
  EXPECT_EQ(config::device(), "pjrt:cpu");
  size_t programs = 0;
  for (size_t at = 0; (at = modules.find("mhlo.num_replicas = 2", at)) != std::string::npos; ++at)
    ++programs;
  EXPECT_EQ(programs, 3U) << "of train, evaluate and predict:\n" << modules;
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-5) << i;
}

}  // namespace
}  // namespace antler::estimator

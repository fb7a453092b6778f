#include "antler/estimator/estimator.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include <gtest/gtest.h>

#include "antler/antler.h"
#include "antler/base/file.h"
#include "antler/estimator/estimators.h"
#include "antler/io/event_reader.h"
#include "base/temporary_folder.h"

namespace antler::estimator {
namespace {

/// A folder that is removed at the end of a test.
class EstimatorTest : public testing::Test {
 protected:
  EstimatorTest() : folder_(make_temporary_folder("antler_estimator_test")) {
    logging::set_info_sink([this](std::string_view line) { log_ += line; });
  }
  ~EstimatorTest() override {
    logging::set_info_sink({});
    std::filesystem::remove_all(folder_);
  }
  std::string folder_;
  std::string log_;
};

/// y = x w + b with the squared error, by gradient descent.
EstimatorSpec linear_model(const ModelFnArgs& args) {
  const Tensor x = args.features.at("x");
  Dense dense(1, {.kernel_initializer = "zeros"});
  const Tensor y = dense(x);
  if (args.mode == ModeKeys::predict) return {.mode = args.mode, .predictions = Nest{{"y", y}}};
  const Tensor loss = losses::mean_squared_error(args.labels.tensor(), y);
  if (args.mode == ModeKeys::eval) {
    return {.mode = args.mode,
            .loss = loss,
            .eval_metric_ops = {{"mae", metrics::mean_absolute_error(args.labels.tensor(), y)}}};
  }
  train::GradientDescentOptimizer optimizer(0.1);
  return {.mode = args.mode,
          .loss = loss,
          .train_op = optimizer.minimize(loss, {.global_step = get_global_step()})};
}

/// Rows of x and y = 2 x_0 - x_1 + 0.5, in batches of 4 of 10 rows.
InputData linear_data(const InputFnArgs& args) {
  std::vector<float> x;
  std::vector<float> y;
  for (int i = 0; i < 10; ++i) {
    const float a = static_cast<float>(i % 4) / 4;
    const float b = static_cast<float>(i % 3) / 3;
    x.insert(x.end(), {a, b});
    y.push_back(2 * a - b + 0.5F);
  }
  const Nest features{{"x", Nest(Tensor::of(x, {10, 2}))}};
  auto dataset = data::Dataset::from_tensor_slices(features, Tensor::of(y, {10, 1}));
  if (args.mode == ModeKeys::train) dataset = dataset.repeat();
  return dataset.batch(4);
}

TEST_F(EstimatorTest, TrainsEvaluatesAndPredicts) {
  const Estimator estimator(linear_model, {.model_dir = folder_ + "/model"});
  estimator.train(linear_data, {.steps = 300});
  EXPECT_NE(log_.find("Loss for final step: "), std::string::npos) << log_;
  const EvalResult result = estimator.evaluate(linear_data);
  EXPECT_LT(result.at("loss").item(), 1e-3);
  EXPECT_LT(result.at("mae").item(), 0.05);
  EXPECT_EQ(result.at("global_step").item<int>(), 300);
  int rows = 0;
  for (const Nest& prediction : estimator.predict(linear_data)) {
    EXPECT_EQ(prediction.at("y").shape(), Shape({1}));
    ++rows;
  }
  EXPECT_EQ(rows, 10);
  const std::vector<std::string> expected = {"dense/bias", "dense/kernel", "global_step"};
  EXPECT_EQ(estimator.get_variable_names(), expected);
}

/// The values of a scalar in the event files of a folder.
std::vector<double> curve(const std::string& folder, const std::string& tag) {
  return io::read_scalars(folder).at(tag).values;
}

/// Counts steps.
class StepCount final : public SessionRunHook {
 public:
  explicit StepCount(int64_t& steps) : steps_(steps) {}
  void after_run(SessionRunContext& /*context*/, const SessionRunValues& values) override {
    steps_ += values.steps;
  }

 private:
  int64_t& steps_;
};

TEST_F(EstimatorTest, ReplicasTakeABatchEach) {
  const auto batches_of = [](int64_t size) -> InputFn {
    return [size]() -> InputData {
      const Tensor x = ops::arange(0.0, 1.0, 1.0 / 18).reshape({18, 1});
      return data::Dataset::from_tensor_slices(Nest{{"x", Nest(x)}}, x * 2 - 1)
          .batch(size, {.drop_remainder = true});
    };
  };
  const auto config = [](const std::optional<distribute::Strategy>& strategy) {
    return RunConfig({.save_summary_steps = 1,
                      .log_step_count_steps = {},
                      .train_distribute = strategy,
                      .eval_distribute = strategy});
  };
  const Estimator one(linear_model, {.model_dir = folder_ + "/one", .config = config({})});
  const Estimator two(linear_model, {.model_dir = folder_ + "/two",
                                     .config = config(distribute::MirroredStrategy(2))});
  one.train(batches_of(4));
  two.train(
      batches_of(2));  // as in TensorFlow, a last batch without one for each replica is dropped
  EXPECT_EQ(one.get_variable_value("global_step").item<int>(), 4);
  EXPECT_EQ(two.get_variable_value("global_step").item<int>(), 4);
  EXPECT_EQ(two.get_variable_names(), one.get_variable_names());
  EXPECT_NEAR(two.get_variable_value("dense/kernel").item(),
              one.get_variable_value("dense/kernel").item(), 1e-6);
  const std::vector<double> losses = curve(folder_ + "/one", "loss");
  const std::vector<double> of_two = curve(folder_ + "/two", "loss");
  ASSERT_EQ(of_two.size(), 4U);
  for (size_t i = 0; i < losses.size(); ++i) EXPECT_NEAR(of_two[i], losses[i], 1e-6);
  // Metrics add up what all replicas saw.
  const EvalResult expected = one.evaluate(batches_of(4));
  const EvalResult result = two.evaluate(batches_of(2));
  for (const char* name : {"loss", "mae"})
    EXPECT_NEAR(result.at(name).item(), expected.at(name).item(), 1e-5) << name;
}

/// Makes this process the evaluator of a cluster for its lifetime.
struct EvaluatorTask {
  EvaluatorTask() {
    setenv("TF_CONFIG",
           R"({"cluster": {"chief": ["a:1"]}, "task": {"type": "evaluator", "index": 0}})", 1);
  }
  ~EvaluatorTask() { unsetenv("TF_CONFIG"); }
  EvaluatorTask(const EvaluatorTask&) = delete;
  EvaluatorTask& operator=(const EvaluatorTask&) = delete;
};

/// As in TensorFlow, evaluation uses the training strategy if there is no eval_distribute.
TEST_F(EstimatorTest, AnEvaluatorTakesTheReplicasOfTheTraining) {
  const auto batches = []() -> InputData {
    const Tensor x = ops::arange(0.0, 1.0, 1.0 / 12).reshape({12, 1});
    return data::Dataset::from_tensor_slices(Nest{{"x", Nest(x)}}, x).batch(2);
  };
  const std::string model_dir = folder_ + "/model";
  Estimator(linear_model, {.model_dir = model_dir}).train(batches, {.steps = 1});
  const auto steps_of = [&](const RunConfigOptions& options) {
    int64_t steps = 0;
    Estimator(linear_model, {.model_dir = model_dir, .config = RunConfig(options)})
        .evaluate(batches, {.hooks = {std::make_shared<StepCount>(steps)}});
    return steps;
  };
  const distribute::Strategy two = distribute::MirroredStrategy(2);
  EXPECT_EQ(steps_of({.train_distribute = two}), 6);
  const EvaluatorTask evaluator;
  EXPECT_EQ(steps_of({.train_distribute = two}), 3);
  EXPECT_EQ(steps_of({.eval_distribute = two}), 3);
  EXPECT_EQ(steps_of({.train_distribute = two, .eval_distribute = distribute::Strategy()}), 6);
}

TEST_F(EstimatorTest, AFileIsNoModelDir) {
  const std::string path = folder_ + "/file";
  write_file_atomically(path, "mine");
  for (const std::string& model_dir : {path, path + "/model"}) {
    const Estimator estimator(linear_model, {.model_dir = model_dir});
    try {
      estimator.train(linear_data, {.steps = 1});
      FAIL() << "trained in " << model_dir;
    } catch (const IOError& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    }
    EXPECT_THROW(estimator.evaluate(linear_data), ValueError);
  }
  EXPECT_EQ(read_file(path), "mine");
}

TEST_F(EstimatorTest, ALossThatIsNotANumberKeepsTheLastCheckpoint) {
  const ModelFn model_fn = [](const ModelFnArgs& args) -> EstimatorSpec {
    EstimatorSpec spec = linear_model(args);
    // From the step 3 on.
    const Tensor is_late = ops::greater_equal(get_global_step().value(), 3);
    spec.loss = spec.loss + ops::where(is_late, std::nanf(""), 0.0F);
    return spec;
  };
  const RunConfig config({.save_checkpoints_steps = 2});
  const Estimator estimator(model_fn, {.model_dir = folder_ + "/model", .config = config});
  EXPECT_THROW(estimator.train(linear_data, {.steps = 10}), NanLossDuringTrainingError);
  EXPECT_EQ(estimator.get_variable_value("global_step").item<int>(), 2);
  for (const double value : estimator.get_variable_value("dense/kernel").to_doubles())
    EXPECT_TRUE(std::isfinite(value));
}

TEST_F(EstimatorTest, ContinuesWhereItEnded) {
  const Estimator once(linear_model, {.model_dir = folder_ + "/once"});
  once.train(linear_data, {.steps = 20});
  // The data starts again at each call: 10 rows are 3 batches, so 15 steps end with a whole pass.
  const Estimator twice(linear_model, {.model_dir = folder_ + "/twice"});
  twice.train(linear_data, {.max_steps = 15});
  twice.train(linear_data, {.max_steps = 20});
  EXPECT_EQ(twice.get_variable_value("global_step").item<int>(), 20);
  EXPECT_EQ(once.get_variable_value("dense/kernel").to_doubles(),
            twice.get_variable_value("dense/kernel").to_doubles());
}

TEST_F(EstimatorTest, UnknownCheckpointIsAnError) {
  const Estimator estimator(linear_model, {.model_dir = folder_ + "/none"});
  EXPECT_THROW(estimator.evaluate(linear_data), ValueError);
  Nest prediction;
  Predictions predictions = estimator.predict(linear_data);  // nothing happens yet
  EXPECT_THROW(predictions.next(prediction), ValueError);
}

/// Sees the steps of each run.
class RunSizes final : public SessionRunHook {
 public:
  RunSizes(std::vector<int64_t>* sizes, bool sees_each) : sizes_(sizes), sees_each_(sees_each) {}
  void after_run(SessionRunContext& /*context*/, const SessionRunValues& values) override {
    sizes_->push_back(values.steps);
  }
  int64_t steps_until_run(int64_t /*global_step*/) const override {
    return sees_each_ ? 1 : kNever;
  }

 private:
  std::vector<int64_t>* sizes_;
  bool sees_each_;
};

TEST_F(EstimatorTest, RunsHaveAsManyStepsAsNoHookNeedsToSee) {
  const RunConfig config(
      {.save_summary_steps = 10, .save_checkpoints_steps = 25, .log_step_count_steps = 20});
  const Estimator estimator(linear_model, {.model_dir = folder_ + "/model", .config = config});
  std::vector<int64_t> sizes;
  estimator.train(linear_data, {.hooks = {std::make_shared<RunSizes>(&sizes, false)}, .steps = 50});
  EXPECT_LT(sizes.size(), 20U);
  EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), int64_t{0}), 50);
  sizes.clear();
  estimator.train(linear_data, {.hooks = {std::make_shared<RunSizes>(&sizes, true)}, .steps = 30});
  EXPECT_EQ(sizes, std::vector<int64_t>(30, 1));
}

/// Like linear_model, with random weights that stay as they are.
EstimatorSpec random_model(const ModelFnArgs& args) {
  const Tensor y = Dense(1)(args.features.at("x"));
  train::GradientDescentOptimizer optimizer(0.0);
  const Tensor loss = losses::mean_squared_error(args.labels.tensor(), y);
  return {.mode = args.mode,
          .loss = loss,
          .train_op = optimizer.minimize(loss, {.global_step = get_global_step()})};
}

TEST_F(EstimatorTest, SeedsFollowFromTheConfiguration) {
  int runs = 0;
  const auto kernel = [&](std::optional<int64_t> seed) {
    const RunConfig config({.tf_random_seed = seed});
    const Estimator estimator(
        random_model, {.model_dir = folder_ + "/" + std::to_string(++runs), .config = config});
    estimator.train(linear_data, {.steps = 1});
    return estimator.get_variable_value("dense/kernel").to_doubles();
  };
  set_random_seed(1);
  const auto first = kernel(7);
  const uint32_t next = next_random_seed();
  EXPECT_NE(kernel(8), first);
  set_random_seed(2);
  EXPECT_EQ(kernel(7), first);
  EXPECT_NE(kernel({}), first);
  set_random_seed(1);  // the seeds of the process are those without an estimator
  EXPECT_EQ(next_random_seed(), next);
}

}  // namespace
}  // namespace antler::estimator

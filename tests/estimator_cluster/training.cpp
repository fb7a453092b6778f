// A task of a cluster that trains an estimator; TF_CONFIG says which one.
//
//   antler_estimator_cluster MODEL_DIR BATCH MAX_STEPS [PART]
//
// BATCH: rows per task and step. Without TF_CONFIG the process trains alone, and takes the rows
// that all tasks together would take. Prints the variables that this process has after the last
// step, and how many steps it made. Tasks train asynchronously if the cluster has parameter
// servers, else together.
//
// PART: "" trains with train_and_evaluate(); "uneven" trains and evaluates on data that ends, for
// task i after MAX_STEPS + 3 i batches; "evaluate" only evaluates on as many; "tpu" is as "" with a
// TPUEstimator on CPUs.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>

#include "antler/antler.h"
#include "antler/cluster/multi_worker_mirrored_strategy.h"
#include "antler/cluster/parameter_server_strategy_v1.h"
#include "antler/estimator/estimators.h"

namespace {

using namespace antler;             // NOLINT(google-build-using-namespace)
using namespace antler::estimator;  // NOLINT(google-build-using-namespace)

constexpr int64_t kColumns = 3;
constexpr int64_t kTasks = 2;

/// A layer with random weights, so that tasks that do not share them would differ.
EstimatorSpec model_fn(const ModelFnArgs& args) {
  const Tensor y = Dense(1)(Dense(8, {.activation = "tanh"})(args.features.tensor()));
  const Tensor labels = args.labels.tensor();
  const Tensor loss = estimator::losses::mean_squared_error(labels, y);
  if (args.mode == ModeKeys::eval) {
    return {.mode = args.mode,
            .loss = loss,
            .eval_metric_ops = {{"mae", estimator::metrics::mean_absolute_error(labels, y)}}};
  }
  train::AdamOptimizer optimizer(0.01);
  return {.mode = args.mode,
          .loss = loss,
          .train_op = optimizer.minimize(loss, {.global_step = get_global_step()})};
}

/// Global batches, of which each of `tasks` takes its part, the same rows as one process would see.
InputFn rows(int64_t batch, int64_t tasks) {
  return [=](const InputFnArgs& args) -> InputData {
    const int64_t count = 2 * batch * tasks;
    std::vector<float> x;
    for (int64_t i = 0; i < count * kColumns; ++i)
      x.push_back(static_cast<float>(i * 37 % 101) / 101);
    const Tensor features = Tensor::of(x, {count, kColumns});
    auto dataset =
        data::Dataset::from_tensor_slices(features, ops::sum(features, {1}, {.keepdims = true}));
    if (args.mode == ModeKeys::eval) return dataset.batch(batch);
    const data::InputContext& context = args.input_context;
    dataset = dataset.repeat().batch(batch * tasks / context.num_input_pipelines);
    return dataset.shard(context.num_input_pipelines, context.input_pipeline_id);
  };
}

/// Prints what this process sees at the end.
class LastVariables final : public SessionRunHook {
 public:
  void after_create_session(Session& session) override {
    std::printf("started at %lld\n", static_cast<long long>(session.global_step()));
    std::fflush(stdout);
  }
  void after_run(SessionRunContext& /*context*/, const SessionRunValues& values) override {
    steps_ += values.steps;
  }
  int64_t steps_until_run(int64_t /*global_step*/) const override { return kNever; }
  void end(Session& session) override {
    std::printf("steps %lld\n", static_cast<long long>(steps_));
    for (const auto& [name, variable] : session.graph().variables()) {
      std::printf("variable %s", name.c_str());
      for (const double value : variable.stored().to_doubles()) std::printf(" %.6g", value);
      std::printf("\n");
    }
    std::fflush(stdout);
  }

 private:
  int64_t steps_ = 0;
};

distribute::Strategy strategy_of(const RunConfig& task) {
  if (task.num_ps_replicas() > 0) return cluster::ParameterServerStrategyV1();
  return cluster::MultiWorkerMirroredStrategy();
}

/// The same global batches, but the data of each task ends elsewhere.
InputFn ending_rows(int64_t batch, int64_t steps) {
  return [=](const InputFnArgs& args) -> InputData {
    const data::InputContext& context = args.input_context;
    const data::Dataset endless = rows(batch, kTasks)({.params = args.params,
                                                       .mode = ModeKeys::train,
                                                       .config = args.config,
                                                       .input_context = context})
                                      .dataset();
    return endless.take(steps + 3 * context.input_pipeline_id);
  };
}

void train_and_evaluate_uneven(const Estimator& estimator, const InputFn& input, bool trains) {
  if (trains) estimator.train(input, {.hooks = {std::make_shared<LastVariables>()}});
  const EvalResult result = estimator.evaluate(input, {.name = trains ? "together" : "alone"});
  for (const auto& [name, value] : result)
    std::printf("metric %s %.6g\n", name.c_str(), value.item());
}

Estimator make_estimator(const RunConfigOptions& options, int64_t batch, const std::string& part) {
  if (part != "tpu") return Estimator(model_fn, {.config = RunConfig(options)});
  return TPUEstimator([](const ModelFnArgs& args) { return model_fn(args); },
                      {.config = tpu::RunConfig({.base = options}),
                       .use_tpu = false,
                       .train_batch_size = batch,
                       .eval_batch_size = batch});
}

void run(const std::string& model_dir, int64_t batch, int64_t max_steps, const std::string& part) {
  config::set_threads(1);
  // Tasks that did not share their start values would differ.
  set_random_seed(3 + static_cast<uint64_t>(RunConfig().global_id_in_cluster().value_or(0)));
  const distribute::Strategy strategy = strategy_of(RunConfig());
  RunConfigOptions options{.model_dir = model_dir,
                           .save_checkpoints_steps = 5,
                           .train_distribute = strategy,
                           .experimental_max_worker_delay_secs = 0};
  if (part == "uneven" || part == "evaluate") {
    options.eval_distribute = strategy;
    const Estimator estimator(model_fn, {.config = RunConfig(options)});
    return train_and_evaluate_uneven(estimator, ending_rows(batch, max_steps), part == "uneven");
  }
  const Estimator estimator = make_estimator(options, batch, part);
  const InputFn input = rows(batch, kTasks);
  train_and_evaluate(
      estimator,
      {.input_fn = input, .max_steps = max_steps, .hooks = {std::make_shared<LastVariables>()}},
      {.input_fn = input, .start_delay_secs = 0, .throttle_secs = 1});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  try {
    run(argv[1], std::atoll(argv[2]), std::atoll(argv[3]), argc > 4 ? argv[4] : "");
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s: %s\n", error.class_name(), error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return 1;
}

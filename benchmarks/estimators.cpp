#include "estimators.h"

#include <algorithm>

#ifdef ANTLER_BENCH_ESTIMATOR

#include <filesystem>
#include <memory>

#include "antler/estimator/estimators.h"
#include "base/temporary_folder.h"

namespace antler::bench {
namespace {

namespace fs = std::filesystem;
using estimator::ModelFnArgs;
using estimator::SessionRunContext;

constexpr const char* kPrefix = "estimator_";
constexpr int64_t kStepsPerExecution = 100;
/// Batches in the data set.
constexpr int64_t kBatches = 100;
/// Repetitions of train(steps = 1).
constexpr int kRestarts = 7;
/// The longer training runs are repeated at least this often and for at least this many seconds,
/// because their speeds vary.
constexpr int kTrainings = 9;
constexpr double kSeconds = 12;

/// What is measured, and for how many steps.
struct EstimatorCase {
  const char* name;
  int64_t steps;
};
constexpr EstimatorCase kCases[] = {{"mlp_tiny", 1500}, {"mlp", 500}, {"cnn", 200}};

int64_t steps_of(const Case& c) {
  return std::ranges::find(kCases, c.name, &EstimatorCase::name)->steps;
}

/// A new folder that is removed by the destructor.
class Folder {
 public:
  Folder() : path_(make_temporary_folder("antler_bench")) {}
  ~Folder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Times the steps after the first kStepsPerExecution ones, and keeps the first and the last loss.
class Clock {
 public:
  /// Reports that this many further steps are done.
  void add(int64_t steps, double loss) {
    if (steps_ == 0) first_loss_ = loss;
    last_loss_ = loss;
    steps_ += steps;
    end_ = now();
    if (steps_ <= kStepsPerExecution) start_ = end_, first_step_ = steps_;
  }
  double steps_per_s() const {
    if (!(last_loss_ < first_loss_))
      throw RuntimeError("The loss did not go down: {} to {}.", first_loss_, last_loss_);
    return static_cast<double>(steps_ - first_step_) / (end_ - start_);
  }

 private:
  int64_t steps_ = 0;
  int64_t first_step_ = 0;
  double start_ = 0;
  double end_ = 0;
  double first_loss_ = 0;
  double last_loss_ = 0;
};

class ClockHook : public estimator::SessionRunHook {
 public:
  Clock clock;
  estimator::SessionRunArgs before_run(SessionRunContext&) override {
    return {.fetches = {{"loss", "total_loss"}}};
  }
  void after_run(SessionRunContext&, const estimator::SessionRunValues& values) override {
    clock.add(values.steps, values.at("loss").item());
  }
  int64_t steps_until_run(int64_t) const override { return kNever; }
};

class ClockCallback : public Callback {
 public:
  Clock clock;
  void on_train_batch_end(int batch, const Logs& logs) override {
    clock.add(batch + 1 - steps_, *logs.find("loss"));
    steps_ = batch + 1;
  }

 private:
  int64_t steps_ = 0;
};

estimator::train::OptimizerPtr optimizer_of(const Case& c) {
  // The learning rates of the optimizers in compile_arguments().
  if (c.name == "mlp_tiny") return estimator::train::GradientDescentOptimizer(1e-2);
  return estimator::train::AdamOptimizer(1e-3);
}

estimator::EstimatorSpec train_spec(const Case& c, const ModelFnArgs& args) {
  Model net = c.build();
  const Tensor logits = net(args.features.tensor(), CallOptions{.training = true});
  const Tensor loss = estimator::losses::sparse_softmax_cross_entropy(args.labels.tensor(), logits);
  return {
      .mode = args.mode,
      .loss = loss,
      .train_op = optimizer_of(c)->minimize(loss, {.global_step = estimator::get_global_step()})};
}

/// The case's data, with inputs that are brighter for higher labels, so that there is something to
/// learn.
Data learnable_data(const Case& c) {
  const Data data = make_data(c, c.batch * kBatches);
  std::vector<int64_t> dims(static_cast<size_t>(c.sample.rank() + 1), 1);
  dims[0] = c.batch * kBatches;
  const Tensor brightness = ops::reshape(ops::cast(data.y, DType::float32), Shape(dims));
  return {data.x * 0.5F + brightness * 0.05F, data.y};
}

/// Endless batches.
data::Dataset batches_of(const Case& c, const Data& data) {
  return data::Dataset::from_tensor_slices(data.x, data.y)
      .repeat()
      .batch(c.batch, {.drop_remainder = true});
}

template <class AnyEstimator>
double rate_of(const AnyEstimator& model, const Case& c, const data::Dataset& batches) {
  const auto hook = std::make_shared<ClockHook>();
  model.train([&](const estimator::InputFnArgs&) { return estimator::InputData(batches); },
              {.hooks = {hook}, .steps = steps_of(c)});
  return hook->clock.steps_per_s();
}

estimator::ModelFn model_fn_of(const Case& c) {
  return [&c](const ModelFnArgs& args) { return train_spec(c, args); };
}

double estimator_rate(const Case& c, const data::Dataset& batches) {
  const Folder folder;
  return rate_of(estimator::Estimator(model_fn_of(c), {.model_dir = folder.path()}), c, batches);
}

estimator::TPUEstimator tpu_estimator(const Case& c, const Folder& folder) {
  const estimator::tpu::RunConfig config(
      {.tpu_config = {{.iterations_per_loop = kStepsPerExecution}}});
  return estimator::TPUEstimator(model_fn_of(c), {.model_dir = folder.path(),
                                                  .config = config,
                                                  .use_tpu = false,
                                                  .train_batch_size = c.batch});
}

double tpu_estimator_rate(const Case& c, const data::Dataset& batches) {
  const Folder folder;
  return rate_of(tpu_estimator(c, folder), c, batches);
}

double fit_rate(const Case& c, const data::Dataset& batches) {
  Model model = c.build();
  CompileArguments arguments = compile_arguments(c);
  arguments.metrics = {};
  arguments.steps_per_execution = kStepsPerExecution;
  model.compile(arguments);
  const auto callback = std::make_shared<ClockCallback>();
  model.fit(batches, {.verbose = 0, .callbacks = {callback}, .steps_per_epoch = steps_of(c)});
  return callback->clock.steps_per_s();
}

/// Seconds of train(steps = 1) on a folder that has a checkpoint.
double restart_seconds(const Case& c, const data::Dataset& batches) {
  const Folder folder;
  const estimator::TPUEstimator model = tpu_estimator(c, folder);
  const auto train = [&] {
    model.train([&](const estimator::InputFnArgs&) { return estimator::InputData(batches); },
                {.steps = 1});
  };
  train();
  std::vector<double> times;
  for (int i = 0; i < kRestarts; ++i) {
    const double start = now();
    train();
    times.push_back(now() - start);
  }
  return median(times);
}

}  // namespace

std::vector<std::string> estimator_case_names() {
  std::vector<std::string> names;
  for (const EstimatorCase& c : kCases) names.push_back(std::string(kPrefix) + c.name);
  return names;
}

void run_estimator(const Case& c, Context& context) {
  context.variant = format("spe={}", kStepsPerExecution);
  const Data data = learnable_data(c);
  const data::Dataset batches = batches_of(c, data);
  emit(context, "restart", restart_seconds(c, batches), "s");
  std::vector<double> of_tpu_estimator;
  std::vector<double> of_estimator;
  std::vector<double> of_fit;
  std::vector<double> overhead;
  const double end = now() + kSeconds;
  for (int i = 0; i < kTrainings || now() < end; ++i) {
    of_tpu_estimator.push_back(tpu_estimator_rate(c, batches));
    of_estimator.push_back(estimator_rate(c, batches));
    of_fit.push_back(fit_rate(c, batches));
    overhead.push_back(100 * (of_fit.back() / of_estimator.back() - 1));
  }
  emit(context, "steps_per_s", median(of_tpu_estimator), "1/s");
  emit(context, "estimator_steps_per_s", median(of_estimator), "1/s");
  emit(context, "fit_steps_per_s", median(of_fit), "1/s");
  emit(context, "overhead", median(overhead), "%");
}

}  // namespace antler::bench

#else

namespace antler::bench {

std::vector<std::string> estimator_case_names() { return {}; }
void run_estimator(const Case&, Context&) {}

}  // namespace antler::bench

#endif

namespace antler::bench {

const Case* find_estimator_case(const std::string& name) {
  const std::vector<std::string> names = estimator_case_names();
  if (std::ranges::find(names, name) == names.end()) return nullptr;
  return find_case(name.substr(name.find('_') + 1));
}

}  // namespace antler::bench

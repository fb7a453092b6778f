#include "estimators.h"

#ifdef ANTLER_BENCH_ESTIMATOR

#include <algorithm>
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
constexpr int kRepeats = 7;

/// What is measured, and for how many steps.
struct EstimatorCase {
  const char* name;
  int64_t steps;
};
constexpr EstimatorCase kCases[] = {{"mlp_tiny", 4000}, {"mlp", 1500}, {"cnn", 300}};

int64_t steps_of(const Case& c) {
  return std::ranges::find(kCases, c.name, &EstimatorCase::name)->steps;
}

/// A folder that is deleted in the end.
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

/// Times the steps behind the first kStepsPerExecution ones, and keeps the first and last loss.
class Clock {
 public:
  /// Called when so many further steps are done.
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
  // The rates of the case's own optimizers.
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

/// Endless batches of the case's data.
data::Dataset batches_of(const Case& c, const Data& data) {
  return data::Dataset::from_tensor_slices(data.x, data.y)
      .repeat()
      .batch(c.batch, {.drop_remainder = true});
}

double estimator_rate(const Case& c, const data::Dataset& batches) {
  const Folder folder;
  const estimator::Estimator model([&](const ModelFnArgs& args) { return train_spec(c, args); },
                                   {.model_dir = folder.path()});
  const auto hook = std::make_shared<ClockHook>();
  model.train([&] { return estimator::InputData(batches); },
              {.hooks = {hook}, .steps = steps_of(c)});
  return hook->clock.steps_per_s();
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

void run_tpu_estimator(const Case& c, const data::Dataset& batches, Context& context) {
  const Folder folder;
  const estimator::tpu::RunConfig config(
      {.tpu_config = {{.iterations_per_loop = kStepsPerExecution}}});
  const estimator::TPUEstimator model([&](const ModelFnArgs& args) { return train_spec(c, args); },
                                      {.model_dir = folder.path(),
                                       .config = config,
                                       .use_tpu = false,
                                       .train_batch_size = c.batch});
  const estimator::InputFn input_fn = [&](const estimator::InputFnArgs&) {
    return estimator::InputData(batches);
  };
  const auto hook = std::make_shared<ClockHook>();
  model.train(input_fn, {.hooks = {hook}, .steps = steps_of(c)});
  emit(context, "steps_per_s", hook->clock.steps_per_s(), "1/s");
  std::vector<double> times;
  for (int i = 0; i < kRepeats; ++i) {
    const double start = now();
    model.train(input_fn, {.steps = 1});
    times.push_back(now() - start);
  }
  emit(context, "restart", median(times), "s");
}

}  // namespace

std::vector<std::string> estimator_case_names() {
  std::vector<std::string> names;
  for (const EstimatorCase& c : kCases) names.push_back(std::string(kPrefix) + c.name);
  return names;
}

void run_estimator(const Case& c, Context& context) {
  context.variant = format("spe={}", kStepsPerExecution);
  const Data data = make_data(c, c.batch * kBatches);
  const data::Dataset batches = batches_of(c, data);
  run_tpu_estimator(c, batches, context);
  std::vector<double> of_estimator;
  std::vector<double> of_fit;
  std::vector<double> overhead;
  for (int i = 0; i < kRepeats; ++i) {
    of_estimator.push_back(estimator_rate(c, batches));
    of_fit.push_back(fit_rate(c, batches));
    overhead.push_back(100 * (of_fit.back() / of_estimator.back() - 1));
  }
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

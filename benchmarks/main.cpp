// antler_bench CASE: trains the benchmark models with the public API (fit with callbacks) and
// prints one JSON line per result.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <optional>

#include "all_reduce.h"
#include "antler/nn/dtype_policy.h"
#include "cases.h"
#include "coordinator.h"
#include "estimators.h"
#include "latency.h"
#include "models.h"
#include "report.h"
#include "workers.h"

namespace {

using namespace antler;         // NOLINT(google-build-using-namespace)
using namespace antler::bench;  // NOLINT(google-build-using-namespace)

/// Times all epochs but the first, and stops training when there are enough timings.
class EpochTimer : public Callback {
 public:
  std::vector<double> times;
  double loss = 0;
  void on_epoch_begin(int, const Logs&) override { start_ = now(); }
  void on_epoch_end(int epoch, const Logs& logs) override {
    if (epoch > 0) times.push_back(now() - start_);
    loss = *logs.find("loss");
    if (agree(enough(times))) model->set_stop_training(true);
  }

 private:
  double start_ = 0;
};

/// A model with a custom training step.
class CustomStep : public Model {
 public:
  explicit CustomStep(const Model& inner) : inner_(track("inner", inner)) {}
  using Model::call;
  Tensor call(const Tensor& x, const CallOptions& options) override { return inner_(x, options); }
  Logs train_step(const Batch& batch) override {
    GradientTape tape;
    const Nest y_pred = (*this)(batch.x, {.training = true});
    const Tensor loss = compute_loss(batch.x, batch.y, y_pred, batch.sample_weight);
    optimizer().minimize(loss, trainable_variables(), tape);
    return compute_metrics(batch.x, batch.y, y_pred, batch.sample_weight);
  }

 private:
  Model inner_;
};

struct Settings {
  int64_t steps_per_execution = 0;  // 0: that of the case
  bool jit = true;
  bool custom_step = false;
  bool progress = false;
  bool bf16 = false;
  int64_t batch = 0;    // 0: that of the case
  int64_t steps = 0;    // per epoch; 0: those of the case
  int64_t layers = 0;   // hidden layers of an mlp; 0: that of the case
  std::string profile;  // trace file; may be empty
  int workers = 1;
};

void run_walkthrough(Context& context, const Settings& settings) {
  const int64_t spe = settings.steps_per_execution > 0 ? settings.steps_per_execution : 5;
  context.variant = format("spe={}{}", spe, settings.jit ? "" : ",jit=0");
  const Tensor x = Tensor::zeros(DType::float32, {1000, 10});
  const Tensor y = Tensor::full(DType::float32, {1000}, 1);
  const double start = now();
  const Tensor inputs = Input({10});
  Model model(inputs, Dense(1)(inputs));
  model.compile({.optimizer = "sgd",
                 .loss = "mse",
                 .metrics = {"mape"},
                 .steps_per_execution = spe,
                 .jit_compile = settings.jit});
  const auto fit = [&] {
    model.fit(x, y, {.batch_size = 10, .epochs = 10, .verbose = 0, .shuffle = true});
  };
  fit();
  emit(context, "fit_wall_first", now() - start, "s");
  std::vector<double> times;
  for (int i = 0; i < 51; ++i) {
    const double begin = now();
    fit();
    times.push_back(now() - begin);
  }
  const double wall = median(times);
  emit(context, "fit_wall", wall, "s");
  emit(context, "steps_per_s", 1000 / wall, "1/s");
}

void run_training(Case c, Context& context, const Settings& settings) {
  if (settings.batch > 0) {
    c.steps = std::max<int64_t>(c.steps * c.batch / settings.batch, 20);
    c.batch = settings.batch;
  }
  if (settings.steps > 0) c.steps = settings.steps;
  const int64_t spe = settings.steps_per_execution > 0 ? settings.steps_per_execution : c.pack;
  context.variant = format("spe={}", spe);
  if (!settings.jit) context.variant += ",jit=0";
  if (config::deterministic()) context.variant += ",deterministic";
  if (settings.custom_step) context.variant += ",custom_step";
  if (settings.progress) context.variant += ",progress";
  if (settings.bf16) context.variant += ",bf16=1";
  if (settings.batch > 0) context.variant += format(",batch={}", settings.batch);
  if (settings.layers > 0) context.variant += format(",layers={}", settings.layers);
  const double ready = now() - context.start;
  const Data data = make_data(c, c.batch * c.steps);
  const int64_t head = c.batch * std::min(spe, c.steps);
  const double data_mib = peak_rss_mib();
  const double start = now();
  const Model built = settings.layers > 0 ? mlp_of_depth(settings.layers) : c.build();
  CustomStep custom(built);
  Model plain(built);
  Model& model = settings.custom_step ? static_cast<Model&>(custom) : plain;
  CompileArguments options = compile_arguments(c);
  options.steps_per_execution = spe;
  options.jit_compile = settings.jit;
  model.compile(options);
  model.fit(ops::slice_axis(data.x, 0, 0, head), ops::slice_axis(data.y, 0, 0, head),
            {.batch_size = c.batch, .verbose = 0});
  const double first_call = now() - start;
  auto timer = std::make_shared<EpochTimer>();
  model.fit(data.x, data.y,
            {.batch_size = c.batch,
             .epochs = 9,
             .verbose = settings.progress ? 1 : 0,
             .callbacks = {timer}});
  const double step = median(timer->times) / static_cast<double>(c.steps);
  const auto steps = static_cast<double>(c.steps);
  const auto [best, worst] = std::minmax_element(timer->times.begin(), timer->times.end());
  emit(context, "first_call", first_call, "s", format(", \"packed_steps\": {}", spe));
  const double first_step = std::max(first_call - static_cast<double>(spe - 1) * step, 0.0);
  emit(context, "time_to_first_step", first_step, "s");
  // Does not include the time to make the data.
  emit(context, "start_to_first_step", ready + first_step, "s");
  emit(context, "steps_per_s", 1 / step, "1/s",
       format(", \"repeats\": {}, \"best\": {:f}, \"worst\": {:f}", timer->times.size(),
              steps / *best, steps / *worst));
  emit(context, "samples_per_s", static_cast<double>(c.batch) / step, "1/s");
  emit(context, "loss", timer->loss, "");
  emit(context, "data_rss", data_mib, "MiB");
  if (settings.workers > 1) return;
  const ProgramMemory memory = model.memory_plan(
      {ops::slice_axis(data.x, 0, 0, c.batch), ops::slice_axis(data.y, 0, 0, c.batch)});
  emit(context, "planned_memory", static_cast<double>(memory.total()) / (1 << 20), "MiB");
  const auto kernels =
      static_cast<double>(model.make_train_function()
                              .specialize(Nest{ops::slice_axis(data.x, 0, 0, c.batch),
                                               ops::slice_axis(data.y, 0, 0, c.batch), Tensor()})
                              .program()
                              .kernel_count());
  emit(context, "kernels_per_step", kernels, "");
  if (!settings.profile.empty()) {
    Profiler profiler;
    model.fit(data.x, data.y, {.batch_size = c.batch, .verbose = 0});
    const Profile profile = profiler.stop();
    std::fputs(profile.table(measure_machine_limits()).c_str(), stderr);
    profile.write_trace(settings.profile);
  }
  if (c.name == "layers100") emit(context, "time_per_kernel", step / kernels * 1e9, "ns");
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): CLI11 throws for options that contradict each other
int main(int argc, char** argv) {
  CLI::App app("Benchmarks of Antler: one JSON line per result.");
  std::vector<std::string> names;
  Settings settings;
  int threads = 0;
  bool deterministic = false;
  app.add_option("case", names, "Cases; default: all")->check(CLI::IsMember(case_names()));
  std::string device;
  app.add_option("--device", device, "Where functions run: cpu, or pjrt:NAME_OR_PATH[:K]");
  app.add_option("--threads", threads, "Number of CPU threads; 0: all");
  app.add_option("--steps-per-execution", settings.steps_per_execution, "0: that of the case");
  app.add_option("--jit", settings.jit, "0: no fusion across ops");
  app.add_option("--profile", settings.profile,
                 "Profile another epoch: print a table to stderr, write trace events to this file");
  app.add_flag("--custom-step", settings.custom_step, "Use a custom train_step");
  app.add_flag("--progress", settings.progress, "Train with fit's progress bar");
  app.add_option("--batch", settings.batch, "Samples per step; 0: that of the case");
  app.add_option("--steps", settings.steps, "Steps per epoch; 0: those of the case");
  app.add_option("--layers", settings.layers, "Use an mlp with this many hidden layers");
  app.add_flag("--bf16", settings.bf16, "Use the policy mixed_bfloat16");
  app.add_option("--workers", settings.workers,
                 "Processes that train together, each with --threads threads")
      ->check(CLI::PositiveNumber);
  app.add_flag("--deterministic", deterministic, "Same results for any number of threads");
  CLI11_PARSE(app, argc, argv);
  if (names.empty()) names = case_names();
  try {
    if (settings.workers > 1 && !is_worker()) return run_workers(settings.workers, argv);
    if (threads > 0) config::set_threads(threads);
    if (!device.empty()) config::set_device(device);
    config::deterministic(deterministic);
    set_random_seed(0);
    const distribute::Strategy strategy = worker_strategy();
    std::optional<distribute::StrategyScope> scope;
    if (strategy.workers() != nullptr) scope.emplace(strategy);
    if (settings.bf16) mixed_precision::set_global_policy("mixed_bfloat16");
    for (const std::string& name : names) {
      Context context{.case_name = name,
                      .variant = "",
                      .threads = config::threads(),
                      .workers = settings.workers,
                      .is_silent = !strategy.is_chief(),
                      .start = &name == names.data() ? start_time() : now()};
      if (const Case* c = find_case(name)) {
        run_training(*c, context, settings);
      } else if (const Case* of_estimator = find_estimator_case(name)) {
        run_estimator(*of_estimator, context);
      } else if (name == "limits") {
        const MachineLimits limits = measure_machine_limits();
        emit(context, "fma", limits.flops / 1e9, "GFLOP/s");
        emit(context, "triad", limits.bytes / 1e9, "GB/s");
      } else if (name == "predict") {
        run_latencies(context);
      } else if (name == "all_reduce") {
        run_all_reduces(context);
      } else if (name == "coordinator") {
        run_coordinator(context);
      } else {
        run_walkthrough(context, settings);
      }
      emit(context, "peak_rss", peak_rss_mib(), "MiB");
    }
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s: %s\n", error.class_name(), error.what());
    return 1;
  }
}

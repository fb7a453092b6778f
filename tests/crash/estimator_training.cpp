// Training with an Estimator that may be killed at any moment and started again.
//
//   estimator_training train MODEL_DIR MAX_STEPS MILLISECONDS
//   estimator_training check MODEL_DIR
//
// "train" pauses before each step, saves a checkpoint every 10 steps, prints the step from which it
// continues, and a digest of the final variables, which must not depend on the number of kills.
// "check" prints the step of the newest checkpoint, or 0 if there is none. It fails unless all
// checkpoints that the folder lists are complete and recorded in the event files.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "antler/antler.h"
#include "antler/estimator/estimators.h"
#include "antler/io/event_reader.h"
#include "antler/io/tensor_bundle.h"
#include "antler/saving/checkpoint.h"

namespace {

using namespace antler;             // NOLINT(google-build-using-namespace)
using namespace antler::estimator;  // NOLINT(google-build-using-namespace)

constexpr int64_t kRows = 16;
constexpr int64_t kColumns = 256;

/// FNV-1a.
uint64_t digest(uint64_t hash, const Tensor& value) {
  const auto* bytes = static_cast<const unsigned char*>(value.data());
  for (size_t i = 0; i < value.bytes(); ++i) hash = (hash ^ bytes[i]) * 1099511628211ULL;
  return hash;
}

EstimatorSpec model_fn(const ModelFnArgs& args) {
  const Tensor h = Dense(kColumns, {.activation = "tanh"})(args.features.tensor());
  const Tensor y = Dense(1)(h);
  const Tensor loss = estimator::losses::mean_squared_error(args.labels.tensor(), y);
  train::AdamOptimizer optimizer(1e-3);
  return {.mode = args.mode,
          .loss = loss,
          .train_op = optimizer.minimize(loss, {.global_step = get_global_step()})};
}

/// The same batch at every step, so that a restarted run sees the same data.
InputData input_fn() {
  std::vector<float> x(kRows * kColumns);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 37 % 101) / 101.0F;
  const Tensor rows = Tensor::of(x, {kRows, kColumns});
  return {Nest(rows), Nest(ops::mean(rows, {1}, {.keepdims = true}))};
}

/// Slows training down, so that a kill can occur between any two steps.
class Slowly final : public SessionRunHook {
 public:
  explicit Slowly(int milliseconds) : pause_(milliseconds) {}
  void after_create_session(Session& session) override {
    std::printf("from step %lld\n", static_cast<long long>(session.global_step()));
    std::fflush(stdout);
  }
  SessionRunArgs before_run(SessionRunContext& /*context*/) override {
    std::this_thread::sleep_for(pause_);
    return {};
  }
  int64_t steps_until_run(int64_t /*global_step*/) const override { return 1; }

 private:
  std::chrono::milliseconds pause_;
};

int run_training(const std::string& model_dir, int64_t max_steps, int milliseconds) {
  set_random_seed(7);
  const RunConfig config({.save_summary_steps = 5, .save_checkpoints_steps = 10});
  const Estimator estimator(model_fn, {.model_dir = model_dir, .config = config});
  estimator.train(input_fn,
                  {.hooks = {std::make_shared<Slowly>(milliseconds)}, .max_steps = max_steps});
  uint64_t hash = 14695981039346656037ULL;
  for (const std::string& name : estimator.get_variable_names())
    hash = digest(hash, estimator.get_variable_value(name));
  std::printf("%016llx\n", static_cast<unsigned long long>(hash));
  return 0;
}

/// Reads all values, whose checksums must be right. Returns the step.
int64_t read_checkpoint(const std::string& prefix) {
  const io::TensorBundle bundle = io::TensorBundle::open(prefix);
  for (const std::string& key : bundle.keys()) bundle.read(key);
  const auto step = bundle.read("global_step").item<int64_t>();
  if (!prefix.ends_with("-" + std::to_string(step)))
    throw ValueError("{} has the global step {}.", prefix, step);
  return step;
}

int check_folder(const std::string& model_dir) {
  // A process that was killed may have left a part of a record at the end of its file.
  logging::set_warning_sink([](std::string_view text) {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
  });
  std::set<std::string> logged;
  for (const std::string& path : io::event_files(model_dir)) {
    const std::vector<io::Event> events = io::read_event_file(path);
    for (const io::Event& event : events) {
      if (event.session_log && event.session_log->status == io::SessionLog::Status::checkpoint)
        logged.insert(event.session_log->checkpoint_path + "-" + std::to_string(event.step));
    }
  }
  const CheckpointState state = get_checkpoint_state(model_dir);
  int64_t newest = 0;
  for (const std::string& prefix : state.all_model_checkpoint_paths) {
    newest = read_checkpoint(prefix);
    // It is logged when it is complete.
    if (prefix != state.model_checkpoint_path && !logged.contains(prefix))
      throw ValueError("No event file tells of the checkpoint {}.", prefix);
  }
  if (!state.model_checkpoint_path.empty() &&
      state.model_checkpoint_path != state.all_model_checkpoint_paths.back())
    throw ValueError("The newest checkpoint, {}, is not the last one of the list.",
                     state.model_checkpoint_path);
  std::printf("%lld\n", static_cast<long long>(newest));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string action = argc > 1 ? argv[1] : "";
  try {
    config::set_threads(1);
    logging::set_info_sink([](std::string_view) {});
    if (action == "train" && argc == 5)
      return run_training(argv[2], std::atoll(argv[3]), std::atoi(argv[4]));
    if (action == "check" && argc == 3) return check_folder(argv[2]);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s: %s\n", error.class_name(), error.what());
    return 1;
  }
  return 2;
}

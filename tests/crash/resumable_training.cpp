// A training run that may be killed at any moment and started again. Prints a digest of the final
// weights, which must not depend on the number of kills.
//
//   resumable_training BACKUP_DIR SAVE_FREQ STEPS_PER_EXECUTION
//
// SAVE_FREQ is "epoch" or a number of batches.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "antler/antler.h"

namespace {

using namespace antler;  // NOLINT(google-build-using-namespace)

constexpr int64_t kRows = 110;
constexpr int64_t kColumns = 6;

/// FNV-1a over the bytes of all weights.
uint64_t digest(const Tensors& weights) {
  uint64_t hash = 14695981039346656037ULL;
  for (const Tensor& t : weights) {
    const auto* bytes = static_cast<const unsigned char*>(t.data());
    for (size_t i = 0; i < t.bytes(); ++i) hash = (hash ^ bytes[i]) * 1099511628211ULL;
  }
  return hash;
}

/// Slows training down, so that a kill can occur between any two executions.
class Slowly : public Callback {
 public:
  void on_train_batch_begin(int, const Logs&) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string freq = argv[2];
  const callbacks::SaveFreq save_freq =
      freq == "epoch" ? callbacks::SaveFreq("epoch") : callbacks::SaveFreq(std::atoi(argv[2]));
  try {
    config::set_threads(1);
    logging::set_warning_sink([](std::string_view) {});  // its hooks are slow on purpose
    // This seed is for the initial weights, which must be the same in all processes. The data order
    // of a killed process comes from its backup: a second process begins with a different seed.
    set_random_seed(7);
    const Tensor inputs = Input({kColumns});
    Tensor h = Dense(16, {.activation = "relu"})(inputs);
    h = Dropout(0.3, {.seed = 5})(h);
    Model model(inputs, Dense(1)(BatchNormalization()(h)));
    model.compile({.optimizer = "adam",
                   .loss = "mse",
                   .metrics = {"mae"},
                   .steps_per_execution = int64_t{std::atoi(argv[3])}});
    std::vector<float> x(kRows * kColumns);
    std::vector<float> y(kRows);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 37 % 101) / 101.0F;
    for (size_t i = 0; i < y.size(); ++i) y[i] = x[i * kColumns] - x[i * kColumns + 3];
    set_random_seed(
        static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()));
    if (const char* seed = std::getenv("RESUMABLE_TRAINING_SEED")) {
      if (!std::strcmp(seed, "fixed")) set_random_seed(11);
    }
    model.fit(Tensor::of(x, {kRows, kColumns}), Tensor::of(y, {kRows, 1}),
              {.batch_size = 10,
               .epochs = 6,
               .verbose = 0,
               .callbacks = {
                   callbacks::BackupAndRestore(argv[1], {.save_freq = save_freq}),
                   callbacks::ReduceLROnPlateau({.monitor = "loss", .factor = 0.5, .patience = 1}),
                   Slowly()}});
    std::printf("%016llx\n", static_cast<unsigned long long>(digest(model.get_weights())));
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s: %s\n", error.class_name(), error.what());
    return 1;
  }
}

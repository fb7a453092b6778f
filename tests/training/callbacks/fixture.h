#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <unistd.h>

#include "antler/antler.h"

namespace antler {

/// Dense(1) without bias, compiled with SGD, mse and mae; the output and warnings of callbacks; a
/// folder.
class CallbackBench {
 public:
  explicit CallbackBench(double learning_rate = 0.1)
      : model({Input({1}), Dense(1, {.use_bias = false})}),
        folder_(std::filesystem::temp_directory_path() /
                ("antler_callbacks_" + std::to_string(getpid()) + "_" +
                 std::to_string(reinterpret_cast<uintptr_t>(this)))) {
    set_weight(1);
    model.compile({.optimizer = optimizers::SGD({.learning_rate = learning_rate}),
                   .loss = "mse",
                   .metrics = {"mae"}});
    const Tensor x = Tensor::zeros(DType::float32, {1, 1});
    model.test_on_batch(x, x);  // metrics exist from the first step on
    std::filesystem::create_directories(folder_);
    logging::set_sink([this](std::string_view text) { printed += text; });
    logging::set_warning_sink([this](std::string_view text) { warned += text; });
  }
  CallbackBench(const CallbackBench&) = delete;
  CallbackBench& operator=(const CallbackBench&) = delete;
  ~CallbackBench() {
    logging::set_sink({});
    logging::set_warning_sink({});
    std::filesystem::remove_all(folder_);
  }

  /// Calls the hooks of a training run whose epochs end with these values, until it stops. Returns
  /// the number of epochs.
  int64_t epochs(Callback& callback, const std::string& name, const std::vector<double>& values,
                 bool end = true) {
    const CallbackPtr borrowed(&callback, [](Callback*) {});
    CallbackList list({borrowed}, /*add_history=*/false, /*add_progbar=*/false, &model,
                      {.verbose = 1, .epochs = std::ssize(values), .steps = 1});
    model.set_stop_training(false);
    list.on_train_begin();
    int64_t epoch = 0;
    while (epoch < std::ssize(values) && !model.stop_training()) {
      list.on_epoch_begin(epoch);
      if (before_epoch_end) before_epoch_end(epoch);
      const Logs logs =
          list.on_epoch_end(epoch, HostLogs{{name, values[static_cast<size_t>(epoch)]}});
      if (after_epoch_end) after_epoch_end(logs);
      ++epoch;
    }
    if (end) list.on_train_end();
    return epoch;
  }

  void set_weight(float value) {
    model.set_weights({Tensor::of(std::vector<float>{value}, {1, 1})});
  }
  double weight() const { return model.get_weights()[0].item(); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::vector<std::string> files(const std::string& folder) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / folder))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  Sequential model;
  std::string printed;
  std::string warned;
  std::function<void(int64_t epoch)> before_epoch_end;
  std::function<void(const Logs& logs)> after_epoch_end;

 private:
  std::filesystem::path folder_;
};

}  // namespace antler

#pragma once

#include <functional>

#include "antler/training/callback.h"

namespace antler::callbacks {

struct LambdaCallbackOptions {
  std::function<void(int64_t epoch, HostLogs& logs)> on_epoch_begin = {};
  std::function<void(int64_t epoch, HostLogs& logs)> on_epoch_end = {};
  std::function<void(int64_t batch, HostLogs& logs)> on_batch_begin = {};
  std::function<void(int64_t batch, HostLogs& logs)> on_batch_end = {};
  std::function<void(HostLogs& logs)> on_train_begin = {};
  std::function<void(HostLogs& logs)> on_train_end = {};
};

/// Hooks from functions (Keras's LambdaCallback).
class LambdaCallback : public Callback {
 public:
  explicit LambdaCallback(LambdaCallbackOptions options) : options_(std::move(options)) {}
  void on_epoch_begin(int64_t epoch, HostLogs& logs) override;
  void on_epoch_end(int64_t epoch, HostLogs& logs) override;
  void on_batch_begin(int64_t batch, HostLogs& logs) override;
  void on_batch_end(int64_t batch, HostLogs& logs) override;
  void on_train_begin(HostLogs& logs) override;
  void on_train_end(HostLogs& logs) override;

 private:
  LambdaCallbackOptions options_;
};

}  // namespace antler::callbacks

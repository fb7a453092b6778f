#pragma once

#include <functional>
#include <utility>

#include "antler/training/callback.h"

namespace antler::callbacks {

/// Options of LambdaCallback.
struct LambdaCallbackOptions {
  using EpochHook = std::function<void(int epoch, const Logs& logs)>;
  using BatchHook = std::function<void(int batch, const Logs& logs)>;
  using Hook = std::function<void(const Logs& logs)>;
  EpochHook on_epoch_begin = {};
  EpochHook on_epoch_end = {};
  BatchHook on_batch_begin = {};  ///< called unless on_train_batch_begin is given
  BatchHook on_batch_end = {};    ///< called unless on_train_batch_end is given
  Hook on_train_begin = {};
  Hook on_train_end = {};
  BatchHook on_train_batch_begin = {};
  BatchHook on_train_batch_end = {};
  Hook on_test_begin = {};
  Hook on_test_end = {};
  BatchHook on_test_batch_begin = {};
  BatchHook on_test_batch_end = {};
  Hook on_predict_begin = {};
  Hook on_predict_end = {};
  BatchHook on_predict_batch_begin = {};
  std::function<void(int batch, const Nest& outputs)> on_predict_batch_end = {};
};

/// Hooks from functions (Keras's LambdaCallback).
class LambdaCallback : public Callback {
 public:
  explicit LambdaCallback(LambdaCallbackOptions options) : options_(std::move(options)) {}
  void on_epoch_begin(int epoch, const Logs& logs) override;
  void on_epoch_end(int epoch, const Logs& logs) override;
  void on_train_begin(const Logs& logs) override;
  void on_train_end(const Logs& logs) override;
  void on_train_batch_begin(int batch, const Logs& logs) override;
  void on_train_batch_end(int batch, const Logs& logs) override;
  void on_test_begin(const Logs& logs) override;
  void on_test_end(const Logs& logs) override;
  void on_test_batch_begin(int batch, const Logs& logs) override;
  void on_test_batch_end(int batch, const Logs& logs) override;
  void on_predict_begin(const Logs& logs) override;
  void on_predict_end(const Logs& logs) override;
  void on_predict_batch_begin(int batch, const Logs& logs) override;
  void on_predict_batch_end(int batch, const Nest& outputs) override;
  bool uses(BatchHook hook) const override;

 private:
  LambdaCallbackOptions options_;
};

}  // namespace antler::callbacks

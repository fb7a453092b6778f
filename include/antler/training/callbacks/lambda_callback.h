#pragma once

#include <functional>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/training/callback.h"

namespace antler::callbacks {

/// Options of LambdaCallback.
struct LambdaCallbackOptions {
  using EpochHook = std::function<void(int epoch, const Logs& logs)>;
  using BatchHook = std::function<void(int batch, const Logs& logs)>;
  using Hook = std::function<void(const Logs& logs)>;
  EpochHook on_epoch_begin = {};          ///< before an epoch, numbered from 0
  EpochHook on_epoch_end = {};            ///< after it, with its losses and metrics
  BatchHook on_batch_begin = {};          ///< called unless on_train_batch_begin is given
  BatchHook on_batch_end = {};            ///< called unless on_train_batch_end is given
  Hook on_train_begin = {};               ///< when fit() begins
  Hook on_train_end = {};                 ///< when fit() ends, with the last epoch's logs
  BatchHook on_train_batch_begin = {};    ///< before a batch of an epoch, numbered from 0
  BatchHook on_train_batch_end = {};      ///< after it, with the means since the epoch began
  Hook on_test_begin = {};                ///< when an evaluation begins, also that of fit()
  Hook on_test_end = {};                  ///< when it ends, with its results
  BatchHook on_test_batch_begin = {};     ///< before a batch of an evaluation
  BatchHook on_test_batch_end = {};       ///< after it, with the means so far
  Hook on_predict_begin = {};             ///< when predict() begins
  Hook on_predict_end = {};               ///< when predict() ends
  BatchHook on_predict_batch_begin = {};  ///< before a batch of predict()
  /// After it, with what the model returned for it.
  std::function<void(int batch, const Nest& outputs)> on_predict_batch_end = {};
};

/// Hooks from functions (Keras's LambdaCallback).
class LambdaCallback : public Callback {
 public:
  explicit LambdaCallback(LambdaCallbackOptions options) : options_(std::move(options)) {}
  ANTLER_KEYWORD_CONSTRUCTOR(LambdaCallback, LambdaCallbackOptions)
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

#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "antler/core/nest.h"
#include "antler/training/history.h"
#include "antler/training/logs.h"

namespace antler {

class Model;

/// Hooks that fit, evaluate and predict call. Override what you need. All callbacks of a run get
/// the same logs, in list order: an earlier one can add entries that later ones see.
///
/// With steps_per_execution = n, batch hooks come once per execution: `on_*_batch_begin` with the
/// index of its first batch, `on_*_batch_end` with that of its last.
class Callback {
 public:
  virtual ~Callback() = default;

  /// What the run was asked for; set before on_*_begin.
  History::Params params;
  /// The model that runs; never null inside of a hook.
  Model* model = nullptr;

  virtual void on_train_begin(HostLogs& logs);
  virtual void on_train_end(HostLogs& logs);
  virtual void on_epoch_begin(int64_t epoch, HostLogs& logs);
  virtual void on_epoch_end(int64_t epoch, HostLogs& logs);
  virtual void on_train_batch_begin(int64_t batch, HostLogs& logs);  ///< calls on_batch_begin
  virtual void on_train_batch_end(int64_t batch, HostLogs& logs);    ///< calls on_batch_end
  virtual void on_batch_begin(int64_t batch, HostLogs& logs);
  virtual void on_batch_end(int64_t batch, HostLogs& logs);
  virtual void on_test_begin(HostLogs& logs);
  virtual void on_test_end(HostLogs& logs);
  virtual void on_test_batch_begin(int64_t batch, HostLogs& logs);
  virtual void on_test_batch_end(int64_t batch, HostLogs& logs);
  virtual void on_predict_begin(HostLogs& logs);
  virtual void on_predict_end(HostLogs& logs);
  virtual void on_predict_batch_begin(int64_t batch, HostLogs& logs);
  virtual void on_predict_batch_end(int64_t batch, const Nest& outputs);
};
using CallbackPtr = std::shared_ptr<Callback>;

/// Element of a list of callbacks: any callback by value, or a pointer to one that the caller
/// keeps.
class CallbackHandle {
 public:
  template <std::derived_from<Callback> C>
  CallbackHandle(
      C callback)  // NOLINT(google-explicit-constructor): lists of callbacks are written as values
      : callback_(std::make_shared<C>(std::move(callback))) {}
  template <std::derived_from<Callback> C>
  CallbackHandle(std::shared_ptr<C> callback)  // NOLINT(google-explicit-constructor)
      : callback_(std::move(callback)) {}
  const CallbackPtr& get() const { return callback_; }

 private:
  CallbackPtr callback_;
};
using Callbacks = std::vector<CallbackHandle>;

/// Calls the hooks of several callbacks in order. fit appends History and the progress bar to the
/// user's.
class CallbackList {
 public:
  CallbackList(const Callbacks& callbacks, bool add_history, bool add_progbar, Model* model,
               const History::Params& params);

  void on_train_begin();
  void on_train_end(HostLogs& logs);
  void on_epoch_begin(int64_t epoch);
  void on_epoch_end(int64_t epoch, HostLogs& logs);
  void on_train_batch_begin(int64_t batch);
  void on_train_batch_end(int64_t batch, HostLogs& logs);
  void on_test_begin();
  void on_test_end(HostLogs& logs);
  void on_test_batch_begin(int64_t batch);
  void on_test_batch_end(int64_t batch, HostLogs& logs);
  void on_predict_begin();
  void on_predict_end();
  void on_predict_batch_begin(int64_t batch);
  void on_predict_batch_end(int64_t batch, const Nest& outputs);

  bool empty() const { return callbacks_.empty(); }
  void append(CallbackPtr callback);
  /// Tells all callbacks the number of steps, once it is known.
  void set_steps(int64_t steps);

 private:
  std::vector<CallbackPtr> callbacks_;
  Model* model_;
  History::Params params_;
};

}  // namespace antler

#include "antler/training/callback.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/training/callbacks/progbar_logger.h"
#include "training/callbacks/history_callback.h"

namespace antler {
namespace {

constexpr int64_t kTimedBatches = 5;
/// Faster hooks are not worth a word, however short the batches are.
constexpr double kLeastSlowSeconds = 1e-3;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void check_callback(const CallbackHandle& callback) {
  if (callback.get() == nullptr)
    throw TypeError("`callbacks` holds a null pointer; expected callbacks.");
}

}  // namespace

Json Callback::get_state() const { return nullptr; }
void Callback::set_state(const Json&) {}
// Each hook is that of who only reads the logs.
void Callback::on_train_begin(HostLogs& logs) { on_train_begin(std::as_const(logs)); }
void Callback::on_train_end(HostLogs& logs) { on_train_end(std::as_const(logs)); }
void Callback::on_epoch_begin(int64_t index, HostLogs& logs) {
  on_epoch_begin(index, std::as_const(logs));
}
void Callback::on_epoch_end(int64_t index, HostLogs& logs) {
  on_epoch_end(index, std::as_const(logs));
}
void Callback::on_train_batch_begin(int64_t index, HostLogs& logs) {
  on_train_batch_begin(index, std::as_const(logs));
}
void Callback::on_train_batch_end(int64_t index, HostLogs& logs) {
  on_train_batch_end(index, std::as_const(logs));
}
void Callback::on_batch_begin(int64_t index, HostLogs& logs) {
  on_batch_begin(index, std::as_const(logs));
}
void Callback::on_batch_end(int64_t index, HostLogs& logs) {
  on_batch_end(index, std::as_const(logs));
}
void Callback::on_test_begin(HostLogs& logs) { on_test_begin(std::as_const(logs)); }
void Callback::on_test_end(HostLogs& logs) { on_test_end(std::as_const(logs)); }
void Callback::on_test_batch_begin(int64_t index, HostLogs& logs) {
  on_test_batch_begin(index, std::as_const(logs));
}
void Callback::on_test_batch_end(int64_t index, HostLogs& logs) {
  on_test_batch_end(index, std::as_const(logs));
}
void Callback::on_predict_begin(HostLogs& logs) { on_predict_begin(std::as_const(logs)); }
void Callback::on_predict_end(HostLogs& logs) { on_predict_end(std::as_const(logs)); }
void Callback::on_predict_batch_begin(int64_t index, HostLogs& logs) {
  on_predict_batch_begin(index, std::as_const(logs));
}

void Callback::on_train_begin(const HostLogs&) {}
void Callback::on_train_end(const HostLogs&) {}
void Callback::on_epoch_begin(int64_t, const HostLogs&) {}
void Callback::on_epoch_end(int64_t, const HostLogs&) {}
void Callback::on_train_batch_begin(int64_t batch, const HostLogs& logs) {
  on_batch_begin(batch, const_cast<HostLogs&>(logs));  // they came through the hook that may write
}
void Callback::on_train_batch_end(int64_t batch, const HostLogs& logs) {
  on_batch_end(batch, const_cast<HostLogs&>(logs));  // they came through the hook that may write
}
void Callback::on_batch_begin(int64_t, const HostLogs&) {}
void Callback::on_batch_end(int64_t, const HostLogs&) {}
void Callback::on_test_begin(const HostLogs&) {}
void Callback::on_test_end(const HostLogs&) {}
void Callback::on_test_batch_begin(int64_t, const HostLogs&) {}
void Callback::on_test_batch_end(int64_t, const HostLogs&) {}
void Callback::on_predict_begin(const HostLogs&) {}
void Callback::on_predict_end(const HostLogs&) {}
void Callback::on_predict_batch_begin(int64_t, const HostLogs&) {}
void Callback::on_predict_batch_end(int64_t, const Nest&) {}

CallbackList::CallbackList(const Callbacks& callbacks, bool add_history, bool add_progbar,
                           Model* model, const History::Params& params)
    : callbacks_(callbacks.handles()), model_(model), params_(params) {
  for (const CallbackHandle& c : callbacks_) check_callback(c);
  const auto has = [&]<class C>() {
    return std::any_of(callbacks_.begin(), callbacks_.end(), [](const CallbackHandle& c) {
      return dynamic_cast<C*>(c.get().get()) != nullptr;
    });
  };
  if (add_history && !has.template operator()<HistoryCallback>())
    callbacks_.emplace_back(std::make_shared<HistoryCallback>());
  if (add_progbar && !has.template operator()<callbacks::ProgbarLogger>())
    callbacks_.emplace_back(std::make_shared<callbacks::ProgbarLogger>());
  std::stable_partition(callbacks_.begin(), callbacks_.end(),
                        [](const CallbackHandle& c) { return !c.get()->runs_last(); });
  set_model(model);
  set_params(params);
}

void CallbackList::append(CallbackHandle callback) {
  check_callback(callback);
  callback.get()->model = model_;
  callback.get()->params = params_;
  callback.get()->list = this;
  auto at = callbacks_.end();
  while (!callback.get()->runs_last() && at != callbacks_.begin() &&
         std::prev(at)->get()->runs_last())
    --at;
  callbacks_.insert(at, std::move(callback));
}

void CallbackList::set_model(Model* model) {
  model_ = model;
  for (const CallbackHandle& c : callbacks_) {
    c.get()->model = model;
    c.get()->list = this;
  }
}

void CallbackList::set_params(const History::Params& params) {
  params_ = params;
  for (const CallbackHandle& c : callbacks_) c.get()->params = params;
}

void CallbackList::set_steps(int64_t steps) {
  params_.steps = steps;
  set_params(params_);
}

void CallbackList::Stopwatch::start(bool on) { on_ = on && batches_ < kTimedBatches; }

template <class Hooks>
void CallbackList::Stopwatch::begin(const char* name, Hooks call) {
  if (!on_) return call();
  const double start = seconds_now();
  call();
  batch_start_ = seconds_now();
  begin_seconds_ += batch_start_ - start;
  begin_name_ = name;
}

template <class Hooks>
void CallbackList::Stopwatch::end(const char* name, Hooks call) {
  if (!on_) return call();
  const double start = seconds_now();
  batch_seconds_ += start - batch_start_;
  call();
  end_seconds_ += seconds_now() - start;
  if (++batches_ < kTimedBatches) return;
  on_ = false;
  check(begin_name_, begin_seconds_);
  check(name, end_seconds_);
}

void CallbackList::Stopwatch::check(const char* name, double seconds) {
  const auto batches = static_cast<double>(batches_);
  if (seconds <= batch_seconds_ || seconds < kLeastSlowSeconds * batches) return;
  char text[256];
  std::snprintf(text, sizeof text,
                "Callback method `%s` is slow compared to the batch time (batch time: %.4fs vs "
                "`%s` time: %.4fs). Check your callbacks.",
                name, batch_seconds_ / batches, name, seconds / batches);
  logging::warning(text);
}

bool CallbackList::is_users(BatchHook begin, BatchHook end) const {
  const auto own = [](const Callback* c) {
    return dynamic_cast<const callbacks::ProgbarLogger*>(c) == nullptr;
  };
  return std::any_of(users(begin).begin(), users(begin).end(), own) ||
         std::any_of(users(end).begin(), users(end).end(), own);
}

void CallbackList::find_users() {
  for (size_t i = 0; i < kBatchHooks; ++i) {
    const auto hook = static_cast<BatchHook>(i);
    users_[i].clear();
    reads_logs_[i] = false;
    for (const CallbackHandle& c : callbacks_) {
      if (!c.overrides(hook) || !c.get()->uses(hook)) continue;
      users_[i].push_back(c.get().get());
      reads_logs_[i] = reads_logs_[i] || c.get()->reads_batch_logs();
    }
  }
}

void CallbackList::on_train_begin() {
  HostLogs logs;
  for (const CallbackHandle& c : callbacks_) c.get()->on_train_begin(logs);
  find_users();
  stopwatches_[0].start(is_users(BatchHook::train_begin, BatchHook::train_end));
}
void CallbackList::on_train_end(HostLogs& logs) {
  for (const CallbackHandle& c : callbacks_) c.get()->on_train_end(logs);
}
void CallbackList::on_epoch_begin(int64_t epoch) {
  HostLogs logs;
  for (const CallbackHandle& c : callbacks_) c.get()->on_epoch_begin(epoch, logs);
}
void CallbackList::on_epoch_end(int64_t epoch, HostLogs& logs) {
  for (const CallbackHandle& c : callbacks_) c.get()->on_epoch_end(epoch, logs);
}
void CallbackList::on_train_batch_begin(int64_t batch) {
  HostLogs logs;
  stopwatches_[0].begin("on_train_batch_begin", [&] {
    for (Callback* c : users(BatchHook::train_begin)) c->on_train_batch_begin(batch, logs);
  });
}
void CallbackList::on_train_batch_end(int64_t batch, HostLogs& logs) {
  stopwatches_[0].end("on_train_batch_end", [&] {
    for (Callback* c : users(BatchHook::train_end)) c->on_train_batch_end(batch, logs);
  });
}
void CallbackList::on_test_begin() {
  HostLogs logs;
  for (const CallbackHandle& c : callbacks_) c.get()->on_test_begin(logs);
  find_users();
  stopwatches_[1].start(is_users(BatchHook::test_begin, BatchHook::test_end));
}
void CallbackList::on_test_end(HostLogs& logs) {
  for (const CallbackHandle& c : callbacks_) c.get()->on_test_end(logs);
}
void CallbackList::on_test_batch_begin(int64_t batch) {
  HostLogs logs;
  stopwatches_[1].begin("on_test_batch_begin", [&] {
    for (Callback* c : users(BatchHook::test_begin)) c->on_test_batch_begin(batch, logs);
  });
}
void CallbackList::on_test_batch_end(int64_t batch, HostLogs& logs) {
  stopwatches_[1].end("on_test_batch_end", [&] {
    for (Callback* c : users(BatchHook::test_end)) c->on_test_batch_end(batch, logs);
  });
}
void CallbackList::on_predict_begin() {
  HostLogs logs;
  for (const CallbackHandle& c : callbacks_) c.get()->on_predict_begin(logs);
  find_users();
  stopwatches_[2].start(is_users(BatchHook::predict_begin, BatchHook::predict_end));
}
void CallbackList::on_predict_end() {
  HostLogs logs;
  for (const CallbackHandle& c : callbacks_) c.get()->on_predict_end(logs);
}
void CallbackList::on_predict_batch_begin(int64_t batch) {
  HostLogs logs;
  stopwatches_[2].begin("on_predict_batch_begin", [&] {
    for (Callback* c : users(BatchHook::predict_begin)) c->on_predict_batch_begin(batch, logs);
  });
}
void CallbackList::on_predict_batch_end(int64_t batch, const Nest& outputs) {
  stopwatches_[2].end("on_predict_batch_end", [&] {
    for (Callback* c : users(BatchHook::predict_end)) c->on_predict_batch_end(batch, outputs);
  });
}

}  // namespace antler

#include "antler/training/callback.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/distribute/strategy.h"
#include "antler/training/callbacks/progbar_logger.h"
#include "antler/training/model.h"
#include "training/callbacks/history_callback.h"

namespace antler {
namespace {

constexpr int64_t kTimedBatches = 5;
/// Hooks faster than this cause no warning, however short the batches are.
constexpr double kLeastSlowSeconds = 1e-3;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void check_callback(const CallbackHandle& callback) {
  if (callback.get() == nullptr)
    throw TypeError("`callbacks` contains a null pointer; expected callbacks.");
}

}  // namespace

Json Callback::get_state() const { return nullptr; }
void Callback::take_over(std::optional<int64_t> ended, const Logs& logs) {
  if (!chief_only()) return;
  on_train_begin({});
  if (ended) on_epoch_end(static_cast<int>(*ended), logs);
}
void Callback::add_log(const std::string& name, double value) {
  add_log(name, Tensor::full(DType::float64, {}, value));
}

void CallbackHandle::throw_destroyed() {
  throw RuntimeError(
      "A callback in the list was destroyed before the run: a list refers to a callback that is a "
      "variable. Let the variable live as long as the list, or add `std::move(callback)` or a "
      "std::shared_ptr.");
}

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

bool CallbackList::is_async(BatchHook begin, BatchHook end) const {
  const auto is_safe = [](const Callback* c) { return c->async_safe(); };
  return std::all_of(users(begin).begin(), users(begin).end(), is_safe) &&
         std::all_of(users(end).begin(), users(end).end(), is_safe);
}

bool CallbackList::may_stop_alone() const {
  const auto alone = [](const Callback* c) { return !c->chief_only() && !c->decides_by_logs(); };
  return std::any_of(users(BatchHook::train_begin).begin(), users(BatchHook::train_begin).end(),
                     alone) ||
         std::any_of(users(BatchHook::train_end).begin(), users(BatchHook::train_end).end(), alone);
}

void CallbackList::chief_changed(std::optional<int64_t> ended, const Logs& logs) {
  if (model_->distribute_strategy().is_chief())
    for (const CallbackHandle& c : callbacks_) c.get()->take_over(ended, logs);
  find_users();
}

void CallbackList::find_users() {
  for (size_t i = 0; i < users_.size(); ++i) {
    const auto hook = static_cast<BatchHook>(i);
    users_[i].clear();
    for (const CallbackHandle& c : callbacks_) {
      if (c.overrides(hook) && takes_part(*c.get()) && c.get()->uses(hook))
        users_[i].push_back(c.get().get());
    }
  }
}

bool CallbackList::takes_part(const Callback& callback) const {
  return !callback.chief_only() || model_ == nullptr || model_->distribute_strategy().is_chief();
}

std::vector<Callback*> CallbackList::all() const {
  std::vector<Callback*> pointers;
  for (const CallbackHandle& c : callbacks_) {
    if (takes_part(*c.get())) pointers.push_back(c.get().get());
  }
  return pointers;
}

namespace {
/// The number of an epoch or batch as hooks get it.
int hook_index(int64_t index) {
  return static_cast<int>(std::min<int64_t>(index, std::numeric_limits<int>::max()));
}
}  // namespace

template <class Hook, class... Index>
Logs CallbackList::call(const std::vector<Callback*>& callbacks, Hook hook, Logs logs,
                        Index... index) {
  for (Callback* c : callbacks) {
    (c->*hook)(index..., logs);
    for (const auto& [name, value] : std::exchange(c->added_, {}).entries()) logs[name] = value;
  }
  return logs;
}

void CallbackList::on_train_begin(Logs logs) {
  call(all(), &Callback::on_train_begin, std::move(logs));
  find_users();
  stopwatches_[0].start(is_users(BatchHook::train_begin, BatchHook::train_end));
}
Logs CallbackList::on_train_end(Logs logs) {
  return call(all(), &Callback::on_train_end, std::move(logs));
}
void CallbackList::on_epoch_begin(int64_t epoch, Logs logs) {
  call(all(), &Callback::on_epoch_begin, std::move(logs), hook_index(epoch));
}
Logs CallbackList::on_epoch_end(int64_t epoch, Logs logs) {
  return call(all(), &Callback::on_epoch_end, std::move(logs), hook_index(epoch));
}
void CallbackList::on_train_batch_begin(int64_t batch, Logs logs) {
  stopwatches_[0].begin("on_train_batch_begin", [&] {
    call(users(BatchHook::train_begin), &Callback::on_train_batch_begin, std::move(logs),
         hook_index(batch));
  });
}
Logs CallbackList::on_train_batch_end(int64_t batch, Logs logs) {
  stopwatches_[0].end("on_train_batch_end", [&] {
    logs = call(users(BatchHook::train_end), &Callback::on_train_batch_end, std::move(logs),
                hook_index(batch));
  });
  return logs;
}
void CallbackList::on_test_begin(Logs logs) {
  call(all(), &Callback::on_test_begin, std::move(logs));
  find_users();
  stopwatches_[1].start(is_users(BatchHook::test_begin, BatchHook::test_end));
}
Logs CallbackList::on_test_end(Logs logs) {
  return call(all(), &Callback::on_test_end, std::move(logs));
}
void CallbackList::on_test_batch_begin(int64_t batch, Logs logs) {
  stopwatches_[1].begin("on_test_batch_begin", [&] {
    call(users(BatchHook::test_begin), &Callback::on_test_batch_begin, std::move(logs),
         hook_index(batch));
  });
}
Logs CallbackList::on_test_batch_end(int64_t batch, Logs logs) {
  stopwatches_[1].end("on_test_batch_end", [&] {
    logs = call(users(BatchHook::test_end), &Callback::on_test_batch_end, std::move(logs),
                hook_index(batch));
  });
  return logs;
}
void CallbackList::on_predict_begin(Logs logs) {
  call(all(), &Callback::on_predict_begin, std::move(logs));
  find_users();
  stopwatches_[2].start(is_users(BatchHook::predict_begin, BatchHook::predict_end));
}
Logs CallbackList::on_predict_end(Logs logs) {
  return call(all(), &Callback::on_predict_end, std::move(logs));
}
void CallbackList::on_predict_batch_begin(int64_t batch, Logs logs) {
  stopwatches_[2].begin("on_predict_batch_begin", [&] {
    call(users(BatchHook::predict_begin), &Callback::on_predict_batch_begin, std::move(logs),
         hook_index(batch));
  });
}
void CallbackList::on_predict_batch_end(int64_t batch, const Nest& outputs) {
  stopwatches_[2].end("on_predict_batch_end", [&] {
    for (Callback* c : users(BatchHook::predict_end))
      c->on_predict_batch_end(hook_index(batch), outputs);
  });
}

}  // namespace antler

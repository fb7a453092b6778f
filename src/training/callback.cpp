#include "antler/training/callback.h"

#include <algorithm>

#include "antler/training/callbacks/progbar_logger.h"
#include "training/callbacks/history_callback.h"

namespace antler {

void Callback::on_train_begin(HostLogs&) {}
void Callback::on_train_end(HostLogs&) {}
void Callback::on_epoch_begin(int64_t, HostLogs&) {}
void Callback::on_epoch_end(int64_t, HostLogs&) {}
void Callback::on_train_batch_begin(int64_t batch, HostLogs& logs) { on_batch_begin(batch, logs); }
void Callback::on_train_batch_end(int64_t batch, HostLogs& logs) { on_batch_end(batch, logs); }
void Callback::on_batch_begin(int64_t, HostLogs&) {}
void Callback::on_batch_end(int64_t, HostLogs&) {}
void Callback::on_test_begin(HostLogs&) {}
void Callback::on_test_end(HostLogs&) {}
void Callback::on_test_batch_begin(int64_t, HostLogs&) {}
void Callback::on_test_batch_end(int64_t, HostLogs&) {}
void Callback::on_predict_begin(HostLogs&) {}
void Callback::on_predict_end(HostLogs&) {}
void Callback::on_predict_batch_begin(int64_t, HostLogs&) {}
void Callback::on_predict_batch_end(int64_t, const Nest&) {}

CallbackList::CallbackList(const Callbacks& callbacks, bool add_history, bool add_progbar,
                           Model* model, const History::Params& params)
    : model_(model), params_(params) {
  for (const CallbackHandle& handle : callbacks) append(handle.get());
  const auto has = [&]<class C>() {
    return std::any_of(callbacks_.begin(), callbacks_.end(),
                       [](const CallbackPtr& c) { return dynamic_cast<C*>(c.get()) != nullptr; });
  };
  if (add_history && !has.template operator()<HistoryCallback>())
    append(std::make_shared<HistoryCallback>());
  if (add_progbar && !has.template operator()<callbacks::ProgbarLogger>()) {
    append(std::make_shared<callbacks::ProgbarLogger>());
  }
}

void CallbackList::append(CallbackPtr callback) {
  callback->model = model_;
  callback->params = params_;
  callbacks_.push_back(std::move(callback));
}

void CallbackList::set_steps(int64_t steps) {
  params_.steps = steps;
  for (const CallbackPtr& c : callbacks_) c->params.steps = steps;
}

void CallbackList::on_train_begin() {
  HostLogs logs;
  for (const CallbackPtr& c : callbacks_) c->on_train_begin(logs);
}
void CallbackList::on_train_end(HostLogs& logs) {
  for (const CallbackPtr& c : callbacks_) c->on_train_end(logs);
}
void CallbackList::on_epoch_begin(int64_t epoch) {
  HostLogs logs;
  for (const CallbackPtr& c : callbacks_) c->on_epoch_begin(epoch, logs);
}
void CallbackList::on_epoch_end(int64_t epoch, HostLogs& logs) {
  for (const CallbackPtr& c : callbacks_) c->on_epoch_end(epoch, logs);
}
void CallbackList::on_train_batch_begin(int64_t batch) {
  HostLogs logs;
  for (const CallbackPtr& c : callbacks_) c->on_train_batch_begin(batch, logs);
}
void CallbackList::on_train_batch_end(int64_t batch, HostLogs& logs) {
  for (const CallbackPtr& c : callbacks_) c->on_train_batch_end(batch, logs);
}
void CallbackList::on_test_begin() {
  HostLogs logs;
  for (const CallbackPtr& c : callbacks_) c->on_test_begin(logs);
}
void CallbackList::on_test_end(HostLogs& logs) {
  for (const CallbackPtr& c : callbacks_) c->on_test_end(logs);
}
void CallbackList::on_test_batch_begin(int64_t batch) {
  HostLogs logs;
  for (const CallbackPtr& c : callbacks_) c->on_test_batch_begin(batch, logs);
}
void CallbackList::on_test_batch_end(int64_t batch, HostLogs& logs) {
  for (const CallbackPtr& c : callbacks_) c->on_test_batch_end(batch, logs);
}
void CallbackList::on_predict_begin() {
  HostLogs logs;
  for (const CallbackPtr& c : callbacks_) c->on_predict_begin(logs);
}
void CallbackList::on_predict_end() {
  HostLogs logs;
  for (const CallbackPtr& c : callbacks_) c->on_predict_end(logs);
}
void CallbackList::on_predict_batch_begin(int64_t batch) {
  HostLogs logs;
  for (const CallbackPtr& c : callbacks_) c->on_predict_batch_begin(batch, logs);
}
void CallbackList::on_predict_batch_end(int64_t batch, const Nest& outputs) {
  for (const CallbackPtr& c : callbacks_) c->on_predict_batch_end(batch, outputs);
}

}  // namespace antler

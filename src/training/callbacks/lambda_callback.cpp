#include "antler/training/callbacks/lambda_callback.h"

namespace antler::callbacks {
namespace {

template <class Hook, class... Arguments>
void call(const Hook& hook, Arguments&&... arguments) {
  if (hook) hook(std::forward<Arguments>(arguments)...);
}

}  // namespace

void LambdaCallback::on_epoch_begin(int epoch, const Logs& logs) {
  call(options_.on_epoch_begin, epoch, logs);
}
void LambdaCallback::on_epoch_end(int epoch, const Logs& logs) {
  call(options_.on_epoch_end, epoch, logs);
}
void LambdaCallback::on_train_begin(const Logs& logs) { call(options_.on_train_begin, logs); }
void LambdaCallback::on_train_end(const Logs& logs) { call(options_.on_train_end, logs); }
void LambdaCallback::on_train_batch_begin(int batch, const Logs& logs) {
  const auto& own = options_.on_train_batch_begin;
  call(own ? own : options_.on_batch_begin, batch, logs);
}
void LambdaCallback::on_train_batch_end(int batch, const Logs& logs) {
  const auto& own = options_.on_train_batch_end;
  call(own ? own : options_.on_batch_end, batch, logs);
}
void LambdaCallback::on_test_begin(const Logs& logs) { call(options_.on_test_begin, logs); }
void LambdaCallback::on_test_end(const Logs& logs) { call(options_.on_test_end, logs); }
void LambdaCallback::on_test_batch_begin(int batch, const Logs& logs) {
  call(options_.on_test_batch_begin, batch, logs);
}
void LambdaCallback::on_test_batch_end(int batch, const Logs& logs) {
  call(options_.on_test_batch_end, batch, logs);
}
void LambdaCallback::on_predict_begin(const Logs& logs) { call(options_.on_predict_begin, logs); }
void LambdaCallback::on_predict_end(const Logs& logs) { call(options_.on_predict_end, logs); }
void LambdaCallback::on_predict_batch_begin(int batch, const Logs& logs) {
  call(options_.on_predict_batch_begin, batch, logs);
}
void LambdaCallback::on_predict_batch_end(int batch, const Nest& outputs) {
  call(options_.on_predict_batch_end, batch, outputs);
}

bool LambdaCallback::uses(BatchHook hook) const {
  switch (hook) {
    case BatchHook::train_begin:
      return options_.on_train_batch_begin || options_.on_batch_begin;
    case BatchHook::train_end:
      return options_.on_train_batch_end || options_.on_batch_end;
    case BatchHook::test_begin:
      return options_.on_test_batch_begin != nullptr;
    case BatchHook::test_end:
      return options_.on_test_batch_end != nullptr;
    case BatchHook::predict_begin:
      return options_.on_predict_batch_begin != nullptr;
    case BatchHook::predict_end:
      return options_.on_predict_batch_end != nullptr;
  }
  return true;
}

}  // namespace antler::callbacks

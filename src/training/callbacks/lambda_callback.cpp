#include "antler/training/callbacks/lambda_callback.h"

namespace antler::callbacks {

void LambdaCallback::on_epoch_begin(int64_t epoch, HostLogs& logs) {
  if (options_.on_epoch_begin) options_.on_epoch_begin(epoch, logs);
}
void LambdaCallback::on_epoch_end(int64_t epoch, HostLogs& logs) {
  if (options_.on_epoch_end) options_.on_epoch_end(epoch, logs);
}
void LambdaCallback::on_batch_begin(int64_t batch, HostLogs& logs) {
  if (options_.on_batch_begin) options_.on_batch_begin(batch, logs);
}
void LambdaCallback::on_batch_end(int64_t batch, HostLogs& logs) {
  if (options_.on_batch_end) options_.on_batch_end(batch, logs);
}
void LambdaCallback::on_train_begin(HostLogs& logs) {
  if (options_.on_train_begin) options_.on_train_begin(logs);
}
void LambdaCallback::on_train_end(HostLogs& logs) {
  if (options_.on_train_end) options_.on_train_end(logs);
}

}  // namespace antler::callbacks

#pragma once

#include <memory>

#include "antler/training/callback.h"
#include "antler/base/progbar.h"

namespace antler::callbacks {

/// Prints the progress of fit, evaluate and predict (Keras's ProgbarLogger). fit adds it unless
/// verbose is 0.
class ProgbarLogger : public Callback {
 public:
  void on_train_begin(HostLogs& logs) override;
  void on_epoch_begin(int64_t epoch, HostLogs& logs) override;
  void on_train_batch_end(int64_t batch, HostLogs& logs) override;
  void on_epoch_end(int64_t epoch, HostLogs& logs) override;
  void on_test_begin(HostLogs& logs) override;
  void on_test_batch_end(int64_t batch, HostLogs& logs) override;
  void on_test_end(HostLogs& logs) override;
  void on_predict_begin(HostLogs& logs) override;
  void on_predict_batch_end(int64_t batch, const Nest& outputs) override;
  void on_predict_end(HostLogs& logs) override;
  bool reads_batch_logs() const override { return params.verbose == 1; }

 private:
  void start();
  void batch_done(int64_t batch, const HostLogs& logs);
  void finish(const HostLogs& logs);

  std::shared_ptr<Progbar> bar_;
  int64_t target_ = -1;
  int64_t seen_ = 0;
  bool in_fit_ = false;
};

}  // namespace antler::callbacks

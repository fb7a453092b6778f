#pragma once

#include <memory>
#include <string>
#include <vector>

#include "antler/base/progbar.h"
#include "antler/training/callback.h"

namespace antler::callbacks {

/// Prints the progress of fit, evaluate and predict (Keras's ProgbarLogger). fit adds it unless
/// verbose is 0.
class ProgbarLogger : public Callback {
 public:
  static constexpr const char* kName = "ProgbarLogger";
  static ProgbarLogger from_config(const Json& config);

  void on_train_begin(const Logs& logs) override;
  void on_epoch_begin(int epoch, const Logs& logs) override;
  void on_train_batch_end(int batch, const Logs& logs) override;
  void on_epoch_end(int epoch, const Logs& logs) override;
  void on_test_begin(const Logs& logs) override;
  void on_test_batch_end(int batch, const Logs& logs) override;
  void on_test_end(const Logs& logs) override;
  void on_predict_begin(const Logs& logs) override;
  bool decides_by_logs() const override { return true; }
  bool async_safe() const override { return true; }
  bool uses(BatchHook hook) const override;
  void on_predict_batch_end(int batch, const Nest& outputs) override;
  void on_predict_end(const Logs& logs) override;

 private:
  void start();
  void batch_done(int64_t batch, const Logs& logs);
  void finish(const Logs& logs);

  std::shared_ptr<Progbar> bar_;
  std::vector<std::string> metrics_;  ///< names of the model's metrics, known after the first batch
  int64_t target_ = -1;
  int64_t seen_ = 0;
  bool in_fit_ = false;
};

}  // namespace antler::callbacks

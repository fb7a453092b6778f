#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/json.h"
#include "antler/training/callback.h"
#include "antler/training/model.h"

namespace antler::conformance {

/// Records every hook as [name, index or null, sorted log keys, {key: value}].
class Recorder : public Callback {
 public:
  Json events = Json::array();

  void on_train_begin(const Logs& logs) override { note("on_train_begin", -1, logs); }
  void on_train_end(const Logs& logs) override { note("on_train_end", -1, logs); }
  void on_epoch_begin(int epoch, const Logs& logs) override { note("on_epoch_begin", epoch, logs); }
  void on_epoch_end(int epoch, const Logs& logs) override { note("on_epoch_end", epoch, logs); }
  void on_train_batch_begin(int batch, const Logs& logs) override {
    note("on_train_batch_begin", batch, logs);
  }
  void on_train_batch_end(int batch, const Logs& logs) override {
    note("on_train_batch_end", batch, logs);
  }
  void on_test_begin(const Logs& logs) override { note("on_test_begin", -1, logs); }
  void on_test_end(const Logs& logs) override { note("on_test_end", -1, logs); }
  void on_test_batch_begin(int batch, const Logs& logs) override {
    note("on_test_batch_begin", batch, logs);
  }
  void on_test_batch_end(int batch, const Logs& logs) override {
    note("on_test_batch_end", batch, logs);
  }
  void on_predict_begin(const Logs& logs) override { note("on_predict_begin", -1, logs); }
  void on_predict_end(const Logs& logs) override { note("on_predict_end", -1, logs); }
  void on_predict_batch_begin(int batch, const Logs& logs) override {
    note("on_predict_batch_begin", batch, logs);
  }
  void on_predict_batch_end(int batch, const Nest& outputs) override;

 private:
  void note(const char* name, int64_t index, const Logs& logs);
};

/// Passes on epoch hooks, for strategies that refuse batch hooks.
class EpochHooks : public Callback {
 public:
  explicit EpochHooks(std::shared_ptr<Recorder> recorder) : recorder_(std::move(recorder)) {}
  void on_train_begin(const Logs& logs) override { recorder_->on_train_begin(logs); }
  void on_train_end(const Logs& logs) override { recorder_->on_train_end(logs); }
  void on_epoch_begin(int epoch, const Logs& logs) override {
    recorder_->on_epoch_begin(epoch, logs);
  }
  void on_epoch_end(int epoch, const Logs& logs) override { recorder_->on_epoch_end(epoch, logs); }
  void on_test_begin(const Logs& logs) override { recorder_->on_test_begin(logs); }
  void on_test_end(const Logs& logs) override { recorder_->on_test_end(logs); }

 private:
  std::shared_ptr<Recorder> recorder_;
};

/// Sets stop_training at the end of a batch or an epoch; -1: never.
class Stopper : public Callback {
 public:
  Stopper(int64_t at_batch, int64_t at_epoch) : at_batch_(at_batch), at_epoch_(at_epoch) {}
  void on_train_batch_end(int batch, const Logs&) override {
    if (batch == at_batch_) model->set_stop_training(true);
  }
  void on_epoch_end(int epoch, const Logs&) override {
    if (epoch == at_epoch_) model->set_stop_training(true);
  }

 private:
  int64_t at_batch_;
  int64_t at_epoch_;
};

/// Arrays as nested JSON lists, dictionaries as objects.
Json to_json(const Nest& tensors);
Json to_json(const Logs& logs);

}  // namespace antler::conformance

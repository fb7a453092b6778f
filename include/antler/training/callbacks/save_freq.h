#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace antler::callbacks {

/// Field type of `.save_freq`: "epoch", or a number of batches.
class SaveFreq {
 public:
  SaveFreq(const char* text) : text_(text) {}             // NOLINT(google-explicit-constructor)
  SaveFreq(std::string text) : text_(std::move(text)) {}  // NOLINT(google-explicit-constructor)
  SaveFreq(int64_t batches)                               // NOLINT(google-explicit-constructor)
      : text_(std::to_string(batches)), batches_(batches) {}
  SaveFreq(int batches) : SaveFreq(int64_t{batches}) {}  // NOLINT(google-explicit-constructor)

  /// Python's `save_freq=False`.
  static SaveFreq never() { return SaveFreq("False"); }

  bool per_epoch() const { return batches_ == 0 && text_ == "epoch"; }
  int64_t batches() const { return batches_; }
  /// A number above 0 or "epoch".
  bool valid() const { return batches_ > 0 || per_epoch(); }
  bool is_never() const { return text_ == "False"; }
  const std::string& str() const { return text_; }

 private:
  std::string text_;
  int64_t batches_ = 0;
};

/// Counts batches across executions and epochs.
class BatchCounter {
 public:
  /// Called in each on_train_batch_end(). True if `every` batches were trained since it last was.
  bool is_due(int64_t batch, int64_t every);
  /// The batch after which a resumed epoch continues; -1: at its beginning.
  void set_last(int64_t batch) { last_ = batch; }

  int64_t last() const { return last_; }
  int64_t since() const { return since_; }
  void set_since(int64_t since) { since_ = since; }

 private:
  int64_t last_ = -1;
  int64_t since_ = 0;
};

}  // namespace antler::callbacks

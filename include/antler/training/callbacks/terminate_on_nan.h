#pragma once

#include "antler/training/callback.h"

namespace antler::callbacks {

struct TerminateOnNaNOptions {
  bool raise_error = false;  ///< throw RuntimeError instead of ending training
};

/// Ends training when the loss is NaN or infinite (Keras's TerminateOnNaN).
class TerminateOnNaN : public Callback {
 public:
  explicit TerminateOnNaN(TerminateOnNaNOptions options = {}) : options_(options) {}
  void on_batch_end(int64_t batch, HostLogs& logs) override;

 private:
  TerminateOnNaNOptions options_;
};

}  // namespace antler::callbacks

#pragma once

#include "antler/core/keyword.h"
#include "antler/training/callback.h"

namespace antler::callbacks {

/// Options of TerminateOnNaN.
struct TerminateOnNaNOptions {
  bool raise_error = false;  ///< throw RuntimeError instead of ending training
};

/// Ends training when the loss is NaN or infinite (Keras's TerminateOnNaN).
class TerminateOnNaN : public Callback {
 public:
  explicit TerminateOnNaN(TerminateOnNaNOptions options = {}) : options_(options) {}
  ANTLER_KEYWORD_CONSTRUCTOR(TerminateOnNaN, TerminateOnNaNOptions)

  static constexpr const char* kName = "TerminateOnNaN";
  static TerminateOnNaN from_config(const Json& config);

  void on_batch_end(int batch, const Logs& logs) override;
  bool decides_by_logs() const override { return true; }

 private:
  TerminateOnNaNOptions options_;
};

}  // namespace antler::callbacks

#pragma once

#include "antler/core/keyword.h"
#include "antler/training/callback.h"

namespace antler::callbacks {

/// Options of SwapEMAWeights.
struct SwapEMAWeightsOptions {
  bool swap_on_epoch = false;  ///< also between the end of an epoch and the start of the next
};

/// Evaluates and predicts with the moving averages of the weights, which an optimizer with
/// `use_ema` keeps (Keras's SwapEMAWeights). With `swap_on_epoch`, the model also has the averages
/// in on_epoch_end of later callbacks, so that a ModelCheckpoint saves them. Throws ValueError if
/// the optimizer keeps no averages.
class SwapEMAWeights : public Callback {
 public:
  explicit SwapEMAWeights(SwapEMAWeightsOptions options = {}) : options_(options) {}
  ANTLER_KEYWORD_CONSTRUCTOR(SwapEMAWeights, SwapEMAWeightsOptions)

  static constexpr const char* kName = "SwapEMAWeights";
  static SwapEMAWeights from_config(const Json& config);

  void on_epoch_begin(int epoch, const Logs& logs) override;
  void on_epoch_end(int epoch, const Logs& logs) override;
  void on_test_begin(const Logs& logs) override;
  void on_test_end(const Logs& logs) override;
  void on_predict_begin(const Logs& logs) override;
  void on_predict_end(const Logs& logs) override;
  Json get_state() const override;
  void set_state(const Json& state) override;

 private:
  void exchange(bool averages_in_model);

  SwapEMAWeightsOptions options_;
  bool averages_in_model_ = false;
};

}  // namespace antler::callbacks

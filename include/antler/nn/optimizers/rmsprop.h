#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/nn/optimizer.h"

namespace antler::optimizers {

/// Options of RMSprop. For those that all optimizers have, see OptimizerBaseOptions.
struct RMSpropOptions {
  LearningRate learning_rate = 0.001;  ///< a number or a schedule
  double rho = 0.9;                    ///< decay of the averages of squares
  double momentum = 0.0;               ///< share of the last update that is kept
  double epsilon = 1e-7;               ///< added to denominators
  bool centered = false;               ///< subtract the square of the mean gradient
  std::optional<double> weight_decay = {};
  std::optional<double> clipnorm = {};
  std::optional<double> clipvalue = {};
  std::optional<double> global_clipnorm = {};
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  std::optional<int64_t> gradient_accumulation_steps = {};
  std::string name = {};
};

/// v = rho v + (1 - rho) g^2; w -= lr g / sqrt(v + epsilon). `centered` subtracts the square of the
/// running mean of g from v; with momentum m = momentum m + step, w -= m.
class RMSprop : public OptimizerOf<RMSprop, RMSpropOptions> {
 public:
  explicit RMSprop(const RMSpropOptions& options = {});
  template <std::convertible_to<LearningRate> R>
  explicit RMSprop(const R& learning_rate, RMSpropOptions options = {})
      : RMSprop(by_position<&RMSpropOptions::learning_rate>("RMSprop", std::move(options),
                                                            learning_rate)) {}
  ANTLER_KEYWORD_CONSTRUCTORS_LIKE(RMSprop, RMSpropOptions, LearningRate)

 protected:
  void build_slots(const Variables& variables) override;
  void update_step(const Tensor& gradient, const Variable& variable,
                   const Tensor& learning_rate) override;
};

}  // namespace antler::optimizers

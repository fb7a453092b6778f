#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/nn/optimizer.h"

namespace antler::optimizers {

/// Options of Nadam. For those that all optimizers have, see OptimizerBaseOptions.
struct NadamOptions {
  LearningRate learning_rate = 0.001;  ///< a number or a schedule
  double beta_1 = 0.9;                 ///< decay of the mean of gradients
  double beta_2 = 0.999;               ///< decay of the mean of their squares
  double epsilon = 1e-7;               ///< added to denominators
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

/// Adam with Nesterov momentum, Dozat 2015.
class Nadam : public OptimizerOf<Nadam, NadamOptions> {
 public:
  explicit Nadam(const NadamOptions& options = {});
  template <std::convertible_to<LearningRate> R>
  explicit Nadam(const R& learning_rate, NadamOptions options = {})
      : Nadam(by_position<&NadamOptions::learning_rate>("Nadam", std::move(options),
                                                        learning_rate)) {}
  ANTLER_KEYWORD_CONSTRUCTORS_LIKE(Nadam, NadamOptions, LearningRate)

 protected:
  void begin_update() override;
  void build_slots(const Variables& variables) override;
  void update_step(const Tensor& gradient, const Variable& variable,
                   const Tensor& learning_rate) override;

 private:
  /// Momentum at step t: beta_1 (1 - 0.96^t / 2).
  Tensor schedule(const Tensor& t, DType dtype) const;
};

}  // namespace antler::optimizers

#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/nn/optimizer.h"

namespace antler::optimizers {

/// Options of Adagrad. For those that all optimizers have, see OptimizerBaseOptions.
struct AdagradOptions {
  LearningRate learning_rate = 0.001;      ///< a number or a schedule
  double initial_accumulator_value = 0.1;  ///< initial sums of squares
  double epsilon = 1e-7;                   ///< added to denominators
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

/// acc += g^2; w -= lr g / sqrt(acc + epsilon).
class Adagrad : public OptimizerOf<Adagrad, AdagradOptions> {
 public:
  explicit Adagrad(const AdagradOptions& options = {});
  template <std::convertible_to<LearningRate> R>
  explicit Adagrad(const R& learning_rate, AdagradOptions options = {})
      : Adagrad(by_position<&AdagradOptions::learning_rate>("Adagrad", std::move(options),
                                                            learning_rate)) {}
  ANTLER_KEYWORD_CONSTRUCTORS_LIKE(Adagrad, AdagradOptions, LearningRate)

 protected:
  void build_slots(const Variables& variables) override;
  void update_step(const Tensor& gradient, const Variable& variable,
                   const Tensor& learning_rate) override;
};

}  // namespace antler::optimizers

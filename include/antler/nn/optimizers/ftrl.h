#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/nn/optimizer.h"

namespace antler::optimizers {

/// Options of Ftrl. For those that all optimizers have, see OptimizerBaseOptions.
struct FtrlOptions {
  LearningRate learning_rate = 0.001;                 ///< a number or a schedule
  double learning_rate_power = -0.5;                  ///< at most 0; 0: a constant rate
  double initial_accumulator_value = 0.1;             ///< initial sums of squares
  double l1_regularization_strength = 0.0;            ///< at least 0
  double l2_regularization_strength = 0.0;            ///< at least 0
  double l2_shrinkage_regularization_strength = 0.0;  ///< at least 0; a penalty on the loss
  double beta = 0.0;                                  ///< added to the root of the sums
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

/// Follow the regularized leader, McMahan et al. 2013.
class Ftrl : public OptimizerOf<Ftrl, FtrlOptions> {
 public:
  explicit Ftrl(const FtrlOptions& options = {});
  template <std::convertible_to<LearningRate> R>
  explicit Ftrl(const R& learning_rate, FtrlOptions options = {})
      : Ftrl(by_position<&FtrlOptions::learning_rate>("Ftrl", std::move(options), learning_rate)) {}
  ANTLER_KEYWORD_CONSTRUCTORS_LIKE(Ftrl, FtrlOptions, LearningRate)

 protected:
  void build_slots(const Variables& variables) override;
  void update_step(const Tensor& gradient, const Variable& variable,
                   const Tensor& learning_rate) override;
};

}  // namespace antler::optimizers

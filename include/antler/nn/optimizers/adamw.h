#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/nn/optimizer.h"
#include "antler/nn/optimizers/adam.h"

namespace antler::optimizers {

/// Options of AdamW. For those that all optimizers have, see OptimizerBaseOptions.
struct AdamWOptions {
  LearningRate learning_rate = 0.001;  ///< a number or a schedule
  std::optional<double> weight_decay = 0.004;
  double beta_1 = 0.9;    ///< decay of the mean of gradients
  double beta_2 = 0.999;  ///< decay of the mean of their squares
  double epsilon = 1e-7;  ///< added to denominators
  bool amsgrad = false;   ///< use the largest average of squares so far
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

/// Adam with weight decay, Loshchilov and Hutter 2017.
class AdamW : public OptimizerBase<AdamW, Adam> {
 public:
  explicit AdamW(const AdamWOptions& options = {});
  template <std::convertible_to<LearningRate> R>
  explicit AdamW(const R& learning_rate, AdamWOptions options = {})
      : AdamW(by_position<&AdamWOptions::learning_rate>("AdamW", std::move(options),
                                                        learning_rate)) {}
  ANTLER_KEYWORD_CONSTRUCTORS_LIKE(AdamW, AdamWOptions, LearningRate)
};

}  // namespace antler::optimizers

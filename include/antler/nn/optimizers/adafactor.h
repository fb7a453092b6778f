#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/nn/optimizer.h"

namespace antler::optimizers {

/// Options of Adafactor. For those that all optimizers have, see OptimizerBaseOptions.
struct AdafactorOptions {
  LearningRate learning_rate = 0.001;  ///< a number or a schedule
  double beta_2_decay = -0.8;   ///< exponent: averages of squares decay by 1 - t^beta_2_decay
  double epsilon_1 = 1e-30;     ///< added to squares
  double epsilon_2 = 1e-3;      ///< lower bound of the weights' scale, by which steps are scaled
  double clip_threshold = 1.0;  ///< limit of the root mean square of an update
  bool relative_step = true;    ///< lr = min(lr, 1 / sqrt(t))
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

/// Adam with second moments kept as rows and columns, Shazeer and Stern 2018.
class Adafactor : public OptimizerOf<Adafactor, AdafactorOptions> {
 public:
  explicit Adafactor(const AdafactorOptions& options = {});
  template <std::convertible_to<LearningRate> R>
  explicit Adafactor(const R& learning_rate, AdafactorOptions options = {})
      : Adafactor(by_position<&AdafactorOptions::learning_rate>("Adafactor", std::move(options),
                                                                learning_rate)) {}
  ANTLER_KEYWORD_CONSTRUCTORS_LIKE(Adafactor, AdafactorOptions, LearningRate)

 protected:
  void build_slots(const Variables& variables) override;
  void update_step(const Tensor& gradient, const Variable& variable,
                   const Tensor& learning_rate) override;
};

}  // namespace antler::optimizers

#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/nn/optimizer.h"

namespace antler::optimizers {

/// Options of Adadelta. For those that all optimizers have, see OptimizerBaseOptions.
struct AdadeltaOptions {
  LearningRate learning_rate = 0.001;  ///< a number or a schedule
  double rho = 0.95;                   ///< decay of the averages of squares
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

/// Steps are as large as the running mean of earlier steps, Zeiler 2012. The paper uses lr = 1.
class Adadelta : public OptimizerOf<Adadelta, AdadeltaOptions> {
 public:
  explicit Adadelta(const AdadeltaOptions& options = {});
  template <std::convertible_to<LearningRate> R>
  explicit Adadelta(const R& learning_rate, AdadeltaOptions options = {})
      : Adadelta(by_position<&AdadeltaOptions::learning_rate>("Adadelta", std::move(options),
                                                              learning_rate)) {}
  ANTLER_KEYWORD_CONSTRUCTORS_LIKE(Adadelta, AdadeltaOptions, LearningRate)

 protected:
  void build_slots(const Variables& variables) override;
  void update_step(const Tensor& gradient, const Variable& variable,
                   const Tensor& learning_rate) override;
};

}  // namespace antler::optimizers

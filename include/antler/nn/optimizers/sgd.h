#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/nn/optimizer.h"

namespace antler::optimizers {

/// Options of SGD. For those that all optimizers have, see OptimizerBaseOptions.

struct SGDOptions {
  LearningRate learning_rate = 0.01;  ///< a number or a schedule
  double momentum = 0.0;              ///< in [0, 1]
  bool nesterov = false;              ///< Nesterov momentum
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

/// w -= lr g; with momentum m = momentum m - lr g, w += m; nesterov w += momentum m - lr g.
class SGD : public OptimizerOf<SGD, SGDOptions> {
 public:
  explicit SGD(const SGDOptions& options = {});
  template <std::convertible_to<LearningRate> R>
  explicit SGD(const R& learning_rate, SGDOptions options = {})
      : SGD(by_position<&SGDOptions::learning_rate>("SGD", std::move(options), learning_rate)) {}
  ANTLER_KEYWORD_CONSTRUCTORS_LIKE(SGD, SGDOptions, LearningRate)

 protected:
  void build_slots(const Variables& variables) override;
  void update_step(const Tensor& gradient, const Variable& variable,
                   const Tensor& learning_rate) override;
};

}  // namespace antler::optimizers

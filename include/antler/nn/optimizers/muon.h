#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/nn/optimizer.h"

namespace antler::optimizers {

/// Options of Muon. For those that all optimizers have, see OptimizerBaseOptions.
struct MuonOptions {
  LearningRate learning_rate = 0.001;               ///< a number or a schedule
  double adam_beta_1 = 0.9;                         ///< for the weights that Adam updates
  double adam_beta_2 = 0.999;                       ///< for the weights that Adam updates
  std::optional<double> adam_weight_decay = 0.004;  ///< for the weights that Adam updates
  double epsilon = 1e-7;                            ///< added to denominators
  std::optional<double> weight_decay = 0.004;
  std::optional<double> clipnorm = {};
  std::optional<double> clipvalue = {};
  std::optional<double> global_clipnorm = {};
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  std::optional<int64_t> gradient_accumulation_steps = {};
  std::string name = {};
  std::vector<std::string> exclude_layers = {};  ///< regular expressions of paths for Adam
  bool exclude_embeddings = true;                ///< Adam updates paths with "embedding"
  double muon_a = 3.4445;                        ///< coefficients of the iteration's polynomial
  double muon_b = -4.7750;                       ///< see muon_a
  double muon_c = 2.0315;                        ///< see muon_a
  double adam_lr_ratio = 1;                      ///< learning rate of Adam, relative to Muon's
  double momentum = 0.95;                        ///< share of the last update that is kept
  int64_t ns_steps = 5;                          ///< Newton-Schulz iterations
  bool nesterov = true;                          ///< Nesterov momentum
  std::optional<double> rms_rate = 0.2;  ///< scales updates by this * sqrt(max(rows, columns))
};

/// Updates matrices by their momentum, orthogonalized with Newton-Schulz iterations x = a x + (b x
/// x' + c (x x')^2) x (Jordan et al. 2024). Updates all other weights as Adam does.
class Muon : public OptimizerOf<Muon, MuonOptions> {
 public:
  explicit Muon(const MuonOptions& options = {});
  template <std::convertible_to<LearningRate> R>
  explicit Muon(const R& learning_rate, MuonOptions options = {})
      : Muon(by_position<&MuonOptions::learning_rate>("Muon", std::move(options), learning_rate)) {}
  ANTLER_KEYWORD_CONSTRUCTORS_LIKE(Muon, MuonOptions, LearningRate)

 protected:
  void build_slots(const Variables& variables) override;
  void update_step(const Tensor& gradient, const Variable& variable,
                   const Tensor& learning_rate) override;
  std::optional<double> weight_decay_of(const Variable& variable) const override;

 private:
  bool left_to_adam(const Variable& variable) const;
  void adam_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate);
  Tensor orthogonalized(const Tensor& x) const;
};

}  // namespace antler::optimizers

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/nn/axis_list.h"
#include "antler/nn/loss.h"

/// Losses of overlap. Sums are over `axis`, or over everything; the loss is then one number.
namespace antler::losses {

/// 1 - 2 sum(t p) / (sum(t) + sum(p) + 1e-7)
Tensor dice(const Tensor& y_true, const Tensor& y_pred, const std::optional<AxisList>& axis = {});
/// 1 - sum(t p) / (sum(t p) + alpha sum((1 - p) t) + beta sum(p (1 - t)) + 1e-7). Keras documents
/// alpha as the weight of false positives, but its code uses it as the weight of false negatives.
/// This does the same.
Tensor tversky(const Tensor& y_true, const Tensor& y_pred, double alpha = 0.5, double beta = 0.5,
               const std::optional<AxisList>& axis = {});

/// The argument of dice() by name.
struct DiceArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  AxisList axis = {};  ///< default: all
};
template <class Arguments = DiceArgument>
Tensor dice(const Tensor& y_true, const Tensor& y_pred,
            const std::type_identity_t<Arguments>& by_name) {
  return dice(y_true, y_pred,
              by_name.axis.values().empty() ? std::nullopt : std::optional<AxisList>(by_name.axis));
}
/// The arguments of tversky() by name.
struct TverskyArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  double alpha = 0.5;  ///< weight of (1 - p) t
  double beta = 0.5;   ///< weight of p (1 - t)
  AxisList axis = {};  ///< default: all
};
inline Tensor tversky(const Tensor& y_true, const Tensor& y_pred, const TverskyArguments& by_name) {
  return tversky(
      y_true, y_pred, by_name.alpha, by_name.beta,
      by_name.axis.values().empty() ? std::nullopt : std::optional<AxisList>(by_name.axis));
}
ANTLER_KEYWORD_FUNCTION(tversky, TverskyArguments, const Tensor&, const Tensor&)

/// Options of Dice.
struct DiceOptions {
  std::string reduction = "sum_over_batch_size";  ///< see LossOptions
  std::string name = {};
  std::optional<AxisList> axis = {};      ///< not given: all
  std::optional<std::string> dtype = {};  ///< see LossOptions
};
/// dice(), reduced over the batch.
struct Dice : Loss {
  explicit Dice(const DiceOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Dice, DiceOptions)
};

/// Options of Tversky.
struct TverskyOptions {
  double alpha = 0.5;                             ///< weight of (1 - p) t
  double beta = 0.5;                              ///< weight of p (1 - t)
  std::string reduction = "sum_over_batch_size";  ///< see LossOptions
  std::string name = {};
  std::optional<AxisList> axis = {};      ///< not given: all
  std::optional<std::string> dtype = {};  ///< see LossOptions
};
/// tversky(), reduced over the batch.
struct Tversky : Loss {
  explicit Tversky(const TverskyOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Tversky, TverskyOptions)
};

}  // namespace antler::losses

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/nn/loss.h"

/// Losses between real numbers. All but the cosine are means over the last axis.
namespace antler::losses {

/// mean((p - t)^2)
Tensor mean_squared_error(const Tensor& y_true, const Tensor& y_pred);
/// mean(|p - t|)
Tensor mean_absolute_error(const Tensor& y_true, const Tensor& y_pred);
/// 100 mean(|t - p| / max(|t|, 1e-7))
Tensor mean_absolute_percentage_error(const Tensor& y_true, const Tensor& y_pred);
/// mean((log(max(p, 1e-7) + 1) - log(max(t, 1e-7) + 1))^2)
Tensor mean_squared_logarithmic_error(const Tensor& y_true, const Tensor& y_pred);
/// mean of e^2 / 2 where |e| <= delta, else delta |e| - delta^2 / 2.
Tensor huber(const Tensor& y_true, const Tensor& y_pred, double delta = 1.0);
/// mean(log(cosh(p - t)))
Tensor log_cosh(const Tensor& y_true, const Tensor& y_pred);
/// -sum(t / |t| * p / |p|) along `axis`: -1 for the same direction, 0 where either is zero.
Tensor cosine_similarity(const Tensor& y_true, const Tensor& y_pred, int64_t axis = -1);

/// The argument of huber() by name.
struct HuberArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  double delta = 1.0;  ///< where the square turns into a line
};
inline Tensor huber(const Tensor& y_true, const Tensor& y_pred, const HuberArgument& by_name) {
  return huber(y_true, y_pred, by_name.delta);
}
/// The argument of cosine_similarity() by name.
struct CosineSimilarityArgument {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  int64_t axis = -1;  ///< of the vectors
};
inline Tensor cosine_similarity(const Tensor& y_true, const Tensor& y_pred,
                                const CosineSimilarityArgument& by_name) {
  return cosine_similarity(y_true, y_pred, by_name.axis);
}

/// mean_squared_error(), reduced over the batch.
struct MeanSquaredError : Loss {
  explicit MeanSquaredError(const LossOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(MeanSquaredError, LossOptions)
};
/// mean_absolute_error(), reduced over the batch.
struct MeanAbsoluteError : Loss {
  explicit MeanAbsoluteError(const LossOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(MeanAbsoluteError, LossOptions)
};
/// mean_absolute_percentage_error(), reduced over the batch.
struct MeanAbsolutePercentageError : Loss {
  explicit MeanAbsolutePercentageError(const LossOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(MeanAbsolutePercentageError, LossOptions)
};
/// mean_squared_logarithmic_error(), reduced over the batch.
struct MeanSquaredLogarithmicError : Loss {
  explicit MeanSquaredLogarithmicError(const LossOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(MeanSquaredLogarithmicError, LossOptions)
};
/// log_cosh(), reduced over the batch.
struct LogCosh : Loss {
  explicit LogCosh(const LossOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(LogCosh, LossOptions)
};

/// Options of Huber.
struct HuberOptions {
  double delta = 1.0;                             ///< where the square turns into a line
  std::string reduction = "sum_over_batch_size";  ///< see LossOptions
  std::string name = {};
  std::optional<std::string> dtype = {};  ///< see LossOptions
};
/// huber(), reduced over the batch.
struct Huber : Loss {
  explicit Huber(const HuberOptions& options = {});
  explicit Huber(double delta, HuberOptions options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(Huber, HuberOptions, double)
};

/// Options of CosineSimilarity.
struct CosineSimilarityOptions {
  int64_t axis = -1;                              ///< of the vectors
  std::string reduction = "sum_over_batch_size";  ///< see LossOptions
  std::string name = {};
  std::optional<std::string> dtype = {};  ///< see LossOptions
};
/// cosine_similarity(), reduced over the batch.
struct CosineSimilarity : Loss {
  explicit CosineSimilarity(const CosineSimilarityOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(CosineSimilarity, CosineSimilarityOptions)
};

}  // namespace antler::losses

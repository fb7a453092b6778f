#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/nn/loss.h"

/// Losses between distributions: t is the target, p the prediction. Probabilities are clipped to
/// [1e-7, 1 - 1e-7]; logits are not. Predictions that come directly from a softmax or sigmoid
/// activation carry their logits. Cross-entropies use these, like Keras 2, and like Keras 3 on
/// TensorFlow. On JAX and PyTorch, Keras 3 clips the probabilities instead.
namespace antler::losses {

/// Field type of `.alpha`: one weight, or one per class.
class ClassWeights {
 public:
  ClassWeights(double value) : values_{value} {}  // NOLINT(google-explicit-constructor)
  ClassWeights(std::vector<double> values)        // NOLINT(google-explicit-constructor)
      : values_(std::move(values)) {}
  ClassWeights(std::initializer_list<double> values)  // NOLINT(google-explicit-constructor)
      : values_(values) {}
  /// One value stands for all classes.
  const std::vector<double>& values() const { return values_; }

 private:
  std::vector<double> values_;
};

// Arguments of the loss functions. The options of the classes below repeat and extend them.
/// Options of binary_crossentropy() and categorical_crossentropy().
struct CrossentropyArguments {
  bool from_logits = false;      ///< predictions are logits, not probabilities
  double label_smoothing = 0.0;  ///< in [0, 1]
  int64_t axis = -1;             ///< of the classes, or (binary) averaged over
};
/// Options of sparse_categorical_crossentropy().
struct SparseCrossentropyArguments {
  bool from_logits = false;                  ///< predictions are logits, not probabilities
  std::optional<int64_t> ignore_class = {};  ///< true labels to ignore, such as -1
  int64_t axis = -1;                         ///< of the classes
};
/// Options of binary_focal_crossentropy().
struct BinaryFocalCrossentropyArguments {
  bool apply_class_balancing = false;  ///< weight the classes by alpha and 1 - alpha
  double alpha = 0.25;                 ///< weight of class 1, with `apply_class_balancing`
  double gamma = 2.0;                  ///< exponent; larger: easy samples have less weight
  bool from_logits = false;            ///< predictions are logits, not probabilities
  double label_smoothing = 0.0;        ///< in [0, 1]
  int64_t axis = -1;                   ///< of the mean
};
/// Options of categorical_focal_crossentropy().
struct CategoricalFocalCrossentropyArguments {
  ClassWeights alpha = 0.25;     ///< a weight, or one per class
  double gamma = 2.0;            ///< exponent; larger: easy samples have less weight
  bool from_logits = false;      ///< predictions are logits, not probabilities
  double label_smoothing = 0.0;  ///< in [0, 1]
  int64_t axis = -1;             ///< of the classes
};

/// -mean(t log p + (1 - t) log(1 - p)) along `axis`. Smoothing s makes targets t (1 - s) + s / 2.
Tensor binary_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                           const CrossentropyArguments& o = {});
ANTLER_KEYWORD_FUNCTION(binary_crossentropy, CrossentropyArguments, const Tensor&, const Tensor&)
/// -sum(t log p) along `axis`, where p is normalized to sum to 1. Smoothing s makes targets
/// t (1 - s) + s / classes.
Tensor categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                const CrossentropyArguments& o = {});
ANTLER_KEYWORD_FUNCTION(categorical_crossentropy, CrossentropyArguments, const Tensor&,
                        const Tensor&)
/// -log p[t] for integer targets [...] or [..., 1]; 0 where t is `ignore_class`.
Tensor sparse_categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                       const SparseCrossentropyArguments& o = {});
ANTLER_KEYWORD_FUNCTION(sparse_categorical_crossentropy, SparseCrossentropyArguments, const Tensor&,
                        const Tensor&)
/// binary_crossentropy times (1 - p_t)^gamma, p_t the probability given to the target; with
/// `apply_class_balancing` also times alpha for class 1 and 1 - alpha for class 0.
Tensor binary_focal_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                 const BinaryFocalCrossentropyArguments& o = {});
ANTLER_KEYWORD_FUNCTION(binary_focal_crossentropy, BinaryFocalCrossentropyArguments, const Tensor&,
                        const Tensor&)
/// sum(alpha (1 - p)^gamma (-t log p)) along `axis`.
Tensor categorical_focal_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                      const CategoricalFocalCrossentropyArguments& o = {});
ANTLER_KEYWORD_FUNCTION(categorical_focal_crossentropy, CategoricalFocalCrossentropyArguments,
                        const Tensor&, const Tensor&)
/// (1 - p_t^q) / q, p_t = sum(t p): between cross-entropy (q -> 0) and absolute error (q = 1).
Tensor categorical_generalized_cross_entropy(const Tensor& y_true, const Tensor& y_pred, double q);
/// sum(t log(t / p)), both clipped to [1e-7, 1].
Tensor kl_divergence(const Tensor& y_true, const Tensor& y_pred);
/// mean(p - t log(p + 1e-7))
Tensor poisson(const Tensor& y_true, const Tensor& y_pred);

/// Options of BinaryCrossentropy.
struct BinaryCrossentropyOptions {
  bool from_logits = false;                       ///< predictions are logits, not probabilities
  double label_smoothing = 0.0;                   ///< in [0, 1]
  int64_t axis = -1;                              ///< of the mean
  std::string reduction = "sum_over_batch_size";  ///< see LossOptions
  std::string name = {};
  std::optional<std::string> dtype = {};  ///< see LossOptions
};
/// binary_crossentropy(), reduced over the batch.
struct BinaryCrossentropy : Loss {
  explicit BinaryCrossentropy(const BinaryCrossentropyOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(BinaryCrossentropy, BinaryCrossentropyOptions)
};

/// Options of BinaryFocalCrossentropy.
struct BinaryFocalCrossentropyOptions {
  bool apply_class_balancing = false;  ///< weight the classes by alpha and 1 - alpha
  double alpha = 0.25;                 ///< weight of class 1, with `apply_class_balancing`
  double gamma = 2.0;                  ///< exponent; larger: easy samples have less weight
  bool from_logits = false;            ///< predictions are logits, not probabilities
  double label_smoothing = 0.0;        ///< in [0, 1]
  int64_t axis = -1;                   ///< of the mean
  std::string reduction = "sum_over_batch_size";  ///< see LossOptions
  std::string name = {};
  std::optional<std::string> dtype = {};  ///< see LossOptions
};
/// binary_focal_crossentropy(), reduced over the batch.
struct BinaryFocalCrossentropy : Loss {
  explicit BinaryFocalCrossentropy(const BinaryFocalCrossentropyOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(BinaryFocalCrossentropy, BinaryFocalCrossentropyOptions)
};

/// Options of CategoricalCrossentropy.
struct CategoricalCrossentropyOptions {
  bool from_logits = false;                       ///< predictions are logits, not probabilities
  double label_smoothing = 0.0;                   ///< in [0, 1]
  int64_t axis = -1;                              ///< of the classes
  std::string reduction = "sum_over_batch_size";  ///< see LossOptions
  std::string name = {};
  std::optional<std::string> dtype = {};  ///< see LossOptions
};
/// categorical_crossentropy(), reduced over the batch.
struct CategoricalCrossentropy : Loss {
  explicit CategoricalCrossentropy(const CategoricalCrossentropyOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(CategoricalCrossentropy, CategoricalCrossentropyOptions)
};

/// Options of CategoricalFocalCrossentropy.
struct CategoricalFocalCrossentropyOptions {
  ClassWeights alpha = 0.25;     ///< a weight, or one per class
  double gamma = 2.0;            ///< exponent; larger: easy samples have less weight
  bool from_logits = false;      ///< predictions are logits, not probabilities
  double label_smoothing = 0.0;  ///< in [0, 1]
  int64_t axis = -1;             ///< of the classes
  std::string reduction = "sum_over_batch_size";  ///< see LossOptions
  std::string name = {};
  std::optional<std::string> dtype = {};  ///< see LossOptions
};
/// categorical_focal_crossentropy(), reduced over the batch.
struct CategoricalFocalCrossentropy : Loss {
  explicit CategoricalFocalCrossentropy(const CategoricalFocalCrossentropyOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(CategoricalFocalCrossentropy, CategoricalFocalCrossentropyOptions)
};

/// Options of SparseCategoricalCrossentropy.
struct SparseCategoricalCrossentropyOptions {
  bool from_logits = false;                       ///< predictions are logits, not probabilities
  std::optional<int64_t> ignore_class = {};       ///< targets to ignore, such as -1 or 255
  std::string reduction = "sum_over_batch_size";  ///< see LossOptions
  int64_t axis = -1;                              ///< of the classes
  std::string name = {};
  std::optional<std::string> dtype = {};  ///< see LossOptions
};
/// sparse_categorical_crossentropy(), reduced over the batch.
struct SparseCategoricalCrossentropy : Loss {
  explicit SparseCategoricalCrossentropy(const SparseCategoricalCrossentropyOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(SparseCategoricalCrossentropy, SparseCategoricalCrossentropyOptions)
};

/// Options of CategoricalGeneralizedCrossEntropy.
struct CategoricalGeneralizedCrossEntropyOptions {
  double q = 0.5;                                 ///< in (0, 1)
  std::string reduction = "sum_over_batch_size";  ///< see LossOptions
  std::string name = {};
  std::optional<std::string> dtype = {};  ///< see LossOptions
};
/// categorical_generalized_cross_entropy(), reduced over the batch.
struct CategoricalGeneralizedCrossEntropy : Loss {
  explicit CategoricalGeneralizedCrossEntropy(
      const CategoricalGeneralizedCrossEntropyOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(CategoricalGeneralizedCrossEntropy,
                             CategoricalGeneralizedCrossEntropyOptions)
};

/// kl_divergence(), reduced over the batch.
struct KLDivergence : Loss {
  explicit KLDivergence(const LossOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(KLDivergence, LossOptions)
};
/// poisson(), reduced over the batch.
struct Poisson : Loss {
  explicit Poisson(const LossOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Poisson, LossOptions)
};

}  // namespace antler::losses

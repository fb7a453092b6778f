#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "antler/base/json.h"
#include "antler/core/tensor.h"
#include "antler/nn/initializer.h"

/// TensorFlow's feature columns (tf.feature_column), which say how DenseFeatures and
/// SequenceFeatures turn a dictionary of raw features into numbers. A feature is [batch] or
/// [batch, n]; strings are handles (string_handles()). Antler has no sparse tensors: a missing
/// category is -1 or "", as in TensorFlow's dense inputs.
namespace antler::feature_column {

struct FeatureColumnImpl;

/// A feature column. An immutable handle.
class FeatureColumn {
 public:
  explicit FeatureColumn(std::shared_ptr<const FeatureColumnImpl> impl) : impl_(std::move(impl)) {}
  /// TensorFlow's name: "age", "age_bucketized", "word_embedding", "a_X_b", ...
  std::string name() const;
  /// {"class_name", "config"}, as TensorFlow writes it. Throws ValueError for a column with a
  /// function, such as a normalizer_fn.
  Json serialize() const;
  const FeatureColumnImpl& impl() const { return *impl_; }
  const std::shared_ptr<const FeatureColumnImpl>& shared() const { return impl_; }

 private:
  std::shared_ptr<const FeatureColumnImpl> impl_;
};
/// A column from the result of serialize(). Throws ValueError for JSON of another form.
FeatureColumn deserialize(const Json& json);

/// Options of numeric_column().
struct NumericColumnOptions {
  std::vector<int64_t> shape = {1};  ///< of one sample
  /// Applied to the numbers; not given: they stay as they are.
  std::function<Tensor(const Tensor&)> normalizer_fn = {};
};
/// The numbers of a feature, [batch, elements of shape]. Throws ValueError for sizes below 1.
FeatureColumn numeric_column(const std::string& key, const NumericColumnOptions& options = {});
/// One-hot vectors of the bins of a numeric column: x < boundaries[0], boundaries[0] <= x <
/// boundaries[1], ... Throws ValueError unless the column is numeric and the boundaries ascend.
FeatureColumn bucketized_column(const FeatureColumn& source_column, std::vector<double> boundaries);

/// Integers in [0, num_buckets) are the categories. Others become `default_value` or, if it is not
/// given, count as missing (TensorFlow fails in graphs). Throws ValueError.
FeatureColumn categorical_column_with_identity(const std::string& key, int64_t num_buckets,
                                               std::optional<int64_t> default_value = {});

/// Options of categorical_column_with_vocabulary_list(),
/// sequence_categorical_column_with_vocabulary_list().
struct VocabularyColumnOptions {
  int64_t default_value = -1;   ///< index of unknown values; -1: missing
  int64_t num_oov_buckets = 0;  ///< unknown values are hashed to these instead
};
/// The indices of strings or integers in a list. Throws ValueError for repeated values, and if both
/// options are given.
FeatureColumn categorical_column_with_vocabulary_list(const std::string& key,
                                                      std::vector<std::string> vocabulary_list,
                                                      const VocabularyColumnOptions& options = {});
FeatureColumn categorical_column_with_vocabulary_list(const std::string& key,
                                                      std::vector<int64_t> vocabulary_list,
                                                      const VocabularyColumnOptions& options = {});
/// The same for the lines of a file: the first `vocabulary_size` lines, or all. Throws ValueError
/// if the file has fewer.
FeatureColumn categorical_column_with_vocabulary_file(const std::string& key,
                                                      const std::string& vocabulary_file,
                                                      std::optional<int64_t> vocabulary_size = {},
                                                      const VocabularyColumnOptions& options = {});
/// Hashes strings, and integers as decimal strings, to buckets: FarmHash fingerprint modulo the
/// number of buckets.
FeatureColumn categorical_column_with_hash_bucket(const std::string& key, int64_t hash_bucket_size);
/// Categories with weights from another feature of the same shape.
FeatureColumn weighted_categorical_column(const FeatureColumn& categorical_column,
                                          const std::string& weight_feature_key);

/// A part of a cross: a raw feature by name, a bucketized column, or a categorical one that does
/// not hash.
using CrossKey = std::variant<std::string, FeatureColumn>;
/// All combinations of the categories of several features, hashed. Throws ValueError for fewer than
/// two keys.
FeatureColumn crossed_column(std::vector<CrossKey> keys, int64_t hash_bucket_size,
                             std::optional<int64_t> hash_key = {});

/// The number of occurrences of each category, or the sum of its weights: [batch, buckets].
FeatureColumn indicator_column(const FeatureColumn& categorical_column);

/// Options of embedding_column().
struct EmbeddingColumnOptions {
  std::string combiner = "mean";        ///< of several categories: "mean", "sqrtn", "sum"
  Initializer initializer = {};         ///< not given: truncated normal, stddev 1 / sqrt(dimension)
  std::optional<double> max_norm = {};  ///< longer vectors are scaled down to it
  bool trainable = true;
};
/// The combined vectors of the categories, [batch, dimension]; zeros if all are missing.
FeatureColumn embedding_column(const FeatureColumn& categorical_column, int64_t dimension,
                               const EmbeddingColumnOptions& options = {});

/// For SequenceFeatures: features [batch, time]. Steps at the end may be missing.
FeatureColumn sequence_categorical_column_with_identity(const std::string& key, int64_t num_buckets,
                                                        std::optional<int64_t> default_value = {});
FeatureColumn sequence_categorical_column_with_vocabulary_list(
    const std::string& key, std::vector<std::string> vocabulary_list,
    const VocabularyColumnOptions& options = {});
FeatureColumn sequence_categorical_column_with_vocabulary_file(
    const std::string& key, const std::string& vocabulary_file,
    std::optional<int64_t> vocabulary_size = {}, const VocabularyColumnOptions& options = {});
FeatureColumn sequence_categorical_column_with_hash_bucket(const std::string& key,
                                                           int64_t hash_bucket_size);
/// Numbers [batch, time]. Missing steps are NaN and become `default_value`.
FeatureColumn sequence_numeric_column(const std::string& key, double default_value = 0);

}  // namespace antler::feature_column

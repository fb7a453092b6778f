#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/nn/feature_column.h"
#include "antler/nn/layer.h"

/// Layers of Keras 2 that turn dictionaries of features into tensors by feature columns.
namespace antler {

/// Options of DenseFeatures and SequenceFeatures.
struct FeaturesOptions {
  bool trainable = true;
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  Regularizer activity_regularizer = {};
};

/// Base of both layers: columns sorted by name, with a weight [buckets, dimension] for each
/// embedding column, "<column>/embedding_weights".
class BaseFeatures : public Layer {
 public:
  void build(const std::vector<Shape>& input_shapes) override;
  using Layer::build;
  Json get_config() const override;

 protected:
  BaseFeatures(const char* class_name, std::vector<feature_column::FeatureColumn> columns,
               const FeaturesOptions& options);
  /// The outputs of the columns, concatenated along the last axis. Throws ValueError if the inputs
  /// are not a dictionary or a feature is missing.
  Tensor join(const Nest& features) const;
  const std::vector<feature_column::FeatureColumn>& columns() const { return columns_; }

 private:
  std::vector<feature_column::FeatureColumn> columns_;
  std::shared_ptr<std::vector<Variable>> tables_;  ///< by column; undefined for columns without one
};

/// A dictionary of features as one tensor [batch, n], made by dense columns.
///
///     namespace fc = feature_column;
///     DenseFeatures features({fc::numeric_column("age"),
///                             fc::embedding_column(
///                                 fc::categorical_column_with_hash_bucket("word", 100), 8)});
///     const Tensor x = features(Nest::dict({{"age", age}, {"word", words}})).tensor();
class DenseFeatures : public LayerBase<DenseFeatures, BaseFeatures> {
 public:
  /// Throws ValueError without columns, for equal names and for columns that are not dense. Wrap
  /// categorical columns in indicator_column() or embedding_column().
  explicit DenseFeatures(std::vector<feature_column::FeatureColumn> feature_columns,
                         const FeaturesOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(DenseFeatures, FeaturesOptions,
                             std::vector<feature_column::FeatureColumn>)
  Nest call(const Nest& inputs, const CallOptions& options) override;
};

/// A dictionary of sequences as {[batch, time, n], lengths [batch]}, made by sequence columns. The
/// lengths are those of the first column; Keras 2 checks that all columns agree.
class SequenceFeatures : public LayerBase<SequenceFeatures, BaseFeatures> {
 public:
  /// Throws ValueError as DenseFeatures does, and for columns that are not sequence columns.
  explicit SequenceFeatures(std::vector<feature_column::FeatureColumn> feature_columns,
                            const FeaturesOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(SequenceFeatures, FeaturesOptions,
                             std::vector<feature_column::FeatureColumn>)
  Nest call(const Nest& inputs, const CallOptions& options) override;
};

}  // namespace antler

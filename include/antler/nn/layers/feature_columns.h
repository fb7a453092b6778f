#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/nn/feature_column.h"
#include "antler/nn/layer.h"

/// Layers of Keras 2 that read dictionaries of features by feature columns.
namespace antler {

/// Options of DenseFeatures and SequenceFeatures.
struct FeaturesOptions {
  bool trainable = true;
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  Regularizer activity_regularizer = {};
};

/// What both layers share: columns sorted by name, and a weight [buckets, dimension] for each
/// embedding column, "<column>/embedding_weights".
class BaseFeatures : public Layer {
 public:
  void build(const std::vector<Shape>& input_shapes) override;
  using Layer::build;
  Json get_config() const override;

 protected:
  BaseFeatures(const char* class_name, std::vector<feature_column::FeatureColumn> columns,
               const FeaturesOptions& options);
  /// What the columns give, joined along the last axis. Throws ValueError for inputs that are no
  /// dictionary and features that are missing.
  Tensor join(const Nest& features) const;
  const std::vector<feature_column::FeatureColumn>& columns() const { return columns_; }

 private:
  std::vector<feature_column::FeatureColumn> columns_;
  std::shared_ptr<std::vector<Variable>> tables_;  ///< by column; undefined for those without
};

/// A dictionary of features as one tensor [batch, n], by dense columns (Keras 2's DenseFeatures).
///
///     namespace fc = feature_column;
///     DenseFeatures features({fc::numeric_column("age"),
///                             fc::embedding_column(
///                                 fc::categorical_column_with_hash_bucket("word", 100), 8)});
///     const Tensor x = features(Nest::dict({{"age", age}, {"word", words}})).tensor();
class DenseFeatures : public LayerBase<DenseFeatures, BaseFeatures> {
 public:
  /// Throws ValueError for no columns, equal names, and columns that are not dense: those of
  /// categories belong into indicator_column() or embedding_column().
  explicit DenseFeatures(std::vector<feature_column::FeatureColumn> feature_columns,
                         const FeaturesOptions& options = {});
  Nest call(const Nest& inputs, const CallOptions& options) override;
  using Layer::call;
};

/// A dictionary of sequences as {[batch, time, n], lengths [batch]} (Keras 2's SequenceFeatures),
/// by sequence columns. The length is that of the first column; Keras 2 checks that all are equal.
class SequenceFeatures : public LayerBase<SequenceFeatures, BaseFeatures> {
 public:
  /// Throws ValueError as DenseFeatures, and for columns that are no sequences.
  explicit SequenceFeatures(std::vector<feature_column::FeatureColumn> feature_columns,
                            const FeaturesOptions& options = {});
  Nest call(const Nest& inputs, const CallOptions& options) override;
  using Layer::call;
};

}  // namespace antler

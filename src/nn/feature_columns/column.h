#pragma once

#include <string>
#include <vector>

#include "antler/core/nest.h"
#include "antler/nn/feature_column.h"

namespace antler::feature_column {

/// Categories of each sample, or of each step of a sequence.
struct Categories {
  Tensor ids;      ///< int64 [batch, n]; negative: missing
  Tensor weights;  ///< [batch, n], or undefined
};

/// The weight of an embedding column.
struct EmbeddingTable {
  int64_t rows = 0;
  int64_t dimension = 0;
  Initializer initializer;
  bool trainable = true;
};

/// What a column does. Dense columns give `dense`, those of categories `categories`; bins give
/// both.
struct FeatureColumnImpl {
  virtual ~FeatureColumnImpl() = default;
  virtual std::string name() const = 0;
  virtual std::string class_name() const = 0;
  virtual Json get_config() const = 0;
  virtual bool is_sequence() const { return false; }
  /// Whether it hashes raw features, which a cross does itself.
  virtual bool is_hashed() const { return false; }

  /// Elements per sample; 0 where it is no dense column.
  virtual int64_t size() const { return 0; }
  /// [batch, size], of sequences [batch, time, size]. `table`: the weight, where table() asks for
  /// one.
  virtual Tensor dense(const Nest& features, const Tensor& table) const;
  virtual const EmbeddingTable* table() const { return nullptr; }
  /// Number of categories; 0 where it has none.
  virtual int64_t num_buckets() const { return 0; }
  virtual Categories categories(const Nest& features) const;
  /// Steps of each sample that are there, int64 [batch].
  virtual Tensor sequence_length(const Nest& features) const;
};
using ColumnPtr = std::shared_ptr<const FeatureColumnImpl>;

/// A feature [batch] or [batch, n] as [batch, n]. Throws ValueError where it is missing or of
/// another rank.
Tensor feature_of(const Nest& features, const std::string& key);
/// Of [batch, time] booleans: the last true step + 1, int64 [batch].
Tensor length_of(const Tensor& present);
/// Throws ValueError unless the column has categories.
void check_categorical(const ColumnPtr& column, const char* maker);

// Columns from the "config" of their configurations, where they are defined.
ColumnPtr numeric_from_config(const Json& config);
ColumnPtr bucketized_from_config(const Json& config);
ColumnPtr identity_from_config(const Json& config);
ColumnPtr vocabulary_list_from_config(const Json& config);
ColumnPtr vocabulary_file_from_config(const Json& config);
ColumnPtr hashed_from_config(const Json& config);
ColumnPtr weighted_from_config(const Json& config);
ColumnPtr crossed_from_config(const Json& config);
ColumnPtr indicator_from_config(const Json& config);
ColumnPtr embedding_from_config(const Json& config);
ColumnPtr sequence_categorical_from_config(const Json& config);
ColumnPtr sequence_numeric_from_config(const Json& config);

}  // namespace antler::feature_column

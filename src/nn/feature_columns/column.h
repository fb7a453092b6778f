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

/// A feature column. Dense columns implement `dense`, categorical ones `categories`, bucketized
/// ones both.
struct FeatureColumnImpl {
  virtual ~FeatureColumnImpl() = default;
  virtual std::string name() const = 0;
  virtual std::string class_name() const = 0;
  virtual Json get_config() const = 0;
  virtual bool is_sequence() const { return false; }
  /// Whether the column hashes raw features; a cross hashes them itself.
  virtual bool is_hashed() const { return false; }

  /// Elements per sample; 0 unless the column is dense.
  virtual int64_t size() const { return 0; }
  /// The values, [batch, size], or [batch, time, size] for a sequence. `table` is the weight of an
  /// embedding column.
  virtual Tensor dense(const Nest& features, const Tensor& table) const;
  virtual const EmbeddingTable* table() const { return nullptr; }
  /// Number of categories; 0 unless the column is categorical.
  virtual int64_t num_buckets() const { return 0; }
  virtual Categories categories(const Nest& features) const;
  /// Length of each sequence, int64 [batch].
  virtual Tensor sequence_length(const Nest& features) const;
};
using ColumnPtr = std::shared_ptr<const FeatureColumnImpl>;

/// A feature of shape [batch] or [batch, n] as [batch, n]. Throws ValueError if it is missing or
/// has another rank.
Tensor feature_of(const Nest& features, const std::string& key);
/// The index of the last true step of [batch, time] booleans, plus 1: int64 [batch].
Tensor length_of(const Tensor& present);
/// Throws ValueError unless the column is categorical. `maker` is the function that was called.
void check_categorical(const ColumnPtr& column, const char* maker);

// Make columns from the "config" of their configurations; each function is defined next to its
// class.
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

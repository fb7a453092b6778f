// DenseFeatures, SequenceFeatures.
#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/layers/feature_columns.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/feature_columns/column.h"
#include "nn/layers/classes.h"

namespace antler {

using feature_column::FeatureColumn;

namespace {

/// The configuration: the options and the columns.
struct FeaturesConfig : FeaturesOptions {
  std::vector<FeatureColumn> columns;
};

struct ColumnList {
  std::vector<FeatureColumn>& columns;
};

void write_field(Json& out, const ColumnList& list) {
  out = Json::array();
  for (const FeatureColumn& column : list.columns) out.push_back(column.serialize());
}

void read_field(const Json& in, ColumnList& list) {
  if (!in.is_array()) throw TypeError("expected a list of feature columns");
  list.columns.clear();
  for (const Json& column : in) list.columns.push_back(feature_column::deserialize(column));
}

std::vector<FeatureColumn> sorted_columns(const char* layer, std::vector<FeatureColumn> columns) {
  if (columns.empty()) throw ValueError("feature_columns must not be empty.");
  std::stable_sort(columns.begin(), columns.end(),
                   [](const auto& a, const auto& b) { return a.name() < b.name(); });
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].impl().size() == 0) {
      throw ValueError(
          "Items of feature_columns must be dense columns. You can wrap a categorical column with "
          "an embedding_column or indicator_column. Given to {}: '{}' of class {}.",
          layer, columns[i].name(), columns[i].impl().class_name());
    }
    if (i > 0 && columns[i].name() == columns[i - 1].name()) {
      throw ValueError(
          "Duplicate feature column name found for columns: '{}'. This usually means that these "
          "columns refer to same base feature. Either one must be discarded or a duplicated but "
          "renamed item must be inserted in features dict.",
          columns[i].name());
    }
  }
  return columns;
}

void check_sequences(const char* layer, const std::vector<FeatureColumn>& columns, bool wanted) {
  for (const FeatureColumn& column : columns) {
    if (column.impl().is_sequence() == wanted) continue;
    throw ValueError("{}: the column '{}' is {}.", layer, column.name(),
                     wanted ? "not a sequence. Use DenseFeatures, or a column made by a sequence_* "
                              "function"
                            : "a sequence. Use SequenceFeatures, or a column made by a function "
                              "without sequence_ in its name");
  }
}

}  // namespace

template <class V>
void fields(V& v, FeaturesConfig& o) {
  ColumnList list{o.columns};
  v("feature_columns", list);
  v.constant("partitioner", nullptr);
}

BaseFeatures::BaseFeatures(const char* class_name, std::vector<FeatureColumn> columns,
                           const FeaturesOptions& options)
    : Layer(class_name, base_options(options)),
      columns_(sorted_columns(class_name, std::move(columns))),
      tables_(std::make_shared<std::vector<Variable>>()) {}

void BaseFeatures::build(const std::vector<Shape>&) {
  for (const FeatureColumn& column : columns_) {
    const feature_column::EmbeddingTable* table = column.impl().table();
    tables_->push_back(table == nullptr
                           ? Variable()
                           : add_weight({.shape = {table->rows, table->dimension},
                                         .initializer = table->initializer,
                                         .trainable = table->trainable,
                                         .name = column.name() + "/embedding_weights"}));
  }
}

Tensor BaseFeatures::join(const Nest& features) const {
  if (!features.is_dict()) {
    throw ValueError("We expected a dictionary here. Instead we got: {}", features.structure());
  }
  Tensors parts;
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Variable& table = (*tables_)[i];
    parts.push_back(
        columns_[i].impl().dense(features, table.defined() ? value_of(table) : Tensor()));
  }
  return ops::concatenate(parts, -1);
}

Json BaseFeatures::get_config() const {
  FeaturesConfig all;
  all.activity_regularizer = activity_regularizer();
  all.columns = columns_;
  return config_of(*this, all);
}

DenseFeatures::DenseFeatures(std::vector<FeatureColumn> feature_columns,
                             const FeaturesOptions& options)
    : LayerBase("DenseFeatures", std::move(feature_columns), options) {
  check_sequences("DenseFeatures", columns(), false);
}

Nest DenseFeatures::call(const Nest& inputs, const CallOptions&) { return join(inputs); }

SequenceFeatures::SequenceFeatures(std::vector<FeatureColumn> feature_columns,
                                   const FeaturesOptions& options)
    : LayerBase("SequenceFeatures", std::move(feature_columns), options) {
  check_sequences("SequenceFeatures", columns(), true);
}

Nest SequenceFeatures::call(const Nest& inputs, const CallOptions&) {
  const Tensor joined = join(inputs);
  return Tensors{joined, columns()[0].impl().sequence_length(inputs)};
}

namespace {

LayerPtr dense_features_from_config(const Json& config) {
  const auto all = options_from<FeaturesConfig>(config, "DenseFeatures");
  return DenseFeatures(all.columns, all).share();
}

LayerPtr sequence_features_from_config(const Json& config) {
  const auto all = options_from<FeaturesConfig>(config, "SequenceFeatures");
  return SequenceFeatures(all.columns, all).share();
}

}  // namespace

LayerClasses feature_column_layers() {
  static constexpr LayerClass kClasses[] = {
      layer_class<DenseFeatures>(dense_features_from_config),
      layer_class<SequenceFeatures>(sequence_features_from_config),
  };
  return kClasses;
}

}  // namespace antler

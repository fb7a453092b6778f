#include "nn/feature_columns/column.h"

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"

namespace antler::feature_column {

namespace {

struct ColumnClass {
  const char* class_name;
  ColumnPtr (*from_config)(const Json& config);
};

constexpr ColumnClass kColumnClasses[] = {
    {"NumericColumn", numeric_from_config},
    {"BucketizedColumn", bucketized_from_config},
    {"IdentityCategoricalColumn", identity_from_config},
    {"VocabularyListCategoricalColumn", vocabulary_list_from_config},
    {"VocabularyFileCategoricalColumn", vocabulary_file_from_config},
    {"HashedCategoricalColumn", hashed_from_config},
    {"WeightedCategoricalColumn", weighted_from_config},
    {"CrossedColumn", crossed_from_config},
    {"IndicatorColumn", indicator_from_config},
    {"EmbeddingColumn", embedding_from_config},
    {"SequenceCategoricalColumn", sequence_categorical_from_config},
    {"SequenceNumericColumn", sequence_numeric_from_config},
};

}  // namespace

Tensor FeatureColumnImpl::dense(const Nest&, const Tensor&) const {
  throw InternalError("The feature column {} is not dense.", name());
}
Categories FeatureColumnImpl::categories(const Nest&) const {
  throw InternalError("The feature column {} is not categorical.", name());
}
Tensor FeatureColumnImpl::sequence_length(const Nest&) const {
  throw InternalError("The feature column {} is not a sequence.", name());
}

Tensor feature_of(const Nest& features, const std::string& key) {
  if (!features.contains(key)) {
    throw ValueError("Feature {} is not in features dictionary.", key);
  }
  const Tensor& feature = features.at(key).tensor();
  if (feature.rank() == 1) return ops::expand_dims(feature, 1);
  if (feature.rank() == 2) return feature;
  throw ValueError("Feature {} must be of rank 1 or 2. Received: shape={}", key, feature.shape());
}

Tensor length_of(const Tensor& present) {
  const Tensor places = ops::iota(present.shape(), 1, DType::int64) + Tensor(1);
  return ops::max(ops::where(present, places, ops::zeros_like(places)), {1});
}

void check_categorical(const ColumnPtr& column, const char* maker) {
  if (column->num_buckets() > 0) return;
  throw ValueError("{}: expected a categorical column. Received: {} '{}'.", maker,
                   column->class_name(), column->name());
}

std::string FeatureColumn::name() const { return impl_->name(); }

Json FeatureColumn::serialize() const {
  return {{"class_name", impl_->class_name()}, {"config", impl_->get_config()}};
}

FeatureColumn deserialize(const Json& json) {
  if (json.is_object() && json.contains("class_name") && json.contains("config")) {
    for (const ColumnClass& known : kColumnClasses) {
      if (json["class_name"] == known.class_name) {
        return FeatureColumn(known.from_config(json["config"]));
      }
    }
  }
  throw ValueError("Could not interpret feature column: {}", json.dump());
}

}  // namespace antler::feature_column

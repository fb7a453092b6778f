// Crosses of categories.
#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/hash.h"
#include "antler/core/string_handles.h"
#include "antler/ops/core.h"
#include "antler/ops/host_map.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "base/strings.h"
#include "nn/feature_columns/column.h"

namespace antler::feature_column {

namespace {

/// The default hash key of TensorFlow.
constexpr int64_t kDefaultHashKey = 0xDECAFCAFFE;
constexpr int64_t kAbsent = -1;

/// Fingerprints of strings, which a cross combines. An empty string counts as a value.
const ops::HostFunctionPtr& cross_fingerprints() {
  static const ops::HostFunctionPtr function = ops::host_function(
      [](const TensorSpec& x) {
        return TensorSpec{DType::int64, x.shape};
      },
      [](const Tensor& x, const Tensor& out) {
        for (int64_t i = 0; i < x.size(); ++i) {
          out.mutable_data<int64_t>()[i] =
              static_cast<int64_t>(fingerprint64(string_of(x.data<uint64_t>()[i])));
        }
      });
  return function;
}

/// Maps tuples to bins: [batch, n, 2 parts] to [batch, n]. Each part is a value and a flag that
/// tells whether it is present. A tuple with a missing value is itself missing.
ops::HostFunctionPtr bins_of_tuples(int64_t bins, int64_t hash_key) {
  const auto spec = [](const TensorSpec& x) {
    return TensorSpec{DType::int64,
                      Shape(std::vector<int64_t>(x.shape.begin(), x.shape.end() - 1))};
  };
  return ops::host_function(spec, [bins, hash_key](const Tensor& x, const Tensor& out) {
    const int64_t width = x.dim(-1);
    for (int64_t i = 0; i < out.size(); ++i) {
      const int64_t* tuple = x.data<int64_t>() + i * width;
      auto hash = static_cast<uint64_t>(hash_key);
      bool whole = true;
      for (int64_t k = 0; k < width; k += 2) {
        hash = join_fingerprints(hash, static_cast<uint64_t>(tuple[k]));
        whole = whole && tuple[k + 1] != 0;
      }
      out.mutable_data<int64_t>()[i] =
          whole ? static_cast<int64_t>(hash % static_cast<uint64_t>(bins)) : kAbsent;
    }
  });
}

struct CrossedColumn : FeatureColumnImpl {
  std::vector<CrossKey> keys;
  int64_t buckets = 0;
  std::optional<int64_t> hash_key;
  ops::HostFunctionPtr map;

  /// The raw features and columns of this cross and of the crosses within it.
  std::vector<CrossKey> leaves() const {
    std::vector<CrossKey> all;
    for (const CrossKey& key : keys) {
      const auto* column = std::get_if<FeatureColumn>(&key);
      const auto* inner =
          column == nullptr ? nullptr : dynamic_cast<const CrossedColumn*>(&column->impl());
      if (inner == nullptr) {
        all.push_back(key);
      } else {
        for (CrossKey& leaf : inner->leaves()) all.push_back(std::move(leaf));
      }
    }
    return all;
  }
  std::string name() const override {
    std::vector<std::string> names;
    for (const CrossKey& key : leaves()) {
      const auto* column = std::get_if<FeatureColumn>(&key);
      names.push_back(column == nullptr ? std::get<std::string>(key) : column->name());
    }
    std::sort(names.begin(), names.end());
    return join(names, "_X_");
  }
  std::string class_name() const override { return "CrossedColumn"; }
  int64_t num_buckets() const override { return buckets; }
  Json get_config() const override {
    Json list = Json::array();
    for (const CrossKey& key : keys) {
      const auto* column = std::get_if<FeatureColumn>(&key);
      list.push_back(column == nullptr ? Json(std::get<std::string>(key)) : column->serialize());
    }
    return {{"keys", list},
            {"hash_bucket_size", buckets},
            {"hash_key", hash_key ? Json(*hash_key) : Json(nullptr)}};
  }
  Categories categories(const Nest& features) const override {
    // As in TensorFlow, sparse tensors, which contain the categories, come before dense ones.
    std::vector<CrossKey> parts = leaves();
    std::stable_partition(parts.begin(), parts.end(), [](const CrossKey& key) {
      return std::holds_alternative<FeatureColumn>(key);
    });
    // The outer product of the parts, flattened to one axis.
    Tensor tuples;
    for (const CrossKey& key : parts) {
      const Tensor part = part_of(key, features);  // [batch, n, 2]
      if (!tuples.defined()) {
        tuples = part;
        continue;
      }
      const int64_t batch = part.dim(0);
      const int64_t before = tuples.dim(1);
      const int64_t count = part.dim(1);
      const Tensor left =
          ops::broadcast_to(ops::expand_dims(tuples, 2), {batch, before, count, tuples.dim(2)});
      const Tensor right = ops::broadcast_to(ops::expand_dims(part, 1), {batch, before, count, 2});
      tuples = ops::reshape(ops::concatenate({left, right}, -1),
                            {batch, before * count, tuples.dim(2) + 2});
    }
    return {ops::host_map(map, tuples), {}};
  }

 private:
  /// The values of one part, and flags that say whether they are present.
  static Tensor part_of(const CrossKey& key, const Nest& features) {
    Tensor values;
    Tensor present;
    if (const auto* column = std::get_if<FeatureColumn>(&key)) {
      const Categories found = column->impl().categories(features);
      if (found.weights.defined()) {
        throw ValueError(
            "crossed_column does not support weight_tensor, but the given column populates "
            "weight_tensor. Given column: {}",
            column->name());
      }
      values = found.ids;
      present = ops::cast(ops::greater_equal(values, Tensor(0)), DType::int64);
    } else {
      const Tensor raw = feature_of(features, std::get<std::string>(key));
      values = raw.dtype() == kStringDType ? ops::host_map(cross_fingerprints(), raw)
                                           : ops::cast(raw, DType::int64);
      present = ops::ones_like(values);
    }
    return ops::stack({values, present}, -1);
  }
};

}  // namespace

FeatureColumn crossed_column(std::vector<CrossKey> keys, int64_t hash_bucket_size,
                             std::optional<int64_t> hash_key) {
  if (hash_bucket_size < 1) {
    throw ValueError("hash_bucket_size must be > 1. hash_bucket_size: {}", hash_bucket_size);
  }
  if (keys.size() < 2) {
    throw ValueError("keys must be a list with length > 1. Given: {}.", keys.size());
  }
  for (const CrossKey& key : keys) {
    const auto* column = std::get_if<FeatureColumn>(&key);
    if (column == nullptr) continue;
    check_categorical(column->shared(), "crossed_column");
    if (column->impl().is_hashed()) {
      throw ValueError(
          "categorical_column_with_hash_bucket is not supported for crossing. Hashing before "
          "crossing will increase probability of collision. Instead, use the feature name as a "
          "string. Given: '{}'.",
          column->name());
    }
  }
  auto column = std::make_shared<CrossedColumn>();
  column->keys = std::move(keys);
  column->buckets = hash_bucket_size;
  column->hash_key = hash_key;
  column->map = bins_of_tuples(hash_bucket_size, hash_key.value_or(kDefaultHashKey));
  return FeatureColumn(column);
}

ColumnPtr crossed_from_config(const Json& config) {
  std::vector<CrossKey> keys;
  for (const Json& key : config.at("keys")) {
    if (key.is_string()) {
      keys.emplace_back(key.get<std::string>());
    } else {
      keys.emplace_back(deserialize(key));
    }
  }
  const Json hash_key = config.value("hash_key", Json(nullptr));
  return crossed_column(std::move(keys), config.at("hash_bucket_size"),
                        hash_key.is_null() ? std::nullopt : std::optional(hash_key.get<int64_t>()))
      .shared();
}

}  // namespace antler::feature_column

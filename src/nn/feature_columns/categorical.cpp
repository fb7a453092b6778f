// Categorical columns: identity, vocabularies, hashes, weights.
#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/hash.h"
#include "antler/core/string_handles.h"
#include "antler/nn/layers/vocabulary.h"
#include "antler/ops/core.h"
#include "antler/ops/hash.h"
#include "antler/ops/host_map.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "nn/feature_columns/column.h"

namespace antler::feature_column {

namespace {

constexpr int64_t kMissing = -1;

TensorSpec ids_of_shape(const TensorSpec& x) { return {DType::int64, x.shape}; }

/// Ids of strings; "" means missing.
template <class F>
ops::HostFunctionPtr ids_of_strings(F id_of) {
  return ops::host_function(ids_of_shape, [id_of](const Tensor& x, const Tensor& out) {
    for (int64_t i = 0; i < x.size(); ++i) {
      const std::string& text = string_of(x.data<uint64_t>()[i]);
      out.mutable_data<int64_t>()[i] = text.empty() ? kMissing : id_of(text);
    }
  });
}

bool of_string_dtype(const Tensor& x) { return x.dtype() == kStringDType; }

Tensor integers_of(const Tensor& x, const std::string& key) {
  if (!is_integer(x.dtype()) && x.dtype() != DType::boolean) {
    throw ValueError(
        "The feature {} of a categorical column must contain integers or strings. Received: "
        "dtype={}",
        key, dtype_name(x.dtype()));
  }
  return ops::cast(x, DType::int64);
}

void check_buckets(int64_t buckets, const char* what, const std::string& key) {
  if (buckets >= 1) return;
  throw ValueError("{} {} < 1, column_name {}", what, buckets, key);
}

struct IdentityColumn : FeatureColumnImpl {
  std::string key;
  int64_t buckets = 0;
  std::optional<int64_t> default_value;

  std::string name() const override { return key; }
  std::string class_name() const override { return "IdentityCategoricalColumn"; }
  int64_t num_buckets() const override { return buckets; }
  Json get_config() const override {
    return {{"key", key},
            {"number_buckets", buckets},
            {"default_value", default_value ? Json(*default_value) : Json(nullptr)}};
  }
  Categories categories(const Nest& features) const override {
    const Tensor x = integers_of(feature_of(features, key), key);
    const Tensor outside =
        ops::logical_or(ops::less(x, Tensor(0)), ops::greater_equal(x, Tensor(buckets)));
    const Tensor known =
        ops::where(outside, ops::full_like(x, Tensor(default_value.value_or(kMissing))), x);
    return {ops::where(ops::equal(x, Tensor(kMissing)), x, known), {}};
  }
};

using Vocabulary = std::variant<std::vector<std::string>, std::vector<int64_t>>;

/// A vocabulary from a list or a file.
struct VocabularyColumn : FeatureColumnImpl {
  std::string key;
  Vocabulary vocabulary;
  VocabularyColumnOptions options;
  std::optional<std::string> file;
  std::optional<int64_t> file_size;
  ops::HostFunctionPtr map;

  int64_t size_of_list() const {
    return std::visit([](const auto& list) { return std::ssize(list); }, vocabulary);
  }
  std::string name() const override { return key; }
  std::string class_name() const override {
    return file ? "VocabularyFileCategoricalColumn" : "VocabularyListCategoricalColumn";
  }
  int64_t num_buckets() const override { return size_of_list() + options.num_oov_buckets; }
  bool of_strings() const { return std::holds_alternative<std::vector<std::string>>(vocabulary); }
  Json get_config() const override {
    Json config = {{"key", key}};
    const std::string dtype = of_strings() ? "string" : "int64";
    if (file) {
      config["vocabulary_file"] = *file;
      config["vocabulary_size"] = file_size.value_or(size_of_list());
      config["num_oov_buckets"] = options.num_oov_buckets;
      config["dtype"] = dtype;
      config["default_value"] = options.default_value;
      config["file_format"] = nullptr;
      return config;
    }
    std::visit([&](const auto& list) { config["vocabulary_list"] = list; }, vocabulary);
    config["dtype"] = dtype;
    config["default_value"] = options.default_value;
    config["num_oov_buckets"] = options.num_oov_buckets;
    return config;
  }
  Categories categories(const Nest& features) const override {
    const Tensor x = feature_of(features, key);
    if (of_string_dtype(x) != of_strings()) {
      throw ValueError(
          "Column dtype and feature dtype must be compatible. key: {}, column dtype: {}, feature "
          "dtype: {}",
          key, of_strings() ? "string" : "int64",
          of_string_dtype(x) ? "string" : dtype_name(x.dtype()));
    }
    return {ops::host_map(map, of_strings() ? x : integers_of(x, key)), {}};
  }
};

/// The id of a value that is not in the vocabulary.
int64_t unknown_id(const std::string& text, int64_t size, const VocabularyColumnOptions& o) {
  if (o.num_oov_buckets == 0) return o.default_value;
  return size +
         static_cast<int64_t>(fingerprint64(text) % static_cast<uint64_t>(o.num_oov_buckets));
}

template <class Value>
std::unordered_map<Value, int64_t> places_of(const std::vector<Value>& list,
                                             const std::string& key) {
  std::unordered_map<Value, int64_t> places;
  for (const Value& value : list) places.emplace(value, std::ssize(places));
  if (places.size() < list.size()) {
    throw ValueError("Duplicate keys in vocabulary_list, column_name: {}", key);
  }
  return places;
}

std::shared_ptr<VocabularyColumn> vocabulary_column(const std::string& key, Vocabulary vocabulary,
                                                    const VocabularyColumnOptions& o) {
  auto column = std::make_shared<VocabularyColumn>();
  column->key = key;
  column->vocabulary = std::move(vocabulary);
  column->options = o;
  const int64_t size = column->size_of_list();
  if (size == 0) throw ValueError("vocabulary_list must be non-empty, column_name: {}", key);
  if (o.num_oov_buckets < 0) {
    throw ValueError("Invalid num_oov_buckets {} in {}.", o.num_oov_buckets, key);
  }
  if (o.num_oov_buckets > 0 && o.default_value != kMissing) {
    throw ValueError("Can't specify both num_oov_buckets and default_value in {}.", key);
  }
  if (column->of_strings()) {
    column->map = ids_of_strings(
        [places = places_of(std::get<0>(column->vocabulary), key), size, o](const std::string& t) {
          const auto found = places.find(t);
          return found != places.end() ? found->second : unknown_id(t, size, o);
        });
  } else {
    column->map =
        ops::host_function(ids_of_shape, [places = places_of(std::get<1>(column->vocabulary), key),
                                          size, o](const Tensor& x, const Tensor& out) {
          for (int64_t i = 0; i < x.size(); ++i) {
            const int64_t value = x.data<int64_t>()[i];
            const auto found = places.find(value);
            out.mutable_data<int64_t>()[i] = value == kMissing ? kMissing
                                             : found != places.end()
                                                 ? found->second
                                                 : unknown_id(std::to_string(value), size, o);
          }
        });
  }
  return column;
}

struct HashedColumn : FeatureColumnImpl {
  std::string key;
  int64_t buckets = 0;
  std::string dtype = "string";
  ops::HostFunctionPtr map;

  std::string name() const override { return key; }
  std::string class_name() const override { return "HashedCategoricalColumn"; }
  bool is_hashed() const override { return true; }
  int64_t num_buckets() const override { return buckets; }
  Json get_config() const override {
    return {{"key", key}, {"hash_bucket_size", buckets}, {"dtype", dtype}};
  }
  Categories categories(const Nest& features) const override {
    const Tensor x = feature_of(features, key);
    if (of_string_dtype(x)) return {ops::host_map(map, x), {}};
    const Tensor numbers = integers_of(x, key);
    return {
        ops::where(ops::equal(numbers, Tensor(kMissing)), numbers, ops::hash_bin(numbers, buckets)),
        {}};
  }
};

struct WeightedColumn : FeatureColumnImpl {
  ColumnPtr column;
  std::string weight_key;

  std::string name() const override { return column->name() + "_weighted_by_" + weight_key; }
  std::string class_name() const override { return "WeightedCategoricalColumn"; }
  int64_t num_buckets() const override { return column->num_buckets(); }
  Json get_config() const override {
    return {{"categorical_column", FeatureColumn(column).serialize()},
            {"weight_feature_key", weight_key},
            {"dtype", "float32"}};
  }
  Categories categories(const Nest& features) const override {
    Categories found = column->categories(features);
    found.weights = ops::cast(feature_of(features, weight_key), DType::float32);
    if (!(found.weights.shape() == found.ids.shape())) {
      throw ValueError("The weights {} must have the shape of their categories {}. Received: {}",
                       weight_key, found.ids.shape(), found.weights.shape());
    }
    return found;
  }
};

std::optional<int64_t> optional_integer(const Json& config, const char* key) {
  const auto found = config.find(key);
  if (found == config.end() || found->is_null()) return std::nullopt;
  return found->get<int64_t>();
}

VocabularyColumnOptions vocabulary_options(const Json& config) {
  return {.default_value = optional_integer(config, "default_value").value_or(kMissing),
          .num_oov_buckets = config.value("num_oov_buckets", int64_t{0})};
}

}  // namespace

FeatureColumn categorical_column_with_identity(const std::string& key, int64_t num_buckets,
                                               std::optional<int64_t> default_value) {
  check_buckets(num_buckets, "num_buckets", key);
  if (default_value && (*default_value < 0 || *default_value >= num_buckets)) {
    throw ValueError("default_value {} not in range [0, {}), column_name {}", *default_value,
                     num_buckets, key);
  }
  auto column = std::make_shared<IdentityColumn>();
  column->key = key;
  column->buckets = num_buckets;
  column->default_value = default_value;
  return FeatureColumn(column);
}

FeatureColumn categorical_column_with_vocabulary_list(const std::string& key,
                                                      std::vector<std::string> vocabulary_list,
                                                      const VocabularyColumnOptions& options) {
  return FeatureColumn(vocabulary_column(key, std::move(vocabulary_list), options));
}

FeatureColumn categorical_column_with_vocabulary_list(const std::string& key,
                                                      std::vector<int64_t> vocabulary_list,
                                                      const VocabularyColumnOptions& options) {
  return FeatureColumn(vocabulary_column(key, std::move(vocabulary_list), options));
}

FeatureColumn categorical_column_with_vocabulary_file(const std::string& key,
                                                      const std::string& vocabulary_file,
                                                      std::optional<int64_t> vocabulary_size,
                                                      const VocabularyColumnOptions& options) {
  std::vector<std::string> lines = read_vocabulary(vocabulary_file);
  if (vocabulary_size && (*vocabulary_size < 1 || *vocabulary_size > std::ssize(lines))) {
    throw ValueError("Invalid vocabulary_size {} in {}: the file has {} lines.", *vocabulary_size,
                     key, lines.size());
  }
  if (vocabulary_size) lines.resize(static_cast<size_t>(*vocabulary_size));
  const auto column = vocabulary_column(key, std::move(lines), options);
  column->file = vocabulary_file;
  column->file_size = vocabulary_size;
  return FeatureColumn(column);
}

FeatureColumn categorical_column_with_hash_bucket(const std::string& key,
                                                  int64_t hash_bucket_size) {
  check_buckets(hash_bucket_size, "hash_bucket_size", key);
  auto column = std::make_shared<HashedColumn>();
  column->key = key;
  column->buckets = hash_bucket_size;
  column->map = ids_of_strings([hash_bucket_size](const std::string& text) {
    return static_cast<int64_t>(fingerprint64(text) % static_cast<uint64_t>(hash_bucket_size));
  });
  return FeatureColumn(column);
}

FeatureColumn weighted_categorical_column(const FeatureColumn& categorical_column,
                                          const std::string& weight_feature_key) {
  check_categorical(categorical_column.shared(), "weighted_categorical_column");
  auto column = std::make_shared<WeightedColumn>();
  column->column = categorical_column.shared();
  column->weight_key = weight_feature_key;
  return FeatureColumn(column);
}

ColumnPtr identity_from_config(const Json& config) {
  return categorical_column_with_identity(config.at("key"), config.at("number_buckets"),
                                          optional_integer(config, "default_value"))
      .shared();
}

ColumnPtr vocabulary_list_from_config(const Json& config) {
  const Json& list = config.at("vocabulary_list");
  Vocabulary vocabulary;
  if (!list.empty() && list[0].is_number()) {
    vocabulary = list.get<std::vector<int64_t>>();
  } else {
    vocabulary = list.get<std::vector<std::string>>();
  }
  return vocabulary_column(config.at("key"), std::move(vocabulary), vocabulary_options(config));
}

ColumnPtr vocabulary_file_from_config(const Json& config) {
  return categorical_column_with_vocabulary_file(config.at("key"), config.at("vocabulary_file"),
                                                 optional_integer(config, "vocabulary_size"),
                                                 vocabulary_options(config))
      .shared();
}

ColumnPtr hashed_from_config(const Json& config) {
  const FeatureColumn column =
      categorical_column_with_hash_bucket(config.at("key"), config.at("hash_bucket_size"));
  auto copy = std::make_shared<HashedColumn>(static_cast<const HashedColumn&>(column.impl()));
  copy->dtype = config.value("dtype", std::string("string"));
  return copy;
}

ColumnPtr weighted_from_config(const Json& config) {
  return weighted_categorical_column(deserialize(config.at("categorical_column")),
                                     config.at("weight_feature_key"))
      .shared();
}

}  // namespace antler::feature_column

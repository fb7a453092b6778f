#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/core/required.h"
#include "antler/data/dataset.h"
#include "antler/nn/layer.h"
#include "antler/nn/layer_handle.h"

namespace antler {

/// One feature of a FeatureSpace: the layer that preprocesses it and how the result is encoded.
struct Feature {
  std::string dtype;        ///< "float32", "int32", ...; "string": handles (string_handles())
  LayerPtr preprocessor;    ///< takes [batch, 1]
  std::string output_mode;  ///< "int", "one_hot" or "float"
};

/// A feature, or a kind of feature by name: "float", "float_normalized", "float_rescaled",
/// "float_discretized", "integer_categorical", "string_categorical", "integer_hashed" or
/// "string_hashed".
class FeatureSpec {
 public:
  FeatureSpec(const char* kind) : kind_(kind) {}             // NOLINT(google-explicit-constructor)
  FeatureSpec(std::string kind) : kind_(std::move(kind)) {}  // NOLINT(google-explicit-constructor)
  FeatureSpec(Feature feature)                               // NOLINT(google-explicit-constructor)
      : feature_(std::move(feature)) {}
  const std::string& kind() const { return kind_; }
  const std::optional<Feature>& feature() const { return feature_; }

 private:
  std::string kind_;
  std::optional<Feature> feature_;
};

/// Features that are hashed together: {"color", "size"}, with the FeatureSpace's `crossing_dim`, or
/// FeatureSpace::cross() with its own.
struct FeatureCross {
  FeatureCross(std::initializer_list<std::string> names) : feature_names(names) {}
  explicit FeatureCross(std::vector<std::string> names) : feature_names(std::move(names)) {}
  /// "color_X_size".
  std::string name() const;

  std::vector<std::string> feature_names;
  std::optional<int64_t> crossing_dim = {};
  std::string output_mode = "one_hot";  ///< or "int"
};

/// Arguments of FeatureSpace::float_rescaled() by name.
struct RescaledFeatureArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  double scale = 1;   ///< factor of the values
  double offset = 0;  ///< added afterwards
  std::optional<std::string> name = {};
};
/// Arguments of FeatureSpace::float_discretized() by name.
struct DiscretizedFeatureArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::optional<int64_t> num_bins = {};                    ///< found by adapt()
  std::optional<std::vector<double>> bin_boundaries = {};  ///< or given
  std::string output_mode = "one_hot";                     ///< or "int"
  std::optional<std::string> name = {};
};
/// Arguments of FeatureSpace::integer_categorical() and string_categorical() by name.
struct CategoricalFeatureArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::optional<int64_t> max_tokens = {};  ///< size of the vocabulary; not given: no limit
  int64_t num_oov_indices = 1;             ///< indices for unknown values
  std::string output_mode = "one_hot";     ///< or "int"
  std::optional<std::string> name = {};
};
/// Arguments of FeatureSpace::integer_hashed() and string_hashed() by name.
struct HashedFeatureArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Required<int64_t> num_bins;           ///< number of hash values
  std::string output_mode = "one_hot";  ///< or "int"
  std::optional<std::string> name = {};
};
/// Arguments of FeatureSpace::cross() by name.
struct CrossArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::vector<std::string> feature_names = {};  ///< of the features that are hashed together
  Required<int64_t> crossing_dim;               ///< number of hash values
  std::string output_mode = "one_hot";          ///< or "int"
};

/// Arguments of FeatureSpace, in Keras's order.
struct FeatureSpaceOptions {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::vector<std::pair<std::string, FeatureSpec>> features = {};  ///< by name
  std::string output_mode = "concat";                              ///< or "dict"
  std::vector<FeatureCross> crosses = {};  ///< features that are hashed together
  int64_t crossing_dim = 32;               ///< of crosses without their own
  int64_t hashing_dim = 32;                ///< of "integer_hashed" and "string_hashed"
  int64_t num_discretization_bins = 32;    ///< of "float_discretized"
  std::optional<std::string> name = {};
};

/// Preprocesses and encodes rows of structured data (keras.utils.FeatureSpace).
///
///     FeatureSpace space({{"age", "float_normalized"}, {"city", "string_categorical"}},
///                        {.crosses = {{"city", "age"}}});
///     space.adapt(rows);
///     model.fit(rows_and_labels.map([=](const Nest& e) mutable {
///       return Nest{space(e[0]), e[1]};
///     }));
///
/// Rows are dictionaries of [batch] or [batch, 1], or of scalars for one row. The result is
/// [batch, n] (or [n]), with the features sorted by name, then the crosses; or a dictionary of
/// encoded features.
class FeatureSpace : public LayerBase<FeatureSpace> {
 public:
  using Features = std::vector<std::pair<std::string, FeatureSpec>>;
  /// A single feature without options must be written as
  /// FeatureSpace(FeatureSpace::Features{{"age", "float"}}), because the short form could also mean
  /// a copy. Throws ValueError if there are no features, for unknown kinds and modes, and for
  /// crosses of unknown features.
  explicit FeatureSpace(const Features& features, const FeatureSpaceOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTORS(FeatureSpace, FeatureSpaceOptions, const Features&)
  /// With the features by name. (A template, so that features in braces are not options.)
  template <std::same_as<FeatureSpaceOptions> Options = FeatureSpaceOptions>
  explicit FeatureSpace(const std::type_identity_t<Options>& options)
      : FeatureSpace(options.features, options) {}

  /// Learns vocabularies, statistics and bins from a data set of dictionaries, batched or not; one
  /// pass per feature.
  void adapt(const data::Dataset& rows);
  /// As above, from a dictionary of arrays [rows].
  void adapt(const Nest& arrays);
  /// Placeholders [batch, 1] by name, and their encoded features, for functional models. Throw
  /// ValueError if adapt() is needed and was not called.
  Nest get_inputs();
  Nest get_encoded_features();

  /// Throws ValueError before adapt(), for inputs that are not a dictionary, and for a feature that
  /// cannot be encoded or concatenated; KeyError for a missing or unknown feature.
  Nest call(const Nest& inputs, const CallOptions& options) override;
  void build(const std::vector<Shape>& input_shapes) override;
  using Layer::build;
  Json get_config() const override;
  /// Writes a `.keras` file, which Keras can read.
  void save(const std::string& path) const;
  /// Reads such a file, also one that Keras wrote. Throws what load_model() throws, and TypeError
  /// if the file holds another object.
  static FeatureSpace load(const std::string& path);

  /// The kinds, with arguments. `name` is the preprocessor's; not given: generated.
  using Name = std::optional<std::string>;
  static Feature float_(const Name& name = {});
  static Feature float_rescaled(double scale = 1, double offset = 0, const Name& name = {});
  static Feature float_normalized(const Name& name = {});
  static Feature float_discretized(std::optional<int64_t> num_bins,
                                   const std::optional<std::vector<double>>& bin_boundaries = {},
                                   const std::string& output_mode = "one_hot",
                                   const Name& name = {});
  static Feature integer_categorical(std::optional<int64_t> max_tokens = {},
                                     int64_t num_oov_indices = 1,
                                     const std::string& output_mode = "one_hot",
                                     const Name& name = {});
  static Feature string_categorical(std::optional<int64_t> max_tokens = {},
                                    int64_t num_oov_indices = 1,
                                    const std::string& output_mode = "one_hot",
                                    const Name& name = {});
  static Feature string_hashed(int64_t num_bins, const std::string& output_mode = "one_hot",
                               const Name& name = {});
  static Feature integer_hashed(int64_t num_bins, const std::string& output_mode = "one_hot",
                                const Name& name = {});
  static FeatureCross cross(const std::vector<std::string>& feature_names, int64_t crossing_dim,
                            const std::string& output_mode = "one_hot");
  static Feature float_rescaled(const RescaledFeatureArguments& by_name) {
    return float_rescaled(by_name.scale, by_name.offset, by_name.name);
  }
  template <class... K>
  requires KeywordArguments<K...>
  static Feature float_rescaled(K... keywords) {
    return float_rescaled(from_keywords<RescaledFeatureArguments>(std::move(keywords)...));
  }
  static Feature float_discretized(const DiscretizedFeatureArguments& by_name) {
    return float_discretized(by_name.num_bins, by_name.bin_boundaries, by_name.output_mode,
                             by_name.name);
  }
  template <class... K>
  requires KeywordArguments<K...>
  static Feature float_discretized(K... keywords) {
    return float_discretized(from_keywords<DiscretizedFeatureArguments>(std::move(keywords)...));
  }
  template <class... K>
  requires KeywordArguments<K...>
  static Feature float_discretized(int64_t num_bins, K... keywords) {
    auto by_name = from_keywords<DiscretizedFeatureArguments>(std::move(keywords)...);
    by_name.num_bins = num_bins;
    return float_discretized(by_name);
  }
  static Feature integer_categorical(const CategoricalFeatureArguments& by_name) {
    return integer_categorical(by_name.max_tokens, by_name.num_oov_indices, by_name.output_mode,
                               by_name.name);
  }
  template <class... K>
  requires KeywordArguments<K...>
  static Feature integer_categorical(K... keywords) {
    return integer_categorical(from_keywords<CategoricalFeatureArguments>(std::move(keywords)...));
  }
  template <class... K>
  requires KeywordArguments<K...>
  static Feature integer_categorical(int64_t max_tokens, K... keywords) {
    auto by_name = from_keywords<CategoricalFeatureArguments>(std::move(keywords)...);
    by_name.max_tokens = max_tokens;
    return integer_categorical(by_name);
  }
  static Feature string_categorical(const CategoricalFeatureArguments& by_name) {
    return string_categorical(by_name.max_tokens, by_name.num_oov_indices, by_name.output_mode,
                              by_name.name);
  }
  template <class... K>
  requires KeywordArguments<K...>
  static Feature string_categorical(K... keywords) {
    return string_categorical(from_keywords<CategoricalFeatureArguments>(std::move(keywords)...));
  }
  template <class... K>
  requires KeywordArguments<K...>
  static Feature string_categorical(int64_t max_tokens, K... keywords) {
    auto by_name = from_keywords<CategoricalFeatureArguments>(std::move(keywords)...);
    by_name.max_tokens = max_tokens;
    return string_categorical(by_name);
  }
  static Feature string_hashed(const HashedFeatureArguments& by_name) {
    return string_hashed(by_name.num_bins, by_name.output_mode, by_name.name);
  }
  template <class... K>
  requires KeywordArguments<K...>
  static Feature string_hashed(K... keywords) {
    return string_hashed(from_keywords<HashedFeatureArguments>(std::move(keywords)...));
  }
  template <class... K>
  requires KeywordArguments<K...>
  static Feature string_hashed(int64_t num_bins, K... keywords) {
    auto by_name = from_keywords<HashedFeatureArguments>(std::move(keywords)...);
    by_name.num_bins = num_bins;
    return string_hashed(by_name);
  }
  static Feature integer_hashed(const HashedFeatureArguments& by_name) {
    return integer_hashed(by_name.num_bins, by_name.output_mode, by_name.name);
  }
  template <class... K>
  requires KeywordArguments<K...>
  static Feature integer_hashed(K... keywords) {
    return integer_hashed(from_keywords<HashedFeatureArguments>(std::move(keywords)...));
  }
  template <class... K>
  requires KeywordArguments<K...>
  static Feature integer_hashed(int64_t num_bins, K... keywords) {
    auto by_name = from_keywords<HashedFeatureArguments>(std::move(keywords)...);
    by_name.num_bins = num_bins;
    return integer_hashed(by_name);
  }
  static FeatureCross cross(const CrossArguments& by_name) {
    return cross(by_name.feature_names, by_name.crossing_dim, by_name.output_mode);
  }
  template <class... K>
  requires KeywordArguments<K...>
  static FeatureCross cross(K... keywords) {
    return cross(from_keywords<CrossArguments>(std::move(keywords)...));
  }
  template <class... K>
  requires KeywordArguments<K...>
  static FeatureCross cross(const std::vector<std::string>& feature_names, K... keywords) {
    auto by_name = from_keywords<CrossArguments>(std::move(keywords)...);
    by_name.feature_names = feature_names;
    return cross(by_name);
  }
  /// A feature with a custom preprocessor. Throws ValueError for an unknown mode.
  static Feature feature(const std::string& dtype, const LayerHandle& preprocessor,
                         const std::string& output_mode);

 private:
  struct State;
  Nest encode(const Nest& inputs) const;
  std::shared_ptr<State> own_;  ///< shared by copies
};

}  // namespace antler

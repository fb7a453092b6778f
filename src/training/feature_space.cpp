#include "antler/training/feature_space.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/core/string_handles.h"
#include "antler/nn/layers.h"
#include "antler/nn/registry.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/training/adapt.h"
#include "antler/training/saving.h"
#include "base/strings.h"
#include "training/feature_config.h"
#include "training/model_config.h"
#include "training/model_store.h"
#include "training/structure.h"

namespace antler {

struct FeatureSpace::State {
  FeatureSpaceOptions options;
  std::vector<std::pair<std::string, Feature>> features;
  std::vector<std::string> to_adapt;
  bool adapted = false;
  std::vector<LayerPtr> crossers;  ///< of options.crosses
  std::map<std::string, LayerPtr> encoders;
  Nest inputs;
  Nest encoded;

  const Feature& feature(const std::string& name) const {
    const auto found = std::find_if(features.begin(), features.end(),
                                    [&](const auto& f) { return f.first == name; });
    if (found == features.end()) throw KeyError("The FeatureSpace has no feature '{}'.", name);
    return found->second;
  }
  void check_adapted() {
    if (adapted) return;
    if (!to_adapt.empty()) {
      throw ValueError(
          "You need to call `.adapt(dataset)` on the FeatureSpace before you can start using it.");
    }
    adapted = true;
  }
};

namespace {

std::string preprocessor_name(const FeatureSpace::Name& name, const char* kind) {
  return (name ? *name : unique_name(kind)) + "_preprocessor";
}

void check_mode(const std::string& mode, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), mode) != known.end()) return;
  throw ValueError(
      "Invalid value for argument `output_mode`. Expected one of {{{}}}. Received: output_mode={}",
      training::quoted(known), mode);
}

Feature feature_of_kind(const std::string& kind, const std::string& name,
                        const FeatureSpaceOptions& o) {
  if (kind == "float") return FeatureSpace::float_(name);
  if (kind == "float_normalized") return FeatureSpace::float_normalized(name);
  if (kind == "float_rescaled") return FeatureSpace::float_rescaled(1, 0, name);
  if (kind == "float_discretized") {
    return FeatureSpace::float_discretized(o.num_discretization_bins, {}, "one_hot", name);
  }
  if (kind == "integer_categorical") {
    return FeatureSpace::integer_categorical({}, 1, "one_hot", name);
  }
  if (kind == "string_categorical") return FeatureSpace::string_categorical({}, 1, "one_hot", name);
  if (kind == "integer_hashed") return FeatureSpace::integer_hashed(o.hashing_dim, "one_hot", name);
  if (kind == "string_hashed") return FeatureSpace::string_hashed(o.hashing_dim, "one_hot", name);
  throw ValueError("Invalid feature type: " + kind);
}

/// Whether a preprocessor still has to learn its mean, vocabulary or bins.
bool needs_adapt(const Layer& layer) {
  if (dynamic_cast<const Adaptable*>(&layer) == nullptr) return false;
  const Json config = layer.get_config();
  for (const char* given : {"mean", "vocabulary", "bin_boundaries"}) {
    if (config.contains(given) && !config[given].is_null()) return false;
  }
  return true;
}

/// The number of values that an integer feature can have.
int64_t cardinality_of(const std::string& name, const Layer& layer) {
  if (const auto* lookup = dynamic_cast<const IntegerLookup*>(&layer)) {
    return lookup->vocabulary_size();
  }
  if (const auto* lookup = dynamic_cast<const StringLookup*>(&layer)) {
    return lookup->vocabulary_size();
  }
  if (const auto* bins = dynamic_cast<const Discretization*>(&layer)) {
    return std::ssize(bins->bin_boundaries()) + 1;
  }
  const Json config = layer.get_config();
  if (layer.class_name() == "CategoryEncoding") return config["num_tokens"].get<int64_t>();
  if (layer.class_name() == "Hashing" || layer.class_name() == "HashedCrossing") {
    return config["num_bins"].get<int64_t>();
  }
  throw ValueError(
      "Feature '{}' has `output_mode='one_hot'`. However it isn't a standard feature and the "
      "dimensionality of its output space is not known, thus it cannot be one-hot encoded. Try "
      "using `output_mode='int'`.",
      name);
}

Tensor as_column(const Tensor& x) {
  if (x.rank() == 0) return ops::reshape(x, Shape{1, 1});
  return x.rank() == 1 ? ops::expand_dims(x, -1) : x;
}

}  // namespace

std::string FeatureCross::name() const { return join(feature_names, "_X_"); }

FeatureSpace::FeatureSpace(const Features& features, const FeatureSpaceOptions& options)
    : LayerBase("FeatureSpace", {.name = options.name}), own_(std::make_shared<State>()) {
  if (features.empty()) throw ValueError("The `features` argument cannot be None or empty.");
  check_mode(options.output_mode, {"dict", "concat"});
  set_autocast(false);
  State& s = *own_;
  s.options = options;
  std::map<std::string, int> used;
  for (const auto& [name, spec] : features) {
    const Feature feature =
        spec.feature() ? *spec.feature() : feature_of_kind(spec.kind(), name, s.options);
    s.features.emplace_back(name, feature);
    if (needs_adapt(*feature.preprocessor)) s.to_adapt.push_back(name);
    // The paths of Keras's weight files.
    const std::string snake = to_snake_case(feature.preprocessor->class_name());
    const int number = used[snake]++;
    track_layer("preprocessors/" + snake + (number > 0 ? "_" + std::to_string(number) : ""),
                feature.preprocessor);
  }
  for (FeatureCross& cross : s.options.crosses) {
    check_mode(cross.output_mode, {"int", "one_hot"});
    for (const std::string& name : cross.feature_names) {
      if (std::none_of(features.begin(), features.end(),
                       [&](const auto& f) { return f.first == name; })) {
        throw ValueError(
            "All features referenced in the `crosses` argument should be present in the "
            "`features` dict. Received unknown features: {}",
            name);
      }
    }
    if (!cross.crossing_dim) {
      if (options.crossing_dim == 0) {
        throw ValueError(
            "When specifying `crosses`, the argument `crossing_dim` (dimensionality of the "
            "crossing space) should be specified as well.");
      }
      cross.crossing_dim = options.crossing_dim;
    }
    s.crossers.push_back(HashedCrossing(*cross.crossing_dim, {.name = cross.name()}).share());
  }
}

void FeatureSpace::build(const std::vector<Shape>&) {}  // adapt() builds the preprocessors

Feature FeatureSpace::float_(const Name& name) {
  return {"float32", training::identity_preprocessor(preprocessor_name(name, "float")), "float"};
}

Feature FeatureSpace::float_rescaled(double scale, double offset, const Name& name) {
  RescalingOptions options{.offset = offset, .name = preprocessor_name(name, "float_rescaled")};
  return {"float32", Rescaling(scale, options).share(), "float"};
}

Feature FeatureSpace::float_normalized(const Name& name) {
  const std::string layer = preprocessor_name(name, "float_normalized");
  return {"float32", Normalization({.name = layer}).share(), "float"};
}

Feature FeatureSpace::float_discretized(std::optional<int64_t> num_bins,
                                        const std::optional<std::vector<double>>& bin_boundaries,
                                        const std::string& output_mode, const Name& name) {
  return feature("float32",
                 Discretization({.bin_boundaries = bin_boundaries,
                                 .num_bins = num_bins,
                                 .name = preprocessor_name(name, "float_discretized")}),
                 output_mode);
}

Feature FeatureSpace::integer_categorical(std::optional<int64_t> max_tokens,
                                          int64_t num_oov_indices, const std::string& output_mode,
                                          const Name& name) {
  return feature("int32",
                 IntegerLookup({.max_tokens = max_tokens,
                                .num_oov_indices = num_oov_indices,
                                .name = preprocessor_name(name, "integer_categorical")}),
                 output_mode);
}

Feature FeatureSpace::string_categorical(std::optional<int64_t> max_tokens, int64_t num_oov_indices,
                                         const std::string& output_mode, const Name& name) {
  return feature("string",
                 StringLookup({.max_tokens = max_tokens,
                               .num_oov_indices = num_oov_indices,
                               .name = preprocessor_name(name, "string_categorical")}),
                 output_mode);
}

Feature FeatureSpace::string_hashed(int64_t num_bins, const std::string& output_mode,
                                    const Name& name) {
  return feature("string", Hashing(num_bins, {.name = preprocessor_name(name, "string_hashed")}),
                 output_mode);
}

Feature FeatureSpace::integer_hashed(int64_t num_bins, const std::string& output_mode,
                                     const Name& name) {
  return feature("int32", Hashing(num_bins, {.name = preprocessor_name(name, "integer_hashed")}),
                 output_mode);
}

FeatureCross FeatureSpace::cross(const std::vector<std::string>& feature_names,
                                 int64_t crossing_dim, const std::string& output_mode) {
  check_mode(output_mode, {"int", "one_hot"});
  FeatureCross cross(feature_names);
  cross.crossing_dim = crossing_dim;
  cross.output_mode = output_mode;
  return cross;
}

Feature FeatureSpace::feature(const std::string& dtype, const LayerHandle& preprocessor,
                              const std::string& output_mode) {
  check_mode(output_mode, {"int", "one_hot", "float"});
  return {dtype, preprocessor.layer(), output_mode};
}

void FeatureSpace::adapt(const data::Dataset& rows) {
  State& s = *own_;
  for (const std::string& name : s.to_adapt) {
    const data::Dataset values =
        rows.map([name](const Nest& row) -> Nest { return row.at(name).tensor(); });
    const auto first = values.begin();
    if (first == values.end()) throw ValueError("adapt: the data set has no elements.");
    const bool single = (*first).tensor().rank() == 0;
    const data::Dataset batches = single ? values.batch(32) : values;
    antler::adapt(dynamic_cast<Adaptable&>(*s.feature(name).preprocessor),
                  batches.map([](const Nest& x) -> Nest { return as_column(x.tensor()); }));
  }
  s.adapted = true;
  s.encoders.clear();
  s.encoded = Nest();
  get_encoded_features();
}

void FeatureSpace::adapt(const Nest& arrays) {
  if (!arrays.is_dict()) {
    throw ValueError(
        "`adapt()` can only be called on a data set or a dictionary of arrays. Received: {}",
        arrays.structure());
  }
  adapt(data::Dataset::from_tensor_slices(arrays));
}

Nest FeatureSpace::get_inputs() {
  State& s = *own_;
  s.check_adapted();
  if (s.inputs.is_none()) {
    Nest::Items items;
    for (const auto& [name, feature] : s.features) {
      items.emplace_back(name, Input({1}, {.dtype = feature.dtype, .name = name}));
    }
    s.inputs = Nest::dict(std::move(items));
  }
  return s.inputs;
}

Nest FeatureSpace::get_encoded_features() {
  State& s = *own_;
  const Nest inputs = get_inputs();
  if (s.encoded.is_none()) s.encoded = encode(inputs);
  return s.encoded;
}

Nest FeatureSpace::encode(const Nest& inputs) const {
  State& s = *own_;
  std::map<std::string, Tensor> preprocessed;
  for (const auto& [name, x] : inputs.items()) {
    preprocessed[name] = (*s.feature(name).preprocessor)(x.tensor());
  }
  for (const auto& [name, feature] : s.features) {
    if (!preprocessed.contains(name)) {
      throw KeyError("The data does not have the feature '{}' of the FeatureSpace.", name);
    }
  }
  struct Part {
    std::string name;
    Tensor value;
    std::string mode;
    LayerPtr layer;
  };
  std::vector<Part> parts;
  for (const auto& [name, value] : preprocessed) {
    const Feature& feature = s.feature(name);
    parts.push_back({name, value, feature.output_mode, feature.preprocessor});
  }
  std::map<std::string, Part> crossed;
  for (size_t i = 0; i < s.crossers.size(); ++i) {
    const FeatureCross& cross = s.options.crosses[i];
    std::vector<Nest> values;
    for (const std::string& name : cross.feature_names) values.emplace_back(preprocessed[name]);
    const Tensor value = (*s.crossers[i])(Nest(std::move(values))).tensor();
    crossed[cross.name()] = {cross.name(), value, cross.output_mode, s.crossers[i]};
  }
  for (auto& [name, part] : crossed) parts.push_back(part);

  for (Part& part : parts) {
    if (part.mode != "one_hot") continue;
    if (!is_integer(part.value.dtype()) || part.value.dtype() == kStringDType) {
      throw ValueError(
          "Feature '{}' has `output_mode='one_hot'`. Thus its preprocessor should return an "
          "integer dtype. Instead it returns a {} dtype.",
          part.name, dtype_name(part.value.dtype()));
    }
    LayerPtr& encoder = s.encoders[part.name];
    if (!encoder) {
      encoder = CategoryEncoding(cardinality_of(part.name, *part.layer)).share();
    }
    part.value = (*encoder)(part.value);
  }
  if (s.options.output_mode == "dict") {
    Nest::Items items;
    for (const Part& part : parts) items.emplace_back(part.name, part.value);
    return Nest::dict(std::move(items));
  }
  std::vector<Nest> values;
  for (const Part& part : parts) {
    if (!is_floating(part.value.dtype())) {
      throw ValueError(
          "Cannot concatenate features because feature '{}' has not been encoded (it has dtype "
          "{}). Consider using `output_mode='dict'`.",
          part.name, dtype_name(part.value.dtype()));
    }
    values.emplace_back(part.value);
  }
  if (values.size() == 1) return values[0];
  return Concatenate({.axis = -1})(Nest(std::move(values)));
}

Nest FeatureSpace::call(const Nest& inputs, const CallOptions&) {
  own_->check_adapted();
  if (!inputs.is_dict()) {
    throw ValueError("A FeatureSpace can only be called with a dict. Received: {}",
                     inputs.structure());
  }
  bool single = false;
  Nest::Items items = inputs.items();
  for (auto& [name, item] : items) {
    const Tensor& x = item.tensor();
    single = single || x.rank() == 0;
    const bool convert = is_floating(x.dtype()) && own_->feature(name).dtype == "float32";
    item = as_column(convert ? ops::cast(x, DType::float32) : x);
  }
  const Nest encoded = encode(Nest::dict(std::move(items)));
  if (!single) return encoded;
  return encoded.map(
      [](const Tensor& x) { return x.rank() > 1 && x.dim(0) == 1 ? ops::squeeze(x, 0) : x; });
}

Json FeatureSpace::get_config() const {
  const State& s = *own_;
  Json features = Json::object();
  for (const auto& [name, feature] : s.features) {
    features[name] = training::feature_to_config(feature);
  }
  Json crosses = Json::array();
  for (const FeatureCross& cross : s.options.crosses) {
    crosses.push_back(training::cross_to_config(cross));
  }
  return {{"features", features},
          {"output_mode", s.options.output_mode},
          {"crosses", crosses},
          {"crossing_dim", s.options.crossing_dim},
          {"hashing_dim", s.options.hashing_dim},
          {"num_discretization_bins", s.options.num_discretization_bins}};
}

void FeatureSpace::save(const std::string& path) const {
  if (!path.ends_with(".keras")) {
    throw ValueError("A FeatureSpace is saved to a `.keras` file. Received: {}", path);
  }
  own_->check_adapted();
  Json build = Json::object();
  for (const auto& [name, feature] : own_->features) {
    build[name] = training::build_config_of(*feature.preprocessor);
    if (build[name].is_null()) build[name] = Json::object();
  }
  const Json object = {{"module", "keras.utils"},
                       {"class_name", "FeatureSpace"},
                       {"config", get_config()},
                       {"registered_name", nullptr},
                       {"build_config", build}};
  training::save_archive(path, object, *this);
}

namespace {

LayerPtr feature_space_from_config(const Json& config) {
  FeatureSpace::Features features;
  for (const auto& [name, feature] : config.at("features").items()) {
    features.emplace_back(name, training::feature_from_config(feature));
  }
  FeatureSpaceOptions options;
  options.output_mode = config.value("output_mode", options.output_mode);
  if (config.contains("crosses") && config["crosses"].is_array()) {
    for (const Json& cross : config["crosses"]) {
      options.crosses.push_back(training::cross_from_config(cross));
    }
  }
  options.crossing_dim = config.value("crossing_dim", options.crossing_dim);
  options.hashing_dim = config.value("hashing_dim", options.hashing_dim);
  options.num_discretization_bins =
      config.value("num_discretization_bins", options.num_discretization_bins);
  return FeatureSpace(features, options).share();
}

}  // namespace

FeatureSpace FeatureSpace::load(const std::string& path) {
  const LayerPtr layer =
      load_model_object(path, {.custom_objects = {{"FeatureSpace", feature_space_from_config}}});
  const auto* space = dynamic_cast<const FeatureSpace*>(layer.get());
  if (space == nullptr) throw TypeError("'{}' does not contain a FeatureSpace.", path);
  FeatureSpace loaded = *space;
  loaded.own_->adapted = true;
  loaded.get_encoded_features();  // creates the encoders, so that calls are thread-safe
  return loaded;
}

}  // namespace antler

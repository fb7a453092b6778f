#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/activation.h"
#include "antler/nn/axis_list.h"
#include "antler/nn/constraint.h"
#include "antler/nn/initializer.h"
#include "antler/nn/layer.h"
#include "antler/nn/regularizer.h"
#include "antler/nn/sizes.h"

/// Options to and from Keras's configurations. A layer names its fields once,
///
///     template <class V> void fields(V& v, DenseOptions& o) { v("units", o.units); v("activation",
///     o.activation); ... }
///
/// and config_of() / options_from() do the rest.
namespace antler {

/// Keras's way to write an object: {"module", "class_name", "config", "registered_name"}.
Json keras_object(const std::string& module, const std::string& class_name, Json config);

void write_field(Json& out, bool value);
void write_field(Json& out, int value);
void write_field(Json& out, int64_t value);
void write_field(Json& out, double value);
void write_field(Json& out, const std::string& value);
void write_field(Json& out, const std::vector<int64_t>& value);
void write_field(Json& out, const Shape& value);
void write_field(Json& out, const Sizes& value);
void write_field(Json& out, const AxisList& value);
void write_field(Json& out, const ActivationFunction& value);
void write_field(Json& out, const Initializer& value);
void write_field(Json& out, const Regularizer& value);
void write_field(Json& out, const Constraint& value);
template <class T>
void write_field(Json& out, const std::optional<T>& value) {
  if (value) {
    write_field(out, *value);
  } else {
    out = nullptr;
  }
}

/// Throw TypeError when the JSON has another type.
void read_field(const Json& in, bool& value);
void read_field(const Json& in, int& value);
void read_field(const Json& in, int64_t& value);
void read_field(const Json& in, double& value);
void read_field(const Json& in, std::string& value);
void read_field(const Json& in, std::vector<int64_t>& value);
void read_field(const Json& in, Shape& value);
void read_field(const Json& in, Sizes& value);
void read_field(const Json& in, AxisList& value);
void read_field(const Json& in, ActivationFunction& value);
void read_field(const Json& in, Initializer& value);
void read_field(const Json& in, Regularizer& value);
void read_field(const Json& in, Constraint& value);
template <class T>
void read_field(const Json& in, std::optional<T>& value) {
  if (in.is_null()) {
    value.reset();
  } else {
    read_field(in, value.emplace());
  }
}

/// Writes fields to a configuration.
class FieldWriter {
 public:
  explicit FieldWriter(Json& out) : out_(out) {}
  template <class T>
  void operator()(const char* key, const T& value) {
    write_field(out_[key], value);
  }
  /// A key that a configuration must have.
  template <class T>
  void required(const char* key, const T& value) {
    (*this)(key, value);
  }
  /// Integers that Keras writes as a number when there is one.
  void integer_or_list(const char* key, const std::vector<int64_t>& value) {
    if (value.size() == 1) {
      write_field(out_[key], value[0]);
    } else {
      write_field(out_[key], value);
    }
  }
  /// An older name of an option; read only.
  template <class T>
  void legacy(const char*, const T&) {}
  /// Sizes; -1 stands for None.
  void dims(const char* key, const std::optional<std::vector<int64_t>>& value);
  /// A key that Keras leaves out when there is no value.
  template <class T>
  void when_given(const char* key, const std::optional<T>& value) {
    if (value) write_field(out_[key], *value);
  }
  /// A key of Keras that supports only this value. It is written so that Keras can read the file.
  void constant(const char* key, const Json& value) { out_[key] = value; }

 private:
  Json& out_;
};

/// Whether a field of type T can hold null.
template <class T>
inline constexpr bool kTakesNull = false;
template <class T>
inline constexpr bool kTakesNull<std::optional<T>> = true;

/// What a FieldReader does with null for a field that cannot hold it.
enum class Nulls : uint8_t { are_read, keep_defaults };

/// Reads fields from a configuration; absent keys leave the default.
class FieldReader {
 public:
  FieldReader(const Json& in, std::string class_name, Nulls nulls = Nulls::are_read)
      : in_(in), class_name_(std::move(class_name)), nulls_(nulls) {}
  template <class T>
  void operator()(const char* key, T& value) {
    known_.insert(key);
    const auto it = in_.find(key);
    if (it == in_.end()) return;
    if (it->is_null() && nulls_ == Nulls::keep_defaults && !kTakesNull<T>) return;
    read(key, *it, value);
  }
  /// Throws TypeError, as a call in Python would, if the configuration lacks the key.
  template <class T>
  void required(const char* key, T& value) {
    if (!in_.contains(key)) fail_missing(key);
    (*this)(key, value);
  }
  void integer_or_list(const char* key, std::vector<int64_t>& value) { (*this)(key, value); }
  template <class T>
  void when_given(const char* key, std::optional<T>& value) {
    (*this)(key, value);
  }
  template <class T>
  void legacy(const char* key, T& value) {
    (*this)(key, value);
  }
  void dims(const char* key, std::optional<std::vector<int64_t>>& value);
  /// The policy in "dtype": a name or a DTypePolicy object.
  void dtype(std::optional<std::string>& value);
  /// Throws ValueError if the configuration has another value.
  void constant(const char* key, const Json& value);
  /// Throws TypeError, as Keras does, for keys that no field has read.
  void finish() const;

 private:
  template <class T>
  void read(const char* key, const Json& in, T& value) {
    if constexpr (std::is_same_v<T, Sizes>) {
      if (in.is_array() && in.empty()) fail_empty(key);
    }
    try {
      read_field(in, value);
    } catch (const TypeError& error) {
      fail(key, in, error.what());
    }
  }
  [[noreturn]] void fail(const char* key, const Json& in, const char* what) const;
  [[noreturn]] void fail_missing(const char* key) const;
  [[noreturn]] void fail_empty(const char* key) const;

  const Json& in_;
  std::string class_name_;
  Nulls nulls_;
  std::set<std::string> known_;
};

/// Every layer's options end with these, and with `activity_regularizer` unless it is among the
/// layer's own.
template <class Options>
concept LayerOptionFields = requires(Options o) {
  { o.name } -> std::same_as<std::optional<std::string>&>;
  { o.dtype } -> std::same_as<std::optional<std::string>&>;
  { o.trainable } -> std::same_as<bool&>;
  { o.activity_regularizer } -> std::same_as<Regularizer&>;
};

template <LayerOptionFields Options>
LayerOptions base_options(const Options& o) {
  return {.name = o.name,
          .dtype = o.dtype,
          .trainable = o.trainable,
          .activity_regularizer = o.activity_regularizer};
}

/// get_config() of a layer whose fields are named by `fields(v, options)`.
template <LayerOptionFields Options>
Json config_of(const Layer& layer, const Options& options) {
  Json config = layer.Layer::get_config();
  FieldWriter writer(config);
  Options copy = options;
  fields(writer, copy);
  return config;
}

/// The options in a configuration. Throws TypeError for unknown keys and if a required one is
/// missing.
template <LayerOptionFields Options>
Options options_from(const Json& config, const std::string& class_name) {
  Options options;
  FieldReader reader(config, class_name);
  reader("name", options.name);
  reader("trainable", options.trainable);
  reader.dtype(options.dtype);
  reader("activity_regularizer", options.activity_regularizer);
  fields(reader, options);
  reader.finish();
  return options;
}

}  // namespace antler

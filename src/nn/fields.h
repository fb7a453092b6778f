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

/// Converts options to Keras's configurations and back. A layer names its fields once:
///
///     template <class V> void fields(V& v, DenseOptions& o) { v("units", o.units); v("activation",
///     o.activation); ... }
///
/// config_of() and options_from() do the rest.
namespace antler {

/// An object in Keras's form: {"module", "class_name", "config", "registered_name"}.
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

/// These throw TypeError if the JSON has another type.
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
  /// Integers. Keras writes a single one as a number.
  void integer_or_list(const char* key, const std::vector<int64_t>& value) {
    if (value.size() == 1) {
      write_field(out_[key], value[0]);
    } else {
      write_field(out_[key], value);
    }
  }
  /// An older name of an option; it is only read.
  template <class T>
  void legacy(const char*, const T&) {}
  /// Sizes; -1 represents None.
  void dims(const char* key, const std::optional<Shape>& value);
  /// A key that Keras leaves out when there is no value.
  template <class T>
  void when_given(const char* key, const std::optional<T>& value) {
    if (value) write_field(out_[key], *value);
  }
  /// A key of which only this value is supported. It is written so that Keras can read the file.
  void constant(const char* key, const Json& value) { out_[key] = value; }

 private:
  Json& out_;
};

/// Whether a field of type T can hold null.
template <class T>
inline constexpr bool kTakesNull = false;
template <class T>
inline constexpr bool kTakesNull<std::optional<T>> = true;

/// How a FieldReader treats null for a field that cannot be null.
enum class Nulls : uint8_t { are_read, keep_defaults };

/// Reads fields from a configuration. A missing key leaves the default.
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
  /// Throws TypeError if the configuration lacks the key, like a call in Python.
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
  void dims(const char* key, std::optional<Shape>& value);
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

/// The options of every layer have these fields.
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

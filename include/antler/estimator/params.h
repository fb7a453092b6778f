#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "antler/core/none.h"

namespace antler::estimator {

/// A hyperparameter: None, a bool, a number, a string, or a list of numbers or strings.
class ParamValue {
 public:
  using Variant = std::variant<NoneType, bool, int64_t, double, std::string, std::vector<int64_t>,
                               std::vector<double>, std::vector<std::string>>;
  ParamValue() = default;
  ParamValue(NoneType) {}  // NOLINT(google-explicit-constructor)
  template <std::same_as<bool> B>
  ParamValue(B value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  template <std::integral I>
  requires(!std::same_as<I, bool>) ParamValue(I value)
      : value_(static_cast<int64_t>(value)) {}  // NOLINT(google-explicit-constructor)
  template <std::floating_point F>
  ParamValue(F value)
      : value_(static_cast<double>(value)) {}  // NOLINT(google-explicit-constructor)
  ParamValue(const char* value)
      : value_(std::string(value)) {}  // NOLINT(google-explicit-constructor)
  ParamValue(std::string value)
      : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  ParamValue(std::vector<int64_t> value)
      : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  ParamValue(std::vector<double> value)
      : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  ParamValue(std::vector<std::string> value)
      : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  const Variant& variant() const { return value_; }
  friend bool operator==(const ParamValue&, const ParamValue&);

 private:
  Variant value_;
};

/// Hyperparameters by name, the `params` of an estimator. A value: copies are independent, so what
/// an input_fn or model_fn changes is not seen elsewhere.
class Params {
 public:
  Params() = default;
  Params(std::initializer_list<std::pair<std::string, ParamValue>> items) : items_(items) {}

  bool contains(const std::string& name) const;
  /// Sets or adds.
  void set(const std::string& name, ParamValue value);
  void erase(const std::string& name);
  /// The value as a bool, a number, a string or a vector of these. An integer can be read as a
  /// double. Throws a KeyError that lists the known names, and TypeError for another type.
  template <class T>
  T get(const std::string& name) const;
  /// The same, or `fallback` if there is no such parameter.
  template <class T>
  T get(const std::string& name, T fallback) const {
    return contains(name) ? get<T>(name) : fallback;
  }
  const std::vector<std::pair<std::string, ParamValue>>& items() const { return items_; }
  /// As JSON: `{"lr": 0.5, "batch_size": 6}`.
  std::string str() const;
  friend bool operator==(const Params&, const Params&) = default;

 private:
  const ParamValue& at(const std::string& name) const;
  std::vector<std::pair<std::string, ParamValue>> items_;
};

}  // namespace antler::estimator

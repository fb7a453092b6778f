#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/json.h"
#include "antler/core/nest.h"
#include "antler/core/string_tensor.h"
#include "antler/core/variable.h"
#include "antler/nn/activation.h"
#include "antler/nn/compile_types.h"
#include "antler/nn/constraint.h"
#include "antler/nn/initializer.h"
#include "antler/nn/regularizer.h"
#include "antler/training/model.h"
#include "check.h"

/// The Python objects that the rows of an error table use.
namespace antler::conformance::python {

struct Value;
using Values = std::vector<Value>;

/// Arguments of a call.
struct Arguments;
using Callable = std::function<Value(const Arguments&)>;

struct Sequence {
  bool tuple = false;
  std::shared_ptr<Values> items = {};  // shared, because lists are mutable
};
struct Dictionary {
  std::vector<std::pair<std::string, Value>> items;  ///< keys as strings
};
/// A one-pass iterator.
struct Iterator {
  std::shared_ptr<Values> items = {};
};
/// A module like "keras.layers".
struct Module {
  std::string path = {};
};
/// An object of one of Keras's classes.
struct Object {
  Json json;  ///< as serialized by Keras
  std::variant<std::monostate, LayerPtr, OptimizerPtr, LearningRateSchedule, MetricPtr, Loss,
               Initializer, Regularizer, Constraint, ActivationFunction, CallbackHandle>
      live = {};
};

struct Value {
  std::variant<std::monostate, bool, int64_t, double, std::string, Sequence, Dictionary, Iterator,
               Tensor, StringTensor, Variable, Module, std::shared_ptr<Object>,
               std::shared_ptr<Model>, Callable>
      data = {};

  template <class T>
  const T* get() const {
    return std::get_if<T>(&data);
  }
  bool is_none() const { return get<std::monostate>() != nullptr; }
};

struct Arguments {
  Values positional = {};
  std::vector<std::pair<std::string, Value>> named = {};

  /// The argument at `index` or of this name; None if it is not given.
  Value at(size_t index, const std::string& name) const;
  bool has(size_t index, const std::string& name) const;
  /// Throws Unwritable if there is another name: in C++ a misspelled field does not compile.
  void only(const std::vector<std::string>& names) const;
};

/// Thrown if the mistake in a row cannot be written in C++: a wrong type, a misspelled field.
struct Unwritable {
  std::string reason;
};

/// Arguments of a function by name; missing ones are None.
class Reader {
 public:
  Reader(const Arguments& arguments, std::vector<std::string> names);
  Value operator[](const char* name) const;
  bool given(const char* name) const { return !(*this)[name].is_none(); }

 private:
  const Arguments& arguments_;
  std::vector<std::string> names_;
};

/// The object behind a value if it is of class T, else null.
template <class T>
const T* live(const Value& value) {
  const auto* object = value.get<std::shared_ptr<Object>>();
  return object == nullptr ? nullptr : std::get_if<T>(&(*object)->live);
}
Value object_of(Json json, decltype(Object::live) live = {});

Value list_of(Values items, bool tuple = false);
/// Items of a list, tuple or iterator. Throws Unwritable for anything else.
Values items_of(const Value& value);

// Conversions to C++ types. They throw Unwritable for values of other types.
int64_t to_integer(const Value& value);
std::optional<int64_t> to_optional_integer(const Value& value);
double to_number(const Value& value);
bool to_bool(const Value& value);
std::string to_string(const Value& value);
Tensor to_tensor(const Value& value);
/// An array, a number, or numbers in lists, of the given dtype or that of the numbers.
Tensor array_of(const Value& value, std::optional<DType> dtype = {});
/// DType of a name or of one of NumPy's types; nullopt for None.
std::optional<DType> to_dtype(const Value& value);
Tensors to_tensors(const Value& value);
/// A nest of tensors; None is the empty nest.
Nest to_nest(const Value& value);
Shape to_shape(const Value& value);
LayerPtr to_layer(const Value& value);
/// As in Keras's configs.
Json to_json(const Value& value);
Value from_json(const Json& json);
Value from_nest(const Nest& nest);
Value from_shape(const Shape& shape);

}  // namespace antler::conformance::python

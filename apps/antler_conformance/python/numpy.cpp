// The names in NumPy's modules.
#include <limits>
#include <map>
#include <numbers>

#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/random.h"
#include "python/interpreter.h"

namespace antler::conformance::python {
namespace {

Value array(const Arguments& arguments) {
  return {array_of(arguments.at(0, "object"), to_dtype(arguments.at(1, "dtype")))};
}

Value arange(const Arguments& arguments) {
  const bool from_zero = arguments.positional.size() < 2;
  const int64_t start = from_zero ? 0 : to_integer(arguments.at(0, "start"));
  const int64_t stop = to_integer(arguments.at(from_zero ? 0 : 1, "stop"));
  std::vector<int64_t> numbers;
  for (int64_t i = start; i < stop; ++i) numbers.push_back(i);
  return {
      ops::cast(Tensor::of(numbers), to_dtype(arguments.at(3, "dtype")).value_or(DType::int64))};
}

Callable constant_array(double value) {
  return [value](const Arguments& arguments) -> Value {
    return {Tensor::full(to_dtype(arguments.at(1, "dtype")).value_or(DType::float64),
                         to_shape(arguments.at(0, "shape")), value)};
  };
}

Value full(const Arguments& arguments) {
  const Tensor value = array_of(arguments.at(1, "fill_value"));
  return {Tensor::full(to_dtype(arguments.at(2, "dtype")).value_or(value.dtype()),
                       to_shape(arguments.at(0, "shape")), value.item())};
}

Value identity_matrix(const Arguments& arguments) {
  return {ops::cast(
      ops::eye(to_integer(arguments.at(0, "N")), to_optional_integer(arguments.at(1, "M"))),
      to_dtype(arguments.at(3, "dtype")).value_or(DType::float64))};
}

/// Numbers in [0, 1) of the shape at position `index`, which may be given as separate arguments.
Value random_numbers(const Arguments& arguments, size_t index) {
  Shape shape;
  if (index == 0 && arguments.positional.size() > 1) {
    shape = to_shape(list_of(arguments.positional));
  } else if (const Value size = arguments.at(index, "size"); !size.is_none()) {
    shape = to_shape(size);
  }
  return {ops::random_uniform(Tensor::of<uint32_t>({1, 2}), shape, 0, 1, DType::float64)};
}

Value random_integers(const Arguments& arguments) {
  const int64_t low = to_integer(arguments.at(0, "low"));
  const std::optional<int64_t> high = to_optional_integer(arguments.at(1, "high"));
  return {ops::cast(
      ops::random_integers(Tensor::of<uint32_t>({1, 2}), to_shape(arguments.at(2, "size")),
                           high ? low : 0, high.value_or(low)),
      DType::int64)};
}

Value random_attribute(const std::string& name) {
  if (name == "randint" || name == "integers") return {Callable(random_integers)};
  if (name == "seed") return {Callable([](const Arguments&) -> Value { return {}; })};
  if (name == "default_rng" || name == "RandomState")
    return {Callable([](const Arguments&) -> Value { return {Module{"np.random"}}; })};
  // Rows do not depend on the distribution.
  const bool has_parameters = name == "normal" || name == "uniform";
  return {Callable([has_parameters](const Arguments& arguments) {
    return random_numbers(arguments, has_parameters ? 2 : 0);
  })};
}

}  // namespace

Value attribute_of_numpy(const std::string& path, const std::string& name) {
  if (path == "np.random") return random_attribute(name);
  static const std::map<std::string, Value> names = {
      {"array", {Callable(array)}},
      {"asarray", {Callable(array)}},
      {"arange", {Callable(arange)}},
      {"ones", {constant_array(1)}},
      {"zeros", {constant_array(0)}},
      {"empty", {constant_array(0)}},
      {"full", {Callable(full)}},
      {"eye", {Callable(identity_matrix)}},
      {"nan", {std::numeric_limits<double>::quiet_NaN()}},
      {"inf", {std::numeric_limits<double>::infinity()}},
      {"pi", {std::numbers::pi}},
      {"newaxis", {}},
      {"random", {Module{"np.random"}}},
  };
  if (const auto found = names.find(name); found != names.end()) return found->second;
  for (const char* type : {"float", "int", "uint", "bool"})
    if (name.starts_with(type)) return {Module{"np." + name}};
  // Other functions are those of keras.ops.
  if (const std::optional<Value> function = operation(name)) return *function;
  throw Unsupported{"NumPy's " + name};
}

}  // namespace antler::conformance::python

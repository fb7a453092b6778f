// The names in Keras's and NumPy's modules: classes, functions, nested modules.
#include <fstream>
#include <utility>

#include "antler/nn/activation.h"
#include "antler/nn/constraint.h"
#include "antler/nn/initializers.h"
#include "antler/nn/layers/core.h"
#include "antler/nn/layers/input.h"
#include "antler/nn/optimizers/schedules.h"
#include "antler/nn/registry.h"
#include "antler/nn/regularizer.h"
#include "antler/ops/core.h"
#include "antler/training/callbacks.h"
#include "antler/training/saving.h"
#include "antler/training/sequential.h"
#include "python/interpreter.h"

namespace antler::conformance::python {
namespace {

Value object(Json json, decltype(Object::live) live = {}) {
  return {std::make_shared<Object>(Object{std::move(json), std::move(live)})};
}

Value remember(Session& session, std::shared_ptr<Model> model) {
  session.models.push_back(model);
  return {std::move(model)};
}

DType dtype_of(const Value& value, DType otherwise) {
  return value.is_none() ? otherwise : parse_dtype(to_string(value));
}

// ---- NumPy ----

void flatten(const Value& value, size_t depth, std::vector<int64_t>& shape, Values& leaves) {
  if (value.get<Sequence>() == nullptr) return leaves.push_back(value);
  const Values items = items_of(value);
  if (shape.size() == depth) shape.push_back(std::ssize(items));
  for (const Value& item : items) flatten(item, depth + 1, shape, leaves);
}

Value array(const Arguments& arguments) {
  std::vector<int64_t> shape;
  Values leaves;
  flatten(arguments.at(0, "object"), 0, shape, leaves);
  if (!leaves.empty() && leaves[0].get<std::string>() != nullptr) {
    std::vector<std::string> strings;
    for (const Value& leaf : leaves) strings.push_back(to_string(leaf));
    return {StringTensor(std::move(strings), Shape(shape))};
  }
  bool integers = true;
  std::vector<double> numbers;
  for (const Value& leaf : leaves) {
    integers = integers && leaf.get<int64_t>() != nullptr;
    numbers.push_back(to_number(leaf));
  }
  const DType dtype = dtype_of(arguments.at(1, "dtype"), integers ? DType::int64 : DType::float64);
  return {ops::cast(Tensor::of(numbers, Shape(shape)), dtype)};
}

Value arange(const Arguments& arguments) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < to_integer(arguments.at(0, "stop")); ++i)
    numbers.push_back(static_cast<double>(i));
  return {ops::cast(Tensor::of(numbers), dtype_of(arguments.at(3, "dtype"), DType::int64))};
}

Callable filled(double value) {
  return [value](const Arguments& arguments) -> Value {
    return {Tensor::full(dtype_of(arguments.at(1, "dtype"), DType::float64),
                         to_shape(arguments.at(0, "shape")), value)};
  };
}

Value numpy(const std::string& name) {
  if (name == "array" || name == "asarray") return {Callable(array)};
  if (name == "arange") return {Callable(arange)};
  if (name == "ones") return {filled(1)};
  if (name == "zeros") return {filled(0)};
  if (name.starts_with("float") || name.starts_with("int")) return {name};
  throw Unsupported{"NumPy's " + name};
}

// ---- models ----

Value input(const Arguments& arguments) {
  arguments.only({"shape", "batch_size", "dtype", "batch_shape", "name"});
  InputOptions options;
  if (const Value name = arguments.at(5, "name"); !name.is_none()) options.name = to_string(name);
  if (const Value dtype = arguments.at(2, "dtype"); !dtype.is_none())
    options.dtype = to_string(dtype);
  if (const Value size = arguments.at(1, "batch_size"); !size.is_none())
    options.batch_size = to_integer(size);
  Value shape = arguments.at(0, "shape");
  if (const Value whole = arguments.at(4, "batch_shape"); !whole.is_none()) {
    if (!shape.is_none()) throw Unwritable{"both `shape` and `batch_shape`"};
    const Values dims = items_of(whole);
    if (!dims.at(0).is_none()) options.batch_size = to_integer(dims[0]);
    shape = list_of({dims.begin() + 1, dims.end()});
  }
  return {Input(to_shape(shape), options)};
}

Value sequential(const Arguments& arguments, Session& session) {
  arguments.only({"layers", "name"});
  std::vector<LayerHandle> layers;
  const Value list = arguments.at(0, "layers");
  for (const Value& item : list.is_none() ? Values() : items_of(list)) {
    if (const auto* placeholder = item.get<Tensor>()) {
      layers.emplace_back(*placeholder);
    } else {
      layers.emplace_back(to_layer(item));
    }
  }
  const Value name = arguments.at(2, "name");
  return remember(session, std::make_shared<Sequential>(
                               layers, name.is_none() ? std::string() : to_string(name)));
}

Value functional(const Arguments& arguments, Session& session) {
  arguments.only({"inputs", "outputs", "name"});
  const Value name = arguments.at(2, "name");
  return remember(session,
                  std::make_shared<Model>(to_nest(arguments.at(0, "inputs")),
                                          to_nest(arguments.at(1, "outputs")),
                                          name.is_none() ? std::string() : to_string(name)));
}

Value variable(const Arguments& arguments) {
  const Value name = arguments.at(4, "name");
  return {Variable(to_tensor(arguments.at(0, "initializer")),
                   {.name = name.is_none() ? "variable" : to_string(name)})};
}

Value load(const Arguments& arguments, Session& session) {
  return remember(session,
                  std::make_shared<Model>(load_model(to_string(arguments.at(0, "filepath")))));
}

// ---- objects ----

Value deserialized(const std::string& module, const Json& json) {
  if (module == "keras.layers") return object(json, deserialize_layer(json));
  if (module == "keras.losses") return object(json, losses::deserialize(json));
  if (module == "keras.metrics") return object(json, metrics::deserialize(json));
  if (module == "keras.optimizers") return object(json, optimizers::deserialize(json));
  if (module == "keras.initializers") return object(json, initializers::deserialize(json));
  if (module == "keras.callbacks") return object(json, callbacks::deserialize(json));
  if (module == "keras.regularizers") {
    regularizers::deserialize(json);
  } else if (module == "keras.constraints") {
    constraints::deserialize(json);
  } else if (module == "keras.optimizers.schedules") {
    optimizers::schedules::deserialize(json);
  } else {
    throw Unsupported{"objects of " + module};
  }
  return object(json);
}

/// `get` of a module with any kind of identifier.
Value get(const std::string& module, const Arguments& arguments) {
  const Value identifier = arguments.at(0, "identifier");
  const Json json = to_json(identifier);
  if (module == "keras.losses") return object(json, LossSpec::from_config(json).resolve());
  if (module == "keras.metrics") return object(json, MetricSpec::from_config(json).resolve());
  if (module == "keras.optimizers") return object(json, OptimizerSpec::from_config(json).resolve());
  if (module == "keras.activations") {
    activations::get(to_string(identifier));
    return object(json);
  }
  return deserialized(module, json);
}

Value deserialize_any(const Arguments& arguments) {
  const Json json = to_json(arguments.at(0, "config"));
  return deserialized(json.value("module", std::string()), json);
}

Value lambda_layer(const Arguments& arguments) {
  const Value function = arguments.at(0, "function");
  const auto* callable = function.get<Callable>();
  if (callable == nullptr) throw Unwritable{"a Lambda layer without a function"};
  const Lambda layer("a function of the row", [call = *callable](const Nest& x, const auto&) {
    return to_nest(call({{{x.tensor()}}}));
  });
  return object({{"class_name", "Lambda"}}, layer.share());
}

Value scheduler(const Arguments& arguments) {
  const Value schedule = arguments.at(0, "schedule");
  const auto* callable = schedule.get<Callable>();
  if (callable == nullptr) throw Unwritable{"a schedule that is not a function"};
  to_number((*callable)({{{int64_t{0}}}}));  // throws Unwritable for other return types
  return object(
      {}, CallbackHandle(callbacks::LearningRateScheduler(
              [call = *callable](int64_t epoch, double) { return to_number(call({{{epoch}}})); })));
}

bool is_module(const std::string& path) {
  for (const char* name :
       {"keras.layers", "keras.losses", "keras.metrics", "keras.optimizers", "keras.initializers",
        "keras.regularizers", "keras.constraints", "keras.callbacks", "keras.activations",
        "keras.ops", "keras.saving", "keras.models", "keras.utils", "keras.optimizers.schedules"})
    if (path == name) return true;
  return false;
}

}  // namespace

Value construct(const std::string& module, const std::string& class_name,
                const Arguments& arguments) {
  const std::vector<std::string> names = parameters_of(class_name);
  Json config = Json::object();
  for (size_t i = 0; i < arguments.positional.size(); ++i) {
    if (i >= names.size())
      throw Unsupported{format("so many positional arguments of {}", class_name)};
    config[names[i]] = to_json(arguments.positional[i]);
  }
  for (const auto& [name, value] : arguments.named) config[name] = to_json(value);
  // In C++ an integer converts to a learning rate.
  if (config.contains("learning_rate") && config["learning_rate"].is_number_integer())
    throw Unwritable{"a `learning_rate` that is an integer"};
  return deserialized(module, {{"module", module},
                               {"class_name", class_name},
                               {"config", std::move(config)},
                               {"registered_name", nullptr}});
}

Value attribute_of_module(const Module& module, const std::string& name, Session& session) {
  const std::string& path = module.path;
  if (path == "np") return numpy(name);
  if (path.starts_with("file:") && name == "write") {
    return {Callable([file = path.substr(5)](const Arguments& arguments) -> Value {
      std::ofstream(file) << to_string(arguments.at(0, "s"));
      return {};
    })};
  }
  if (is_module(path + "." + name)) return {Module{path + "." + name}};
  if (name == "Input") return {Callable(input)};
  const auto with_session = [&session](Value (*f)(const Arguments&, Session&)) -> Value {
    return {Callable([f, &session](const Arguments& arguments) { return f(arguments, session); })};
  };
  if (name == "Sequential") return with_session(sequential);
  if (name == "Model") return with_session(functional);
  if (name == "load_model") return with_session(load);
  if (name == "Variable") return {Callable(variable)};
  if (name == "deserialize_keras_object") return {Callable(deserialize_any)};
  if (name == "Lambda") return {Callable(lambda_layer)};
  if (name == "LearningRateScheduler") return {Callable(scheduler)};
  if (path == "keras.ops" && name == "ones") {
    return {Callable([](const Arguments& arguments) -> Value {
      return {Tensor::full(DType::float32, to_shape(arguments.at(0, "shape")), 1)};
    })};
  }
  if (path == "keras" || path == "keras.ops" || path == "keras.saving" || path == "keras.utils")
    throw Unsupported{format("`{}.{}`", path, name)};
  if (name == "get") {
    return {Callable([path](const Arguments& arguments) { return get(path, arguments); })};
  }
  return {Callable(
      [path, name](const Arguments& arguments) { return construct(path, name, arguments); })};
}

}  // namespace antler::conformance::python

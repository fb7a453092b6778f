// The names in Keras's and NumPy's modules: classes, functions, nested modules.
#include <cctype>
#include <fstream>
#include <functional>
#include <type_traits>
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
#include "antler/training/keras_object.h"
#include "antler/training/sequential.h"
#include "python/interpreter.h"

namespace antler::conformance::python {
namespace {

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
  if (shape.get<int64_t>() != nullptr) throw Unwritable{"a shape that is a number"};
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
  if (arguments.positional.empty() && arguments.named.empty())
    return remember(session, std::make_shared<Model>());
  const Value name = arguments.at(2, "name");
  return remember(session,
                  std::make_shared<Model>(to_nest(arguments.at(0, "inputs")),
                                          to_nest(arguments.at(1, "outputs")),
                                          name.is_none() ? std::string() : to_string(name)));
}

Value variable(const Arguments& arguments) {
  const Value name = arguments.at(4, "name");
  return {Variable(array_of(arguments.at(0, "initializer")),
                   {.name = name.is_none() ? "variable" : to_string(name)})};
}

// ---- objects ----

Value deserialized(const std::string& module, const Json& json) {
  if (module == "keras.layers") return object_of(json, deserialize_layer(json));
  if (module == "keras.losses") return object_of(json, losses::deserialize(json));
  if (module == "keras.metrics") return object_of(json, metrics::deserialize(json));
  if (module == "keras.optimizers") return object_of(json, optimizers::deserialize(json));
  if (module == "keras.initializers") return object_of(json, initializers::deserialize(json));
  if (module == "keras.callbacks") return object_of(json, callbacks::deserialize(json));
  if (module == "keras.regularizers") return object_of(json, regularizers::deserialize(json));
  if (module == "keras.constraints") return object_of(json, constraints::deserialize(json));
  if (module == "keras.optimizers.schedules")
    return object_of(json, optimizers::schedules::deserialize(json));
  throw Unsupported{"objects of " + module};
}

/// `get` of a module with any kind of identifier.
Value get(const std::string& module, const Arguments& arguments) {
  const Value identifier = arguments.at(0, "identifier");
  const Json json = to_json(identifier);
  if (module == "keras.losses") return object_of(json, LossSpec::from_config(json).resolve());
  if (module == "keras.metrics") return object_of(json, MetricSpec::from_config(json).resolve());
  if (module == "keras.optimizers")
    return object_of(json, OptimizerSpec::from_config(json).resolve());
  if (module == "keras.activations") {
    return object_of(json, activations::get(to_string(identifier)));
  }
  return deserialized(module, json);
}

Value deserialize_any(const Arguments& arguments) {
  const Json json = to_json(arguments.at(0, "config"));
  const KerasObject made = deserialize_keras_object(json);
  return std::visit(
      [&](const auto& object) -> Value {
        if constexpr (std::is_same_v<std::decay_t<decltype(object)>, DTypePolicy>) {
          return object_of(json);
        } else {
          return object_of(json, object);
        }
      },
      made);
}

Value lambda_layer(const Arguments& arguments) {
  const Value function = arguments.at(0, "function");
  const auto* callable = function.get<Callable>();
  if (callable == nullptr) throw Unwritable{"a Lambda layer without a function"};
  const Lambda layer("a function of the row", [call = *callable](const Nest& x, const auto&) {
    return to_nest(call({{{x.tensor()}}}));
  });
  return object_of({{"class_name", "Lambda"}}, layer.share());
}

Value scheduler(const Arguments& arguments) {
  const Value schedule = arguments.at(0, "schedule");
  const auto* callable = schedule.get<Callable>();
  if (callable == nullptr) throw Unwritable{"a schedule that is not a function"};
  const auto rate = [call = *callable](int64_t epoch, double previous) {
    const Value result = call({{{epoch}, {previous}}});
    if (result.get<double>() == nullptr) throw Unwritable{"a learning rate that is not a float"};
    return to_number(result);
  };
  rate(0, 0.1);  // throws Unwritable
  return object_of({}, CallbackHandle(callbacks::LearningRateScheduler(rate)));
}

/// A hook that takes an index and logs, or only logs.
template <class... Index>
std::function<void(Index..., const Logs&)> hook(const Arguments& arguments, const char* name) {
  const Value function = arguments.at(SIZE_MAX, name);
  if (function.is_none()) return {};
  const auto* callable = function.get<Callable>();
  if (callable == nullptr) throw Unwritable{"a hook that is not a function"};
  return [call = *callable](Index... index, const Logs& logs) {
    Dictionary values;
    for (const auto& [key, number] : logs) values.items.emplace_back(key, Value{number});
    call({{{int64_t{index}}..., {values}}});
  };
}

Value lambda_callback(const Arguments& arguments) {
  arguments.only({"on_epoch_begin", "on_epoch_end", "on_train_begin", "on_train_end",
                  "on_train_batch_begin", "on_train_batch_end"});
  callbacks::LambdaCallbackOptions options;
  options.on_epoch_begin = hook<int>(arguments, "on_epoch_begin");
  options.on_epoch_end = hook<int>(arguments, "on_epoch_end");
  options.on_train_begin = hook<>(arguments, "on_train_begin");
  options.on_train_end = hook<>(arguments, "on_train_end");
  options.on_train_batch_begin = hook<int>(arguments, "on_train_batch_begin");
  options.on_train_batch_end = hook<int>(arguments, "on_train_batch_end");
  return object_of({}, CallbackHandle(callbacks::LambdaCallback(std::move(options))));
}

Value base_callback(const Arguments&) { return object_of({}, CallbackHandle(Callback())); }

/// A loss or metric as a function: `losses.mean_squared_error(y_true, y_pred)`.
Value loss_function(const std::string& name, const Arguments& arguments) {
  const Reader in(arguments, {"y_true", "y_pred"});
  return {losses::get(name).call(array_of(in["y_true"]), array_of(in["y_pred"]))};
}

Value activation_function(const std::string& name, const Arguments& arguments) {
  const Reader in(arguments, {"x"});
  return {activations::get(name)(array_of(in["x"]))};
}

/// The function of a module with classes; nullopt if the name is that of a class.
std::optional<Value> function_of_module(const std::string& module, const std::string& name) {
  const auto with_name = [&](Value (*f)(const std::string&, const Arguments&)) -> Value {
    return {Callable([f, name](const Arguments& arguments) { return f(name, arguments); })};
  };
  if (name == "get" || name == "deserialize") {
    return Value{Callable([module](const Arguments& arguments) { return get(module, arguments); })};
  }
  if (name == "serialize") {
    return Value{Callable(
        [](const Arguments& arguments) { return from_json(to_json(arguments.at(0, "object"))); })};
  }
  if (module == "keras.activations") return with_name(activation_function);
  const bool is_function = std::islower(static_cast<unsigned char>(name[0])) != 0;
  if (is_function && (module == "keras.losses" || module == "keras.metrics"))
    return with_name(loss_function);
  return std::nullopt;
}

/// Whether a module has classes whose objects have configurations.
bool has_classes(const std::string& path) {
  for (const char* name : {"keras.layers", "keras.losses", "keras.metrics", "keras.optimizers",
                           "keras.initializers", "keras.regularizers", "keras.constraints",
                           "keras.callbacks", "keras.activations", "keras.optimizers.schedules"})
    if (path == name) return true;
  return false;
}

bool is_module(const std::string& path) {
  for (const char* name :
       {"keras.ops", "keras.saving", "keras.models", "keras.utils", "keras.config", "keras.backend",
        "keras.mixed_precision", "keras.ops.image", "keras.preprocessing",
        "keras.preprocessing.sequence"})
    if (path == name) return true;
  return has_classes(path);
}

/// Whether keras.ops also has the functions of this module.
bool repeats_operations(const std::string& path) {
  for (const char* name : {"keras.ops.nn", "keras.ops.numpy", "keras.ops.linalg"})
    if (path == name) return true;
  return false;
}

}  // namespace

Value construct(const std::string& module, const std::string& class_name,
                const Arguments& arguments) {
  const std::vector<std::string> names = parameters_of(class_name);
  Json config = Json::object();
  for (size_t i = 0; i < arguments.positional.size(); ++i) {
    // Only the first three parameters of each class are known.
    if (i >= names.size() && names.size() < 3) throw Unwritable{"too many positional arguments"};
    if (i >= names.size())
      throw Unsupported{format("so many positional arguments of {}", class_name)};
    config[names[i]] = to_json(arguments.positional[i]);
  }
  for (const auto& [name, value] : arguments.named) config[name] = to_json(value);
  for (const char* name : {"input_shape", "input_dim", "batch_input_shape"})
    if (config.contains(name)) throw Unwritable{format("Keras 2's argument `{}`", name)};
  for (const char* name : {"learning_rate", "beta"})  // In C++ an integer converts to these.
    if (config.contains(name) && config[name].is_number_integer())
      throw Unwritable{format("a `{}` that is an integer", name)};
  return deserialized(module, {{"module", module},
                               {"class_name", class_name},
                               {"config", std::move(config)},
                               {"registered_name", nullptr}});
}

Value remember(Session& session, std::shared_ptr<Model> model) {
  session.models.push_back(model);
  return {std::move(model)};
}

Value attribute_of_module(const Module& module, const std::string& name, Session& session) {
  const std::string& path = module.path;
  if (path == "np" || path.starts_with("np.")) return attribute_of_numpy(path, name);
  if (path.starts_with("file:") && name == "write") {
    return {Callable([file = path.substr(5)](const Arguments& arguments) -> Value {
      std::ofstream(file) << to_string(arguments.at(0, "s"));
      return {};
    })};
  }
  const std::string full = path + "." + name;
  if (is_module(full)) return {Module{full}};
  if (repeats_operations(full)) return {Module{"keras.ops"}};
  if (const auto function = function_of_keras(full, session)) return *function;
  if (name == "Input") return {Callable(input)};
  const auto with_session = [&session](Value (*f)(const Arguments&, Session&)) -> Value {
    return {Callable([f, &session](const Arguments& arguments) { return f(arguments, session); })};
  };
  if (name == "Sequential") return with_session(sequential);
  if (name == "Model") return with_session(functional);
  if (name == "Variable") return {Callable(variable)};
  if (name == "deserialize_keras_object") return {Callable(deserialize_any)};
  if (name == "Lambda") return {Callable(lambda_layer)};
  if (name == "LearningRateScheduler") return {Callable(scheduler)};
  if (name == "LambdaCallback") return {Callable(lambda_callback)};
  if (full == "keras.callbacks.Callback") return {Callable(base_callback)};
  if (!has_classes(path)) throw Unsupported{format("`{}`", full)};
  if (const auto function = function_of_module(path, name)) return *function;
  return {Callable(
      [path, name](const Arguments& arguments) { return construct(path, name, arguments); })};
}

}  // namespace antler::conformance::python

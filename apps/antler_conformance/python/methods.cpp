// Attributes and methods of models, optimizers, layers and arrays.
#include <map>
#include <utility>

#include "antler/data/generator.h"
#include "antler/nn/registry.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/training/sequential.h"
#include "python/interpreter.h"

namespace antler::conformance::python {
namespace {

template <class T>
const T* live(const Value& value) {
  const auto* object = value.get<std::shared_ptr<Object>>();
  return object == nullptr ? nullptr : std::get_if<T>(&(*object)->live);
}

std::optional<int64_t> optional_integer(const Value& value) {
  return value.is_none() ? std::nullopt : std::optional(to_integer(value));
}

/// Arguments of a method by name; missing ones are None.
class Reader {
 public:
  Reader(const Arguments& arguments, std::vector<std::string> names)
      : arguments_(arguments), names_(std::move(names)) {
    arguments_.only(names_);
  }
  Value operator[](const char* name) const {
    for (size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return arguments_.at(i, name);
    return {};
  }
  bool given(const char* name) const { return !(*this)[name].is_none(); }

 private:
  const Arguments& arguments_;
  std::vector<std::string> names_;
};

Value compile(Model& model, const Arguments& given) {
  const Reader in(given, {"optimizer", "loss", "loss_weights", "metrics", "weighted_metrics",
                          "run_eagerly", "steps_per_execution", "jit_compile", "auto_scale_loss"});
  CompileArguments arguments;
  if (const auto* optimizer = live<OptimizerPtr>(in["optimizer"])) {
    arguments.optimizer = *optimizer;
  } else if (in.given("optimizer")) {
    arguments.optimizer = OptimizerSpec::from_config(to_json(in["optimizer"]));
  }
  arguments.loss = LossSpec::from_config(to_json(in["loss"]));
  arguments.metrics = MetricSpec::from_config(to_json(in["metrics"]));
  arguments.loss_weights = LossWeights::from_config(to_json(in["loss_weights"]));
  arguments.weighted_metrics = MetricSpec::from_config(to_json(in["weighted_metrics"]));
  if (in.given("run_eagerly")) arguments.run_eagerly = to_bool(in["run_eagerly"]);
  if (const Value steps = in["steps_per_execution"]; !steps.is_none()) {
    if (const auto* text = steps.get<std::string>()) {
      arguments.steps_per_execution = *text;
    } else {
      arguments.steps_per_execution = to_integer(steps);
    }
  }
  if (const Value jit = in["jit_compile"]; !jit.is_none()) {
    if (const auto* text = jit.get<std::string>(); text == nullptr || *text != "auto")
      arguments.jit_compile = to_bool(jit);
  }
  if (in.given("auto_scale_loss")) arguments.auto_scale_loss = to_bool(in["auto_scale_loss"]);
  model.compile(arguments);
  return {};
}

FitData data(const Value& value) {
  if (const auto* iterator = value.get<Iterator>()) {
    return data::Generator(
        [items = iterator->items, next = size_t{0}]() mutable -> std::optional<Nest> {
          if (next == items->size()) return std::nullopt;
          return to_nest((*items)[next++]);
        });
  }
  if (value.is_none()) return {};
  return to_nest(value);
}

std::map<int64_t, double> class_weight(const Value& value) {
  std::map<int64_t, double> weights;
  if (const auto* dictionary = value.get<Dictionary>()) {
    for (const auto& [key, weight] : dictionary->items)
      weights[std::stoll(key)] = to_number(weight);
  }
  return weights;
}

Callbacks callback_list(const Value& value) {
  Callbacks list;
  if (value.is_none()) return list;
  for (const Value& item : items_of(value)) {
    const auto* callback = live<CallbackHandle>(item);
    if (callback == nullptr) throw Unwritable{"a callback that is not a callback"};
    list.push_back(*callback);
  }
  return list;
}

Value fit(Model& model, const Arguments& given) {
  const Reader in(
      given, {"x", "y", "batch_size", "epochs", "verbose", "callbacks", "validation_split",
              "validation_data", "shuffle", "class_weight", "sample_weight", "initial_epoch",
              "steps_per_epoch", "validation_steps", "validation_batch_size", "validation_freq"});
  FitOptions options;
  options.verbose = 0;
  options.batch_size = optional_integer(in["batch_size"]);
  if (in.given("epochs")) options.epochs = to_integer(in["epochs"]);
  options.callbacks = callback_list(in["callbacks"]);
  if (in.given("validation_split")) options.validation_split = to_number(in["validation_split"]);
  if (const Value value = in["validation_data"]; value.get<Iterator>() != nullptr) {
    options.validation_data.x = data(value);
  } else if (!value.is_none()) {
    const Values parts = items_of(value);
    if (parts.size() > 3) throw Unwritable{"`validation_data` of more than three parts"};
    options.validation_data.x = data(parts.at(0));
    if (parts.size() > 1) options.validation_data.y = to_nest(parts[1]);
    if (parts.size() > 2) options.validation_data.sample_weight = to_nest(parts[2]);
  }
  if (in.given("shuffle")) options.shuffle = to_bool(in["shuffle"]);
  options.class_weight = class_weight(in["class_weight"]);
  options.sample_weight = to_nest(in["sample_weight"]);
  if (in.given("initial_epoch")) options.initial_epoch = to_integer(in["initial_epoch"]);
  options.steps_per_epoch = optional_integer(in["steps_per_epoch"]);
  options.validation_steps = optional_integer(in["validation_steps"]);
  options.validation_batch_size = optional_integer(in["validation_batch_size"]);
  if (in.given("validation_freq")) options.validation_freq = to_integer(in["validation_freq"]);
  model.fit(data(in["x"]), to_nest(in["y"]), options);
  return {};
}

Value evaluate(Model& model, const Arguments& given) {
  const Reader in(given, {"x", "y", "batch_size", "verbose", "sample_weight", "steps", "callbacks",
                          "return_dict"});
  EvaluateOptions options;
  options.verbose = 0;
  options.batch_size = optional_integer(in["batch_size"]);
  options.sample_weight = to_nest(in["sample_weight"]);
  options.steps = optional_integer(in["steps"]);
  options.callbacks = callback_list(in["callbacks"]);
  model.evaluate(data(in["x"]), to_nest(in["y"]), options);
  return {};
}

Value predict(Model& model, const Arguments& given) {
  const Reader in(given, {"x", "batch_size", "verbose", "steps", "callbacks"});
  PredictOptions options;
  options.verbose = 0;
  options.batch_size = optional_integer(in["batch_size"]);
  options.steps = optional_integer(in["steps"]);
  options.callbacks = callback_list(in["callbacks"]);
  model.predict(data(in["x"]), options);
  return {};
}

Value train_on_batch(Model& model, const Arguments& given) {
  const Reader in(given, {"x", "y", "sample_weight", "class_weight", "return_dict"});
  model.train_on_batch(to_nest(in["x"]), to_nest(in["y"]),
                       {.sample_weight = to_nest(in["sample_weight"]),
                        .class_weight = class_weight(in["class_weight"])});
  return {};
}

Value test_on_batch(Model& model, const Arguments& given) {
  const Reader in(given, {"x", "y", "sample_weight", "return_dict"});
  model.test_on_batch(to_nest(in["x"]), to_nest(in["y"]),
                      {.sample_weight = to_nest(in["sample_weight"])});
  return {};
}

Value get_layer(Model& model, const Arguments& given) {
  const Reader in(given, {"name", "index"});
  const std::optional<std::string> name =
      in.given("name") ? std::optional(to_string(in["name"])) : std::nullopt;
  const LayerPtr layer = model.get_layer(name, optional_integer(in["index"]));
  return {std::make_shared<Object>(Object{serialize_layer(*layer), layer})};
}

Value add_layer(Model& model, const Arguments& given) {
  auto* sequential = dynamic_cast<Sequential*>(&model);
  if (sequential == nullptr) throw Unwritable{"`add` of a model that is not Sequential"};
  sequential->add(to_layer(given.at(0, "layer")));
  return {};
}

Value list_of_arrays(const Tensors& arrays) {
  Values list;
  for (const Tensor& array : arrays) list.push_back({array});
  return list_of(std::move(list));
}

using ModelMethod = Value (*)(Model& model, const Arguments& given);

/// The method of this name; null if there is none.
ModelMethod model_method(const std::string& name) {
  static const std::map<std::string, ModelMethod> methods = {
      {"compile", compile},
      {"fit", fit},
      {"evaluate", evaluate},
      {"predict", predict},
      {"train_on_batch", train_on_batch},
      {"test_on_batch", test_on_batch},
      {"get_layer", get_layer},
      {"add", add_layer},
      {"predict_on_batch",
       [](Model& m, const Arguments& a) -> Value {
         m.predict_on_batch(to_nest(a.at(0, "x")));
         return {};
       }},
      {"get_weights",
       [](Model& m, const Arguments&) -> Value { return list_of_arrays(m.get_weights()); }},
      {"set_weights",
       [](Model& m, const Arguments& a) -> Value {
         m.set_weights(to_tensors(a.at(0, "weights")));
         return {};
       }},
      {"summary",
       [](Model& m, const Arguments&) -> Value {
         // Keras also prints models that are not built.
         if (m.built()) m.summary_text();
         return {};
       }},
      {"count_params", [](Model& m, const Arguments&) -> Value { return {m.count_params()}; }},
      {"build",
       [](Model& m, const Arguments& a) -> Value {
         m.build(to_shape(a.at(0, "input_shape")));
         return {};
       }},
      {"save",
       [](Model& m, const Arguments& a) -> Value {
         m.save(to_string(a.at(0, "filepath")));
         return {};
       }},
      {"save_weights",
       [](Model& m, const Arguments& a) -> Value {
         m.save_weights(to_string(a.at(0, "filepath")));
         return {};
       }},
      {"load_weights",
       [](Model& m, const Arguments& a) -> Value {
         const Reader in(a, {"filepath", "skip_mismatch"});
         m.load_weights(
             to_string(in["filepath"]),
             {.skip_mismatch = in.given("skip_mismatch") && to_bool(in["skip_mismatch"])});
         return {};
       }},
  };
  const auto found = methods.find(name);
  return found == methods.end() ? nullptr : found->second;
}

Value optimizer_method(const OptimizerPtr& optimizer, const std::string& name) {
  const auto variables = [](const Value& list) {
    Variables all;
    for (const Value& item : items_of(list)) {
      const auto* variable = item.get<Variable>();
      if (variable == nullptr) throw Unwritable{"a variable that is not a variable"};
      all.push_back(*variable);
    }
    return all;
  };
  if (name == "build") {
    return {Callable([=](const Arguments& a) -> Value {
      optimizer->build(variables(a.at(0, "variables")));
      return {};
    })};
  }
  if (name == "apply") {
    return {Callable([=](const Arguments& a) -> Value {
      optimizer->apply(to_tensors(a.at(0, "grads")), variables(a.at(1, "trainable_variables")));
      return {};
    })};
  }
  throw Unsupported{format("the method '{}' of optimizers", name)};
}

Value array_method(const Tensor& array, const std::string& name) {
  if (name == "reshape") {
    return {Callable([array](const Arguments& a) -> Value {
      const bool one = a.positional.size() == 1;
      return {ops::reshape(array, to_shape(one ? a.positional[0] : list_of(a.positional)))};
    })};
  }
  if (name == "astype") {
    return {Callable([array](const Arguments& a) -> Value {
      return {ops::cast(array, parse_dtype(to_string(a.at(0, "dtype"))))};
    })};
  }
  throw Unsupported{format("the method '{}' of arrays", name)};
}

}  // namespace

Value attribute_of(const Value& self, const std::string& name, Session&) {
  if (const auto* model = self.get<std::shared_ptr<Model>>()) {
    const ModelMethod method = model_method(name);
    if (method == nullptr) throw Unsupported{format("the attribute '{}' of models", name)};
    return {Callable([model = *model, method](const Arguments& a) { return method(*model, a); })};
  }
  if (const auto* optimizer = live<OptimizerPtr>(self)) return optimizer_method(*optimizer, name);
  if (const auto* layer = live<LayerPtr>(self); layer != nullptr && name == "count_params") {
    return {
        Callable([layer = *layer](const Arguments&) -> Value { return {layer->count_params()}; })};
  }
  if (const auto* array = self.get<Tensor>()) return array_method(*array, name);
  throw Unsupported{format("the attribute '{}'", name)};
}

void set_attribute(const Value& self, const std::string& name, const Value& value) {
  const auto* optimizer = live<OptimizerPtr>(self);
  if (optimizer != nullptr && name == "learning_rate")
    return (*optimizer)->set_learning_rate(to_number(value));
  throw Unsupported{format("an assignment to the attribute '{}'", name)};
}

Value call_object(const Value& self, const Arguments& arguments) {
  if (const auto* initializer = live<Initializer>(self))
    return {(*initializer)(to_shape(arguments.at(0, "shape")))};
  const LayerPtr layer = to_layer(self);
  CallOptions options;
  if (const Value training = arguments.at(SIZE_MAX, "training"); !training.is_none())
    options.training = to_bool(training);
  // Further positional arguments are inputs too.
  Nest inputs = to_nest(arguments.at(0, "inputs"));
  if (arguments.positional.size() > 1) inputs = to_nest(list_of(arguments.positional));
  const Nest outputs = (*layer)(inputs, options);
  if (outputs.is_tensor()) return {outputs.tensor()};
  Values list;
  for (const Tensor& leaf : outputs.flatten()) list.push_back({leaf});
  return list_of(std::move(list));
}

}  // namespace antler::conformance::python

// Methods and attributes of models.
#include <map>
#include <utility>

#include "antler/data/generator.h"
#include "antler/nn/registry.h"
#include "antler/training/export.h"
#include "antler/training/sequential.h"
#include "python/interpreter.h"

namespace antler::conformance::python {
namespace {

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
    for (const auto& [key, weight] : dictionary->items) {
      if (key.find_first_not_of("-0123456789") != std::string::npos)
        throw Unwritable{"a class that is not a number"};
      weights[std::stoll(key)] = to_number(weight);
    }
  } else if (!value.is_none()) {
    throw Unwritable{"class weights that are not a dictionary"};
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

Value numbers_of(const std::vector<double>& numbers) {
  Values list;
  for (const double number : numbers) list.push_back({number});
  return list_of(std::move(list));
}

/// What `fit` returns: an object with the attributes `history` and `epoch`.
Value history_of(const History& history) {
  Dictionary series;
  for (const auto& [name, numbers] : history.history)
    series.items.emplace_back(name, numbers_of(numbers));
  return {Dictionary{{{"history", {series}}}}};
}

Value numbers_of(const HostLogs& logs) {
  std::vector<double> numbers;
  for (const auto& [name, number] : logs) numbers.push_back(number);
  return numbers.size() == 1 ? Value{numbers[0]} : numbers_of(numbers);
}

Value fit(Model& model, const Arguments& given) {
  const Reader in(
      given, {"x", "y", "batch_size", "epochs", "verbose", "callbacks", "validation_split",
              "validation_data", "shuffle", "class_weight", "sample_weight", "initial_epoch",
              "steps_per_epoch", "validation_steps", "validation_batch_size", "validation_freq"});
  FitOptions options;
  options.verbose = 0;
  options.batch_size = to_optional_integer(in["batch_size"]);
  if (in.given("epochs")) options.epochs = to_integer(in["epochs"]);
  options.callbacks = callback_list(in["callbacks"]);
  if (in.given("validation_split")) options.validation_split = to_number(in["validation_split"]);
  if (const Value value = in["validation_data"]; value.get<Iterator>() != nullptr) {
    options.validation_data.x = data(value);
  } else if (!value.is_none()) {
    const Values parts = items_of(value);
    if (parts.empty() || parts.size() > 3)
      throw Unwritable{"`validation_data` that does not have one to three parts"};
    options.validation_data.x = data(parts.at(0));
    if (parts.size() > 1) options.validation_data.y = to_nest(parts[1]);
    if (parts.size() > 2) options.validation_data.sample_weight = to_nest(parts[2]);
  }
  if (in.given("shuffle")) options.shuffle = to_bool(in["shuffle"]);
  options.class_weight = class_weight(in["class_weight"]);
  options.sample_weight = to_nest(in["sample_weight"]);
  if (in.given("initial_epoch")) options.initial_epoch = to_integer(in["initial_epoch"]);
  options.steps_per_epoch = to_optional_integer(in["steps_per_epoch"]);
  options.validation_steps = to_optional_integer(in["validation_steps"]);
  options.validation_batch_size = to_optional_integer(in["validation_batch_size"]);
  if (in.given("validation_freq")) options.validation_freq = to_integer(in["validation_freq"]);
  return history_of(model.fit(data(in["x"]), to_nest(in["y"]), options));
}

Value evaluate(Model& model, const Arguments& given) {
  const Reader in(given, {"x", "y", "batch_size", "verbose", "sample_weight", "steps", "callbacks",
                          "return_dict"});
  EvaluateOptions options;
  options.verbose = 0;
  options.batch_size = to_optional_integer(in["batch_size"]);
  options.sample_weight = to_nest(in["sample_weight"]);
  options.steps = to_optional_integer(in["steps"]);
  options.callbacks = callback_list(in["callbacks"]);
  return numbers_of(model.evaluate(data(in["x"]), to_nest(in["y"]), options));
}

Value predict(Model& model, const Arguments& given) {
  const Reader in(given, {"x", "batch_size", "verbose", "steps", "callbacks"});
  PredictOptions options;
  options.verbose = 0;
  options.batch_size = to_optional_integer(in["batch_size"]);
  options.steps = to_optional_integer(in["steps"]);
  options.callbacks = callback_list(in["callbacks"]);
  return from_nest(model.predict(data(in["x"]), options));
}

Value train_on_batch(Model& model, const Arguments& given) {
  const Reader in(given, {"x", "y", "sample_weight", "class_weight", "return_dict"});
  return numbers_of(model.train_on_batch(to_nest(in["x"]), to_nest(in["y"]),
                                         {.sample_weight = to_nest(in["sample_weight"]),
                                          .class_weight = class_weight(in["class_weight"])}));
}

Value test_on_batch(Model& model, const Arguments& given) {
  const Reader in(given, {"x", "y", "sample_weight", "return_dict"});
  return numbers_of(model.test_on_batch(to_nest(in["x"]), to_nest(in["y"]),
                                        {.sample_weight = to_nest(in["sample_weight"])}));
}

SaveOptions save_options(const Arguments& given) {
  const Reader in(given, {"filepath", "overwrite", "include_optimizer"});
  SaveOptions options;
  if (in.given("overwrite")) options.overwrite = to_bool(in["overwrite"]);
  if (in.given("include_optimizer")) options.include_optimizer = to_bool(in["include_optimizer"]);
  return options;
}

Value get_layer(Model& model, const Arguments& given) {
  const Reader in(given, {"name", "index"});
  const std::optional<std::string> name =
      in.given("name") ? std::optional(to_string(in["name"])) : std::nullopt;
  const LayerPtr layer = model.get_layer(name, to_optional_integer(in["index"]));
  return object_of(serialize_layer(*layer), layer);
}

Value add_layer(Model& model, const Arguments& given) {
  auto* sequential = dynamic_cast<Sequential*>(&model);
  if (sequential == nullptr) throw Unwritable{"`add` of a model that is not Sequential"};
  const Value layer = given.at(0, "layer");
  if (const auto* placeholder = layer.get<Tensor>()) {
    sequential->add(*placeholder);
  } else {
    sequential->add(to_layer(layer));
  }
  return {};
}

Value pop(Model& model, const Arguments&) {
  auto* sequential = dynamic_cast<Sequential*>(&model);
  if (sequential == nullptr) throw Unwritable{"`pop` of a model that is not Sequential"};
  const LayerPtr layer = sequential->pop();
  return object_of(serialize_layer(*layer), layer);
}

Value export_(Model& model, const Arguments& given) {
  const Reader in(given, {"filepath", "format", "verbose"});
  export_model(model, to_string(in["filepath"]),
               {.format = in.given("format") ? to_string(in["format"]) : ""});
  return {};
}

Value layers_of(const Model& model) {
  Values list;
  for (const LayerPtr& layer : model.layers())
    list.push_back(object_of(serialize_layer(*layer), layer));
  return list_of(std::move(list));
}

Value names_of(const std::vector<std::string>& names) {
  Values list;
  for (const std::string& name : names) list.push_back({name});
  return list_of(std::move(list));
}

Value metrics_of(const Model& model) {
  Values list;
  for (const MetricPtr& metric : model.metrics())
    list.push_back(object_of(metrics::serialize(*metric), metric));
  return list_of(std::move(list));
}

Value optimizer_of(const Model& model) {
  const OptimizerPtr optimizer = model.optimizer().share();
  return object_of(optimizers::serialize(*optimizer), optimizer);
}

using ModelMethod = Value (*)(Model& model, const Arguments& given);

/// The method of this name that layers do not have; null if there is none.
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
      {"pop", pop},
      {"export", export_},
      {"get_metrics_result",
       [](Model& m, const Arguments&) { return numbers_of(HostLogs(m.get_metrics_result())); }},
      {"compute_loss",
       [](Model& m, const Arguments& a) -> Value {
         const Reader in(a, {"x", "y", "y_pred", "sample_weight"});
         return {m.compute_loss(to_nest(in["x"]), to_nest(in["y"]), to_nest(in["y_pred"]),
                                to_nest(in["sample_weight"]))};
       }},
      {"to_json", [](Model& m, const Arguments&) -> Value { return {m.to_json()}; }},
      {"reset_metrics",
       [](Model& m, const Arguments& a) -> Value {
         const Reader in(a, {});
         m.reset_metrics();
         return {};
       }},
      {"predict_on_batch",
       [](Model& m, const Arguments& a) -> Value {
         return from_nest(m.predict_on_batch(to_nest(a.at(0, "x"))));
       }},
      {"summary",
       [](Model& m, const Arguments& a) -> Value {
         const Reader in(a, {"line_length"});
         to_optional_integer(in["line_length"]);  // throws Unwritable for other types
         // Keras also prints models that are not built.
         if (m.built()) m.summary_text();
         return {};
       }},
      {"build",
       [](Model& m, const Arguments& a) -> Value {
         const Value shape = a.at(0, "input_shape");
         items_of(shape);  // throws Unwritable for a number
         if (auto* sequential = dynamic_cast<Sequential*>(&m)) {
           sequential->build(to_shape(shape));
         } else {
           m.build(to_shape(shape));
         }
         return {};
       }},
      {"save",
       [](Model& m, const Arguments& a) -> Value {
         m.save(to_string(a.at(0, "filepath")), save_options(a));
         return {};
       }},
      {"save_weights",
       [](Model& m, const Arguments& a) -> Value {
         m.save_weights(to_string(a.at(0, "filepath")), save_options(a));
         return {};
       }},
      {"load_weights",
       [](Model& m, const Arguments& a) -> Value {
         const Reader in(a, {"filepath", "skip_mismatch"});
         m.load_weights(to_string(in["filepath"]), {.skip_mismatch = in.given("skip_mismatch") &&
                                                                     to_bool(in["skip_mismatch"])});
         return {};
       }},
  };
  const auto found = methods.find(name);
  return found == methods.end() ? nullptr : found->second;
}

/// The attribute of this name that is not a method; nullopt if there is none.
std::optional<Value> model_value(const Model& model, const std::string& name) {
  if (name == "layers") return layers_of(model);
  if (name == "inputs") return from_nest(Nest(model.inputs()));
  if (name == "outputs") return from_nest(Nest(model.outputs()));
  if (name == "input_shape") return from_shape(model.input_shape());
  if (name == "output_shape") return from_shape(model.output_shape());
  if (name == "input_names") return names_of(model.input_names());
  if (name == "output_names") return names_of(model.output_names());
  if (name == "metrics") return metrics_of(model);
  if (name == "metrics_names") return names_of(model.metrics_names());
  if (name == "optimizer") return optimizer_of(model);
  if (name == "stop_training") return Value{model.stop_training()};
  if (name == "compiled") return Value{model.compiled()};
  return std::nullopt;
}

}  // namespace

std::optional<Value> attribute_of_model(const std::shared_ptr<Model>& model,
                                        const std::string& name) {
  if (const ModelMethod method = model_method(name))
    return Value{Callable([model, method](const Arguments& a) { return method(*model, a); })};
  return model_value(*model, name);
}

}  // namespace antler::conformance::python

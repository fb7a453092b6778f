// Attributes and methods of layers, optimizers, metrics and arrays; calls of objects.
#include <map>
#include <utility>

#include "antler/nn/quantize.h"
#include "antler/nn/registry.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/manipulation.h"
#include "python/interpreter.h"

namespace antler::conformance::python {
namespace {

Value method(Callable call) { return {std::move(call)}; }

Value list_of_arrays(const Tensors& arrays) {
  Values list;
  for (const Tensor& array : arrays) list.push_back({array});
  return list_of(std::move(list));
}

Value list_of_variables(const Variables& variables) {
  Values list;
  for (const Variable& variable : variables) list.push_back({variable});
  return list_of(std::move(list));
}

Variable to_variable(const Value& value) {
  const auto* variable = value.get<Variable>();
  if (variable == nullptr) throw Unwritable{"a variable that is not a variable"};
  return *variable;
}

Variables to_variables(const Value& value) {
  Variables variables;
  if (value.is_none()) return variables;
  for (const Value& item : items_of(value)) variables.push_back(to_variable(item));
  return variables;
}

// ---- layers ----

using LayerMethod = Value (*)(Layer& layer, const Arguments& given);

const std::map<std::string, LayerMethod>& layer_methods() {
  static const std::map<std::string, LayerMethod> methods = {
      {"build",
       [](Layer& l, const Arguments& a) -> Value {
         l.build(to_shape(a.at(0, "input_shape")));
         return {};
       }},
      {"count_params",
       [](Layer& l, const Arguments& a) -> Value {
         const Reader in(a, {});
         return {l.count_params()};
       }},
      {"get_weights",
       [](Layer& l, const Arguments&) -> Value { return list_of_arrays(l.get_weights()); }},
      {"set_weights",
       [](Layer& l, const Arguments& a) -> Value {
         l.set_weights(to_tensors(a.at(0, "weights")));
         return {};
       }},
      {"get_config", [](Layer& l, const Arguments&) { return from_json(l.get_config()); }},
      {"compute_output_shape",
       [](Layer& l, const Arguments& a) {
         return from_shape(l.compute_output_shape(to_shape(a.at(0, "input_shape"))));
       }},
      {"add_loss",
       [](Layer& l, const Arguments& a) -> Value {
         l.add_loss(to_tensor(a.at(0, "loss")));
         return {};
       }},
      {"quantize",
       [](Layer& l, const Arguments& a) -> Value {
         const Reader in(a, {"mode"});
         quantize(l, to_string(in["mode"]));
         return {};
       }},
  };
  return methods;
}

/// A variable by the name of the attribute that holds it: "kernel".
std::optional<Value> variable_named(const Layer& layer, const std::string& name) {
  for (const Variable& variable : layer.variables())
    if (variable.name() == name) return Value{variable};
  if (name == "kernel" || name == "bias") throw Unwritable{"a weight of a layer without weights"};
  return std::nullopt;
}

std::optional<Value> layer_attribute(const LayerPtr& layer, const std::string& name) {
  const auto found = layer_methods().find(name);
  if (found != layer_methods().end()) {
    return Value{
        Callable([layer, call = found->second](const Arguments& a) { return call(*layer, a); })};
  }
  if (name == "weights" || name == "variables") return list_of_variables(layer->variables());
  if (name == "trainable_weights" || name == "trainable_variables")
    return list_of_variables(layer->trainable_variables());
  if (name == "non_trainable_weights" || name == "non_trainable_variables")
    return list_of_variables(layer->non_trainable_variables());
  if (name == "name") return Value{layer->name()};
  if (name == "built") return Value{layer->built()};
  if (name == "trainable") return Value{layer->trainable()};
  if (name == "losses") return list_of_arrays(layer->losses());
  if (name == "input") return from_nest(layer->input());
  if (name == "output") return from_nest(layer->output());
  if (name == "dtype") return Value{std::string(dtype_name(layer->variable_dtype()))};
  return variable_named(*layer, name);
}

// ---- optimizers ----

std::optional<Value> optimizer_attribute(const OptimizerPtr& optimizer, const std::string& name) {
  if (name == "build") {
    return method([=](const Arguments& a) -> Value {
      optimizer->build(to_variables(a.at(0, "variables")));
      return {};
    });
  }
  if (name == "apply") {
    return method([=](const Arguments& a) -> Value {
      if (!a.has(1, "trainable_variables")) throw Unwritable{"`apply` without variables"};
      optimizer->apply(to_tensors(a.at(0, "grads")), to_variables(a.at(1, "trainable_variables")));
      return {};
    });
  }
  if (name == "apply_gradients") {
    return method([=](const Arguments& a) -> Value {
      std::vector<std::pair<Tensor, Variable>> pairs;
      for (const Value& item : items_of(a.at(0, "grads_and_vars"))) {
        const Values pair = items_of(item);
        pairs.emplace_back(to_tensor(pair.at(0)), to_variable(pair.at(1)));
      }
      optimizer->apply_gradients(pairs);
      return {};
    });
  }
  if (name == "exclude_from_weight_decay") {
    return method([=](const Arguments& a) -> Value {
      const Reader in(a, {"var_list", "var_names"});
      std::vector<std::string> names;
      if (in.given("var_names"))
        for (const Value& item : items_of(in["var_names"])) names.push_back(to_string(item));
      optimizer->exclude_from_weight_decay(to_variables(in["var_list"]), names);
      return {};
    });
  }
  if (name == "get_config")
    return method([=](const Arguments&) { return from_json(optimizer->get_config()); });
  if (name == "learning_rate") return Value{optimizer->learning_rate()};
  if (name == "iterations") return Value{optimizer->iterations()};
  if (name == "variables") return list_of_variables(optimizer->variables());
  if (name == "name") return Value{optimizer->name()};
  return std::nullopt;
}

// ---- metrics ----

/// Whether a metric takes only values, without labels.
bool is_of_values(const Metric& metric) {
  const std::string& name = metric.class_name();
  return name == "Mean" || name == "Sum" || name == "MeanTensor";
}

void update(Metric& metric, const Arguments& arguments) {
  const auto optional_array = [](const Value& value) {
    return value.is_none() ? Tensor() : array_of(value);
  };
  if (is_of_values(metric)) {
    const Reader in(arguments, {"values", "sample_weight"});
    metric.update_state(array_of(in["values"]), {}, optional_array(in["sample_weight"]));
  } else {
    const Reader in(arguments, {"y_true", "y_pred", "sample_weight"});
    if (!in.given("y_pred")) throw Unwritable{"a metric without predictions"};
    metric.update_state(array_of(in["y_true"]), array_of(in["y_pred"]),
                        optional_array(in["sample_weight"]));
  }
}

std::optional<Value> metric_attribute(const MetricPtr& metric, const std::string& name) {
  if (name == "update_state") {
    return method([=](const Arguments& arguments) -> Value {
      update(*metric, arguments);
      return {};
    });
  }
  if (name == "result")
    return method([=](const Arguments&) { return from_nest(metric->result()); });
  if (name == "reset_state" || name == "reset_states") {
    return method([=](const Arguments&) -> Value {
      metric->reset_state();
      return {};
    });
  }
  if (name == "get_config")
    return method([=](const Arguments&) { return from_json(metric->get_config()); });
  if (name == "variables") return list_of_variables(metric->variables());
  if (name == "name") return Value{metric->name()};
  return std::nullopt;
}

// ---- arrays ----

std::optional<Value> array_attribute(const Tensor& array, const std::string& name) {
  if (name == "reshape") {
    return method([array](const Arguments& a) -> Value {
      const bool one = a.positional.size() == 1;
      const Json shape = to_json(one ? a.positional[0] : list_of(a.positional));
      const auto dims = shape.is_array() ? shape.get<std::vector<int64_t>>()
                                         : std::vector<int64_t>{shape.get<int64_t>()};
      return {ops::reshape(array, Shape(dims))};
    });
  }
  if (name == "astype")
    return method([array](const Arguments& a) -> Value {
      return {ops::cast(array, *to_dtype(a.at(0, "dtype")))};
    });
  if (name == "numpy" || name == "copy")
    return method([array](const Arguments&) -> Value { return {array}; });
  if (name == "shape") return from_shape(array.shape());
  if (name == "T") return operation("transpose")->get<Callable>()->operator()({{{array}}});
  // Other methods are functions of keras.ops: `x.sum(axis=0)`.
  if (const auto function = operation(name)) {
    return method([array, call = *function->get<Callable>()](Arguments a) {
      a.positional.insert(a.positional.begin(), {array});
      return call(a);
    });
  }
  return std::nullopt;
}

std::optional<Value> variable_attribute(const Variable& variable, const std::string& name) {
  if (name == "assign") {
    return method([target = variable](const Arguments& a) mutable -> Value {
      target.assign(array_of(a.at(0, "value")));
      return {};
    });
  }
  if (name == "name") return Value{variable.name()};
  return array_attribute(variable.value(), name);
}

std::optional<Value> found_attribute(const Value& self, const std::string& name) {
  if (const auto* model = self.get<std::shared_ptr<Model>>()) {
    if (auto found = attribute_of_model(*model, name)) return found;
    return layer_attribute((*model)->share(), name);
  }
  if (const auto* layer = live<LayerPtr>(self)) return layer_attribute(*layer, name);
  if (const auto* optimizer = live<OptimizerPtr>(self))
    return optimizer_attribute(*optimizer, name);
  if (const auto* metric = live<MetricPtr>(self)) return metric_attribute(*metric, name);
  if (const auto* array = self.get<Tensor>()) return array_attribute(*array, name);
  if (const auto* variable = self.get<Variable>()) return variable_attribute(*variable, name);
  if (const auto* dictionary = self.get<Dictionary>()) {
    for (const auto& [key, item] : dictionary->items)
      if (key == name) return item;
  }
  if (const auto* list = self.get<Sequence>(); list != nullptr && name == "append") {
    return method([items = list->items](const Arguments& a) -> Value {
      items->push_back(a.at(0, "object"));
      return {};
    });
  }
  const auto* object = self.get<std::shared_ptr<Object>>();
  if (object != nullptr && name == "get_config")
    return method([json = (*object)->json](const Arguments&) { return from_json(json["config"]); });
  return std::nullopt;
}

/// Whether this is the name of an input of Keras's layers.
bool is_input(const std::string& name) {
  for (const char* input : {"inputs", "x", "sequences", "query", "value", "key"})
    if (name == input) return true;
  return false;
}

Value call_layer(Layer& layer, const Arguments& arguments) {
  CallOptions options;
  Values inputs = arguments.positional;
  for (const auto& [name, value] : arguments.named) {
    if (is_input(name)) {
      inputs.push_back(value);
    } else if (value.is_none()) {
      continue;
    } else if (name == "training") {
      options.training = to_bool(value);
    } else if (name == "mask") {
      options.mask = array_of(value);
    } else if (name == "attention_mask" || name == "initial_state" || name == "constants") {
      options.set(name, to_nest(value));
    } else {
      throw Unwritable{format("the argument '{}'", name)};
    }
  }
  if (inputs.empty()) throw Unwritable{"a call of a layer without an input"};
  return from_nest(layer(to_nest(inputs.size() == 1 ? inputs[0] : list_of(inputs)), options));
}

}  // namespace

Value attribute_of(const Value& self, const std::string& name, Session&) {
  if (const auto found = found_attribute(self, name)) return *found;
  throw Unsupported{format("the attribute '{}'", name)};
}

void set_attribute(const Value& self, const std::string& name, const Value& value) {
  if (const auto* optimizer = live<OptimizerPtr>(self);
      optimizer != nullptr && name == "learning_rate")
    return (*optimizer)->set_learning_rate(to_number(value));
  const auto* model = self.get<std::shared_ptr<Model>>();
  if (model != nullptr && name == "stop_training")
    return (*model)->set_stop_training(to_bool(value));
  if (model != nullptr || live<LayerPtr>(self) != nullptr) {
    const LayerPtr layer = to_layer(self);
    if (name == "trainable") return layer->set_trainable(to_bool(value));
    if (name == "name") return layer->set_name(to_string(value));
    throw Unwritable{format("an assignment to the attribute '{}'", name)};
  }
  throw Unsupported{format("an assignment to the attribute '{}'", name)};
}

Value call_object(const Value& self, const Arguments& arguments) {
  const auto optional_array = [](const Value& value) {
    return value.is_none() ? Tensor() : array_of(value);
  };
  if (const auto* type = self.get<Module>(); type != nullptr && type->path.starts_with("np."))
    return {array_of(arguments.at(0, "object"), to_dtype(self))};
  if (const auto* initializer = live<Initializer>(self)) {
    const Reader in(arguments, {"shape", "dtype"});
    return {(*initializer)(to_shape(in["shape"]), to_dtype(in["dtype"]).value_or(default_float()))};
  }
  if (const auto* regularizer = live<Regularizer>(self))
    return {(*regularizer)(array_of(arguments.at(0, "x")))};
  if (const auto* constraint = live<Constraint>(self))
    return {(*constraint)(array_of(arguments.at(0, "w")))};
  if (const auto* activation = live<ActivationFunction>(self))
    return {(*activation)(array_of(arguments.at(0, "x")))};
  if (const auto* schedule = live<LearningRateSchedule>(self))
    return {(*schedule)(array_of(arguments.at(0, "step")))};
  if (const auto* metric = live<MetricPtr>(self)) {
    update(**metric, arguments);
    return from_nest((*metric)->result());
  }
  if (const auto* loss = live<Loss>(self)) {
    const Reader in(arguments, {"y_true", "y_pred", "sample_weight"});
    return {(*loss)(array_of(in["y_true"]), array_of(in["y_pred"]),
                    optional_array(in["sample_weight"]))};
  }
  return call_layer(*to_layer(self), arguments);
}

}  // namespace antler::conformance::python

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/layers/input.h"
#include "antler/nn/registry.h"
#include "nn/array_config.h"
#include "nn/keras_op.h"
#include "nn/layer_state.h"
#include "training/graph_config.h"
#include "training/structure.h"

namespace antler::training {
namespace {

/// Thrown when a node needs the output of a node that does not exist yet.
struct NotReady {};

/// [layer, node, tensor, ...]
bool is_triple(const Json& json) {
  return json.is_array() && json.size() >= 3 && json[0].is_string() &&
         json[1].is_number_integer() && json[2].is_number_integer();
}

/// Whether `training` of a call in a Keras 3 file was passed by the caller. Keras also writes the
/// default of `call`, which the model's mode overrides: true for augmentation, false for dropout,
/// noise and recurrent layers. The layers listed here default to None, which is not written.
bool is_given_by_caller(const Layer& layer, bool training) {
  static const std::set<std::string> kDefaultIsNone = {
      "BatchNormalization", "Bidirectional",   "Functional", "GroupedQueryAttention",
      "MultiHeadAttention", "TimeDistributed", "Sequential"};
  const bool by_default = LayerInternals::state(layer).trains_by_default;
  return training != by_default || kDefaultIsNone.contains(layer.class_name());
}

Tensor constant(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_boolean()) return Tensor(value.get<bool>());
  if (value.is_number_integer()) return Tensor(value.get<int64_t>());
  if (value.is_number()) return Tensor(value.get<double>());
  throw ValueError(
      "Invalid Functional model configuration: an argument of a call is not a tensor. Received: {}",
      value.dump());
}

/// Creates the layers of a configuration and calls them in dependency order.
class Builder {
 public:
  Builder(const Json& layers, const GraphParts& parts) : parts_(parts) {
    for (const Json& entry : layers) add(entry);
  }

  void connect() {
    for (bool progress = true; progress;) {
      progress = false;
      bool waiting = false;
      for (Item& item : items_) {
        while (item.next < item.calls.size() && call(item)) progress = true;
        waiting = waiting || item.next < item.calls.size();
      }
      if (!waiting) return;
    }
    std::vector<std::string> names;
    for (const Item& item : items_) {
      if (item.next < item.calls.size()) names.push_back(item.name);
    }
    throw ValueError(
        "Invalid Functional model configuration. The graph of the Functional model either has "
        "loops or disconnected nodes. The following nodes failed to be resolved: [{}]",
        quoted(names));
  }

  /// The tensors of "input_layers" or "output_layers".
  Nest ends(const Json& json) const {
    if (is_triple(json)) {
      // Keras counts a functional model's own graph as its first node; Keras 2 also does so for
      // sequential models.
      const int64_t index = json[1].get<int64_t>();
      const std::string& kind = find(json[0]).layer->class_name();
      const bool counts_itself = kind == "Functional" || (lists_only_ && kind == "Sequential");
      return output(json[0], counts_itself && index > 0 ? index - 1 : index,
                    json[2].get<int64_t>());
    }
    if (json.is_object() && json.value("class_name", "") == "__tuple__") {
      return ends(json.at("items"));
    }
    if (json.is_object()) {
      Nest::Items items;
      for (const auto& [key, value] : json.items()) items.emplace_back(key, ends(value));
      return Nest::dict(std::move(items));
    }
    if (!json.is_array()) {
      throw ValueError(
          "Invalid Functional model configuration: `input_layers` and `output_layers` must consist "
          "of lists [layer, node, tensor]. Received: {}",
          json.dump());
    }
    std::vector<Nest> list;
    for (const Json& item : json) list.push_back(ends(item));
    return list;
  }

 private:
  struct Item {
    std::string name;
    LayerPtr layer;
    Json calls = Json::array();
    size_t next = 0;               // of calls
    std::vector<Tensors> outputs;  // of each call
  };

  void add(const Json& entry) {
    Item item;
    item.layer = parts_.layer ? parts_.layer(entry) : deserialize_layer(entry);
    item.name = entry.value("name", item.layer->name());
    const auto given = parts_.inputs.find(item.name);
    if (given != parts_.inputs.end()) {
      item.outputs.push_back({given->second});
    } else if (const auto* input = dynamic_cast<const InputLayer*>(item.layer.get())) {
      item.outputs.push_back({input->placeholder()});
    } else if (entry.contains("inbound_nodes")) {
      item.calls = entry["inbound_nodes"];
      for (const Json& node : item.calls) lists_only_ = lists_only_ && node.is_array();
    }
    by_name_[item.name] = items_.size();
    items_.push_back(std::move(item));
  }

  const Item& find(const Json& name) const {
    const auto found = by_name_.find(name.get<std::string>());
    if (found == by_name_.end()) {
      throw ValueError("Invalid Functional model configuration: there is no layer {}.",
                       name.dump());
    }
    return items_[found->second];
  }

  Tensor output(const Json& layer, int64_t node, int64_t tensor) const {
    const Item& item = find(layer);
    if (node < 0 || node >= static_cast<int64_t>(item.outputs.size())) throw NotReady();
    const Tensors& outputs = item.outputs[static_cast<size_t>(node)];
    if (tensor < 0 || tensor >= static_cast<int64_t>(outputs.size())) {
      throw ValueError("Invalid Functional model configuration: layer {} has no output {}.",
                       layer.dump(), tensor);
    }
    return outputs[static_cast<size_t>(tensor)];
  }

  /// An argument of a call in Keras 3's form.
  Nest argument(const Json& json) const {
    if (json.is_array()) {
      std::vector<Nest> list;
      for (const Json& item : json) list.push_back(argument(item));
      return list;
    }
    if (!json.is_object()) return constant(json);
    const std::string kind = json.value("class_name", "");
    if (kind == "__keras_tensor__") {
      const Json& history = json.at("config").at("keras_history");
      return output(history.at(0), history.at(1).get<int64_t>(), history.at(2).get<int64_t>());
    }
    if (kind == "__tuple__") return argument(json.at("items"));
    if (is_array_config(json)) return array_from_config(json);
    Nest::Items items;
    for (const auto& [key, value] : json.items()) items.emplace_back(key, argument(value));
    return Nest::dict(std::move(items));
  }

  static CallValue keyword(const Json& json, const Nest& tensors) {
    if (json.is_boolean()) return json.get<bool>();
    if (json.is_number_integer()) return json.get<int64_t>();
    if (json.is_number()) return json.get<double>();
    if (json.is_string()) return json.get<std::string>();
    return tensors;
  }

  void set_keyword(CallOptions& options, const std::string& name, const Json& json) const {
    if (json.is_null() || name == "training") return;
    const bool plain = json.is_primitive();
    options.set(name, keyword(json, plain ? Nest() : argument(json)));
  }

  /// Makes the next call of an item; false if its inputs are not ready.
  bool call(Item& item) {
    const Json& node = item.calls[item.next];
    try {
      item.outputs.push_back(node.is_array() ? call_keras2(item, node) : call_keras3(item, node));
    } catch (const NotReady&) {
      return false;
    }
    ++item.next;
    return true;
  }

  Tensors call_keras3(const Item& item, const Json& node) const {
    const Json& args = node.at("args");
    const Json kwargs = node.value("kwargs", Json::object());
    if (is_operation(*item.layer)) {
      std::vector<Nest> all;
      CallOptions static_options;
      for (const Json& arg : args) {
        if (item.layer->class_name() == "GetItem" && !all.empty()) {
          static_options.set(kStaticArgument, arg.dump());
        } else {
          all.push_back(argument(arg));
        }
      }
      for (const auto& [name, value] : kwargs.items()) all.push_back(argument(value));
      return call_layer(item, Nest(std::move(all)), static_options);
    }
    const CallSignature signature = item.layer->call_signature();
    std::vector<Nest> inputs;
    CallOptions options;
    for (size_t i = 0; i < args.size(); ++i) {
      if (i < signature.inputs.size()) {
        inputs.push_back(argument(args[i]));
      } else if (const size_t k = i - signature.inputs.size(); k < signature.keywords.size()) {
        set_keyword(options, signature.keywords[k], args[i]);
      } else {
        throw ValueError(
            "Invalid Functional model configuration: layer \"{}\" is called with {} arguments.",
            item.name, args.size());
      }
    }
    // Inputs passed by name follow those passed by position.
    for (size_t i = inputs.size(); i < signature.inputs.size(); ++i) {
      const auto given = kwargs.find(signature.inputs[i]);
      if (given == kwargs.end() || given->is_null()) continue;
      while (inputs.size() < i) inputs.emplace_back();
      inputs.push_back(argument(*given));
    }
    while (inputs.size() > 1 && inputs.back().is_none()) inputs.pop_back();
    check_first(item, inputs);
    for (const auto& [name, value] : kwargs.items()) {
      const bool is_input = std::find(signature.inputs.begin(), signature.inputs.end(), name) !=
                            signature.inputs.end();
      if (!is_input) set_keyword(options, name, value);
    }
    if (const auto training = kwargs.find("training");
        training != kwargs.end() && training->is_boolean() &&
        is_given_by_caller(*item.layer, training->get<bool>())) {
      options.training = training->get<bool>();
    }
    const Nest all = signature.inputs.size() == 1 && inputs.size() == 1 ? inputs[0] : Nest(inputs);
    return call_layer(item, all, options);
  }

  /// Further inputs may be None, the first may not.
  static void check_first(const Item& item, const std::vector<Nest>& inputs) {
    const Tensors first = inputs.empty() ? Tensors() : inputs[0].flatten();
    const auto given = [](const Tensor& tensor) { return tensor.defined(); };
    if (first.empty() || !std::all_of(first.begin(), first.end(), given)) {
      throw ValueError(
          "Invalid Functional model configuration: layer \"{}\" is called without an input.",
          item.name);
    }
  }

  Tensors call_keras2(const Item& item, const Json& node) const {
    const CallSignature signature = item.layer->call_signature();
    std::vector<Nest> inputs;
    std::map<size_t, Nest> by_name;  // value and key of an attention layer, by position
    CallOptions options;
    // A single input is [layer, node, tensor, kwargs]; several are a list of these.
    for (const Json& input : is_triple(node) ? Json::array({node}) : node) {
      if (!is_triple(input)) {
        throw ValueError("Invalid Functional model configuration: node {} of layer \"{}\".",
                         input.dump(), item.name);
      }
      inputs.emplace_back(triple(input));
      if (input.size() < 4 || !input[3].is_object()) continue;
      for (const auto& [name, value] : input[3].items()) {
        if (name == "training" && value.is_boolean()) options.training = value.get<bool>();
        const auto place = std::find(signature.inputs.begin(), signature.inputs.end(), name);
        if (is_triple(value) && place != signature.inputs.end()) {
          by_name[static_cast<size_t>(place - signature.inputs.begin())] = triple(value);
        } else if (is_triple(value)) {
          options.set(name, Nest(triple(value)));
        } else if (value.is_array() && !value.empty() && is_triple(value[0])) {
          std::vector<Nest> list;
          for (const Json& part : value) list.emplace_back(triple(part));
          options.set(name, Nest(std::move(list)));
        } else {
          set_keyword(options, name, value);
        }
      }
    }
    for (const auto& [place, tensor] : by_name) {
      while (inputs.size() <= place) inputs.emplace_back();
      inputs[place] = tensor;
    }
    if (inputs.size() > 1 && takes_states(signature)) {
      // A recurrent layer's states follow its sequences.
      options.set("initial_state", Nest(std::vector<Nest>(inputs.begin() + 1, inputs.end())));
      inputs.resize(1);
    }
    const Nest all = inputs.size() == 1 ? inputs[0] : Nest(std::move(inputs));
    return call_layer(item, all, options);
  }

  static bool takes_states(const CallSignature& signature) {
    const auto& keywords = signature.keywords;
    return signature.inputs.size() == 1 &&
           std::find(keywords.begin(), keywords.end(), "initial_state") != keywords.end();
  }

  Tensor triple(const Json& json) const {
    if (json[0] == "_CONSTANT_VALUE") return constant(json[2]);
    const int64_t index = json[1].get<int64_t>();
    // Keras 2 counts a model's own graph as its first node.
    const std::string& kind = find(json[0]).layer->class_name();
    const bool counts_itself = kind == "Functional" || kind == "Sequential";
    return output(json[0], counts_itself && index > 0 ? index - 1 : index, json[2].get<int64_t>());
  }

  Tensors call_layer(const Item& item, const Nest& inputs, const CallOptions& options) const {
    const Layer& layer = *item.layer;
    return (parts_.call ? parts_.call(layer, inputs, options) : layer(inputs, options)).flatten();
  }

  const GraphParts& parts_;
  std::vector<Item> items_;
  std::map<std::string, size_t> by_name_;
  bool lists_only_ = true;  // whether all calls are in Keras 2's form
};

}  // namespace

GraphEnds graph_from_config(const Json& config, const GraphParts& parts) {
  for (const char* key : {"layers", "input_layers", "output_layers"}) {
    if (!config.contains(key)) {
      throw ValueError("The configuration of a functional model must have `{}`.", key);
    }
  }
  Builder builder(config["layers"], parts);
  builder.connect();
  try {
    return {builder.ends(config["input_layers"]), builder.ends(config["output_layers"])};
  } catch (const NotReady&) {
    throw ValueError(
        "Invalid Functional model configuration: `input_layers` or `output_layers` refer to a node "
        "that does not exist.");
  }
}

}  // namespace antler::training

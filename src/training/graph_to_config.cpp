#include <map>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/registry.h"
#include "nn/array_config.h"
#include "nn/fields.h"
#include "nn/keras_op.h"
#include "nn/op_layer.h"
#include "training/graph_config.h"
#include "training/model_config.h"
#include "training/op_to_keras.h"

namespace antler::training {
namespace {

/// Index of each node among the calls of its layer in the graph.
using NodeIndices = std::map<const GraphNode*, int64_t>;

class Writer {
 public:
  explicit Writer(const FunctionalGraph& graph) : graph_(graph) {
    for (const LayerPtr& layer : graph.operations()) {
      int64_t index = 0;
      for (const GraphNodePtr& node : graph.nodes_of(*layer)) indices_[node.get()] = index++;
    }
  }

  Json layer(const LayerPtr& layer) const {
    if (const auto* op = dynamic_cast<const OpLayer*>(layer.get())) return operation(*op);
    Json entry = is_operation(*layer) ? serialize_layer(*layer) : with_build_config(*layer);
    entry["name"] = layer->name();
    Json nodes = Json::array();
    for (const GraphNodePtr& node : graph_.nodes_of(*layer)) {
      if (!node->is_input()) nodes.push_back(call(*node));
    }
    entry["inbound_nodes"] = std::move(nodes);
    return entry;
  }

  /// [layer, node, tensor] in the structure of `tensors`.
  Json ends(const Nest& tensors) const {
    return mapped(tensors, [&](const Tensor& t) {
      const PlaceholderSource& source = placeholder_source(t);
      const Layer& layer = *source.node->layer;
      // Keras counts a functional model's own graph as its first node.
      const int64_t own = layer.class_name() == "Functional" ? 1 : 0;
      return Json::array({layer.name(), indices_.at(source.node.get()) + own, source.index});
    });
  }

 private:
  template <class F>
  static Json mapped(const Nest& nest, const F& f) {
    if (nest.is_tensor()) return f(nest.tensor());
    Json json = nest.is_dict() ? Json::object() : Json::array();
    for (const auto& [key, value] : nest.items()) {
      if (nest.is_dict()) {
        json[key] = mapped(value, f);
      } else {
        json.push_back(mapped(value, f));
      }
    }
    return json;
  }

  /// An operation such as `x + 1`, which is called once.
  Json operation(const OpLayer& layer) const {
    const GraphNode& node = *graph_.nodes_of(layer).front();
    KerasCall call = keras_call_of(layer, node);
    call.config["name"] = layer.name();
    Json args = Json::array();
    for (const Tensor& operand : node.inputs.flatten()) args.push_back(leaf(operand));
    if (call.takes_list) args = Json::array({std::move(args)});
    if (!call.key.is_null()) args.push_back(std::move(call.key));
    Json entry =
        keras_object(keras_op_module(call.class_name), call.class_name, std::move(call.config));
    entry["registered_name"] = call.class_name;
    entry["name"] = layer.name();
    entry["inbound_nodes"] = Json::array({{{"args", std::move(args)}, {"kwargs", Json::object()}}});
    return entry;
  }

  Json argument(const Nest& nest) const {
    return mapped(nest, [&](const Tensor& t) { return leaf(t); });
  }

  Json leaf(const Tensor& t) const {
    if (!t.defined()) return nullptr;
    if (t.is_placeholder()) {
      const PlaceholderSource& source = placeholder_source(t);
      const Json history =
          Json::array({source.node->layer->name(), indices_.at(source.node.get()), source.index});
      return {{"class_name", "__keras_tensor__"},
              {"config",
               {{"shape", shape_to_json(t.shape())},
                {"dtype", dtype_name(t.dtype())},
                {"keras_history", history}}}};
    }
    if (t.size() == 1 && t.rank() == 0) {
      if (t.dtype() == DType::boolean) return t.item() != 0;
      if (is_integer(t.dtype())) return static_cast<int64_t>(t.item());
      return t.is_weak() ? t.impl()->number : t.item();
    }
    return array_to_config(t);
  }

  Json value(const CallValue& value) const {
    if (const Nest* nest = std::get_if<Nest>(&value)) return argument(*nest);
    return std::visit(
        [](const auto& v) -> Json {
          if constexpr (std::is_same_v<std::decay_t<decltype(v)>, Nest>) {
            return nullptr;
          } else {
            return v;
          }
        },
        value);
  }

  Json call(const GraphNode& node) const {
    const CallSignature signature = node.layer->call_signature();
    Json args = Json::array();
    if (is_operation(*node.layer) || signature.inputs.size() > 1) {
      for (const auto& [key, input] : node.inputs.items()) args.push_back(argument(input));
      if (node.inputs.is_tensor()) args.push_back(argument(node.inputs));
    } else {
      args.push_back(argument(node.inputs));
    }
    Json kwargs = Json::object();
    if (node.options.training.given())
      kwargs["training"] = static_cast<bool>(node.options.training);
    if (node.options.mask.defined()) kwargs["mask"] = argument(node.options.mask);
    if (!node.options.initial_state.is_none())
      kwargs["initial_state"] = argument(node.options.initial_state);
    for (const auto& [name, item] : node.options.arguments) {
      if (is_operation(*node.layer) && name == kStaticArgument) {
        args.push_back(Json::parse(std::get<std::string>(item)));
      } else {
        kwargs[name] = value(item);
      }
    }
    return {{"args", std::move(args)}, {"kwargs", std::move(kwargs)}};
  }

  const FunctionalGraph& graph_;
  NodeIndices indices_;
};

}  // namespace

void add_graph_config(const FunctionalGraph& graph, Json& config) {
  const Writer writer(graph);
  Json layers = Json::array();
  for (const LayerPtr& layer : graph.operations()) layers.push_back(writer.layer(layer));
  config["layers"] = std::move(layers);
  config["input_layers"] = writer.ends(graph.inputs());
  config["output_layers"] = writer.ends(graph.outputs());
}

}  // namespace antler::training

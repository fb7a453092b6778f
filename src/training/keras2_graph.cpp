#include "training/keras2_graph.h"

#include <map>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace antler::training {
namespace {

bool is_model(const std::string& class_name) {
  return class_name == "Functional" || class_name == "Sequential";
}

/// Writes one functional model, with or without the calls of nested models.
class Keras2Graph {
 public:
  Keras2Graph(const Json& config, bool nested_models) : config_(config), nested_(nested_models) {
    for (const Json& layer : config["layers"]) {
      kinds_[layer.value("name", "")] = layer.value("class_name", "");
    }
  }

  /// The configuration; nullopt if nested models are written but a call has no form in Keras 2.
  std::optional<Json> write() const {
    Json result = config_;
    for (Json& layer : result["layers"]) {
      Json nodes = Json::array();
      for (const Json& node : layer["inbound_nodes"]) {
        const bool operation = layer.contains("module");
        const std::optional<Json> list = node.is_object() && !operation
                                             ? list_of(node, layer.value("class_name", ""))
                                             : std::nullopt;
        if (nested_ && !list && node.is_object()) return std::nullopt;
        nodes.push_back(list.value_or(node));
        if (nested_ && is_model(layer.value("class_name", ""))) nodes.push_back(nodes.back());
      }
      layer["inbound_nodes"] = std::move(nodes);
    }
    for (const char* key : {"input_layers", "output_layers"}) result[key] = ends(result[key]);
    return result;
  }

 private:
  /// The index of a call of a nested model, for both Keras 2 and 3.
  static int64_t doubled(int64_t call) { return 2 * call + 1; }

  const std::string* kind_of(const Json& name) const {
    const auto found = kinds_.find(name.get<std::string>());
    return found == kinds_.end() ? nullptr : &found->second;
  }

  std::optional<Json> triple_of(const Json& tensor) const {
    if (!tensor.is_object() || tensor.value("class_name", "") != "__keras_tensor__") return {};
    const Json& history = tensor.at("config").at("keras_history");
    const std::string* kind = kind_of(history.at(0));
    if (kind == nullptr || (is_model(*kind) && !nested_)) return {};
    const int64_t call = history.at(1).get<int64_t>();
    return Json::array(
        {history.at(0), is_model(*kind) ? doubled(call) : call, history.at(2), Json::object()});
  }

  std::optional<Json> list_of(const Json& node, const std::string& class_name) const {
    Json args = node.at("args");
    Json kwargs = Json::object();
    if (class_name == "MultiHeadAttention") {
      // Value and key are keyword arguments.
      for (; args.size() > 1; args.erase(args.size() - 1)) {
        const std::optional<Json> triple = triple_of(args.back());
        if (!triple || args.size() > 3) return {};
        kwargs[args.size() == 3 ? "key" : "value"] =
            Json::array({triple->at(0), triple->at(1), triple->at(2)});
      }
    }
    if (args.size() != 1) return {};
    const Json given = node.value("kwargs", Json::object());
    for (const auto& [name, value] : given.items()) {
      if (!value.is_primitive()) return {};
      if (!value.is_null()) kwargs[name] = value;
    }
    Json list = Json::array();
    for (const Json& tensor : args[0].is_array() ? args[0] : args) {
      const std::optional<Json> triple = triple_of(tensor);
      if (!triple) return {};
      list.push_back(*triple);
    }
    if (!kwargs.empty()) {
      if (list.size() != 1) return {};
      list[0][3] = kwargs;
    }
    return list;
  }

  static bool is_triple(const Json& json) {
    return json.is_array() && json.size() == 3 && json[0].is_string();
  }

  Json renumbered(const Json& end) const {
    if (is_triple(end)) {
      const std::string* kind = kind_of(end[0]);
      if (!nested_ || kind == nullptr || !is_model(*kind)) return end;
      // In ends, Keras 3 also counts a functional model's own graph.
      const int64_t number = end[1].get<int64_t>();
      return Json::array({end[0], doubled(*kind == "Functional" ? number - 1 : number), end[2]});
    }
    Json result = end;
    if (result.is_structured()) {
      for (Json& item : result) item = renumbered(item);
    }
    return result;
  }

  /// Keras 2 always writes a list of ends.
  Json ends(const Json& ends) const {
    const Json numbered = renumbered(ends);
    return is_triple(numbered) ? Json::array({numbered}) : numbered;
  }

  const Json& config_;
  bool nested_;
  std::map<std::string, std::string> kinds_;
};

}  // namespace

void write_keras2_graph(Json& config) {
  std::optional<Json> whole = Keras2Graph(config, /*nested_models=*/true).write();
  config = whole ? std::move(*whole) : *Keras2Graph(config, /*nested_models=*/false).write();
}

}  // namespace antler::training

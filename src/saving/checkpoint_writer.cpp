#include "antler/base/format.h"
#include "nn/layer_state.h"
#include "saving/checkpoint_names.h"
#include "saving/checkpoint_objects.h"
#include "saving/object_tree.h"

namespace antler::saving {
namespace {

/// A name as written in a key.
std::string escaped(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c == '.') {
      text += "..";
    } else if (c == '/') {
      text += ".S";
    } else {
      text += c;
    }
  }
  return text;
}

std::string key_below(const std::string& path, const std::string& name) {
  return join_path(path, escaped(name));
}

}  // namespace

int64_t ObjectGraphWriter::new_object() {
  graph_.emplace_back();
  return static_cast<int64_t>(graph_.size()) - 1;
}

void ObjectGraphWriter::link(int64_t parent, const std::string& name, int64_t child) {
  io::TrackableObject& object = graph_[static_cast<size_t>(parent)];
  if (object.child(name) < 0) object.children.emplace_back(name, child);
}

int64_t ObjectGraphWriter::variable(const Variable& variable, const std::string& path) {
  if (const auto known = variables_.find(variable.id()); known != variables_.end()) {
    return known->second;
  }
  const int64_t object = new_object();
  variables_[variable.id()] = object;
  io::TrackableObject& node = graph_.back();
  node.key = path + "/.ATTRIBUTES/VARIABLE_VALUE";
  node.full_name = variable.path();
  entries_[node.key] = variable.stored();
  return object;
}

void ObjectGraphWriter::fill_layer(const Layer& layer, int64_t object, const std::string& path) {
  const LayerState& state = LayerInternals::state(layer);
  for (const Variables* own : {&state.trainable_weights, &state.non_trainable_weights}) {
    for (const Variable& v : *own) {
      const std::vector<std::string> names = attributes_of(layer, v.name());
      const int64_t child = variable(v, key_below(path, names[0]));
      for (const std::string& name : names) link(object, name, child);
    }
  }
  if (is_container(layer)) {
    fill_container(layer, object, path);
    return;
  }
  for (const NamedPart& part : named_parts(layer)) {
    int64_t owner = object;
    std::string where = path;
    if (part.path.size() == 2) {
      where = key_below(where, part.path[0]);
      owner = graph_[static_cast<size_t>(object)].child(part.path[0]);
      if (owner < 0) {
        owner = new_object();
        link(object, part.path[0], owner);
      }
    }
    const std::string& name = part.path.back();
    const int64_t child = this->layer(*part.layer, key_below(where, name));
    link(owner, name, child);
    if (part.path.size() == 1) link(owner, other_spelling(name), child);
  }
}

void ObjectGraphWriter::fill_container(const Layer& layer, int64_t object,
                                       const std::string& path) {
  const int64_t operations = new_object();
  for (const ListedPart& part : listed_parts(layer)) {
    const std::string numbered = part.with_weights_index >= 0
                                     ? format("layer_with_weights-{}", part.with_weights_index)
                                     : format("layer-{}", part.layer_index);
    const int64_t child = this->layer(*part.layer, key_below(path, numbered));
    link(operations, std::to_string(part.operation_index), child);
    if (part.layer_index < 0) continue;
    if (part.with_weights_index >= 0) link(object, numbered, child);
    link(object, format("layer-{}", part.layer_index), child);
  }
  link(object, "_operations", operations);
  if (layer.class_name() == "Sequential") {
    const int64_t functional = new_object();
    link(functional, "_operations", operations);
    link(object, "_functional", functional);
  }
}

int64_t ObjectGraphWriter::layer(const Layer& layer, const std::string& path) {
  const LayerState* state = &LayerInternals::state(layer);
  if (const auto known = layers_.find(state); known != layers_.end()) return known->second;
  const int64_t object = new_object();
  layers_[state] = object;
  fill_layer(layer, object, path);
  return object;
}

int64_t ObjectGraphWriter::optimizer(const Optimizer& optimizer, const std::string& path) {
  const int64_t object = new_object();
  const Variables all = optimizer.variables();
  const int64_t list = new_object();
  link(object, "_variables", list);
  const int64_t iterations = variable(all.at(0), key_below(path, "_iterations"));
  link(object, "_iterations", iterations);
  link(list, "0", iterations);
  const size_t slots = optimizer.has_schedule() ? 1 : 2;
  if (slots == 2) {
    link(object, "_learning_rate", variable(all.at(1), key_below(path, "_learning_rate")));
  }
  if (const auto places = slot_places(optimizer)) {
    for (size_t i = 0; i < places->size(); ++i) {
      list_slot(all[slots + i], (*places)[i], object, path);
    }
    return object;
  }
  // Keras 3 also has the learning rate at index 1 of the list; Keras 2 has it only outside of it.
  int64_t place = 1;
  if (keras_version_ == 3 && slots == 2) {
    link(list, "1", variable(all[1], ""));
    ++place;
  }
  const std::string where = key_below(path, "_variables");
  for (size_t i = slots; i < all.size(); ++i, ++place) {
    const std::string name = std::to_string(place);
    link(list, name, variable(all[i], key_below(where, name)));
  }
  return object;
}

/// Adds a slot to the list of its kind. Keras 2 and 3 name the lists alike except for an
/// underscore.
void ObjectGraphWriter::list_slot(const Variable& slot, const SlotPlace& place, int64_t optimizer,
                                  const std::string& path) {
  const std::string hidden = "_" + place.list;
  int64_t list = graph_[static_cast<size_t>(optimizer)].child(hidden);
  if (list < 0) {
    list = new_object();
    link(optimizer, hidden, list);
    link(optimizer, place.list, list);
  }
  const std::string index = std::to_string(place.index);
  link(list, index, variable(slot, key_below(key_below(path, hidden), index)));
}

void ObjectGraphWriter::add(const std::string& name, const Trackable& value) {
  const std::string path = escaped(name);
  int64_t object = -1;
  if (const auto* part = std::get_if<LayerPtr>(&value)) object = layer(**part, path);
  if (const auto* part = std::get_if<OptimizerPtr>(&value)) object = optimizer(**part, path);
  if (const auto* part = std::get_if<Variable>(&value)) object = variable(*part, path);
  link(0, name, object);
}

void ObjectGraphWriter::add_root(const Layer& layer) {
  layers_[&LayerInternals::state(layer)] = 0;
  fill_layer(layer, 0, "");
}

io::BundleEntries ObjectGraphWriter::entries() const {
  io::BundleEntries all = entries_;
  all[io::kObjectGraphKey] = StringTensor({io::format_object_graph(graph_)}, Shape{});
  return all;
}

}  // namespace antler::saving

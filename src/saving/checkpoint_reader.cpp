#include <algorithm>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "nn/layer_state.h"
#include "nn/seed_state.h"
#include "saving/checkpoint_names.h"
#include "saving/checkpoint_objects.h"

namespace antler::saving {

ObjectGraphReader::ObjectGraphReader(const io::TensorBundle& bundle, bool expect_partial)
    : bundle_(bundle), expect_partial_(expect_partial) {
  if (bundle.contains(io::kObjectGraphKey)) {
    const StringTensor text = bundle.read_text(io::kObjectGraphKey);
    if (text.values.size() != 1) throw IOError("The object graph of a checkpoint is damaged.");
    graph_ = io::parse_object_graph(text.values[0]);
  } else {
    // TensorFlow 1 and Estimators use variable names as keys.
    has_graph_ = false;
    graph_.emplace_back();
  }
}

void ObjectGraphReader::missing(const std::string& what) {
  const std::string message = format("The checkpoint has no {}.", what);
  if (!expect_partial_) throw ValueError(message);
  logging::warning(message);
}

int64_t ObjectGraphReader::child(int64_t object, const std::string& name) const {
  const int64_t found = at(object).child(name);
  return found >= 0 ? found : at(object).child(other_spelling(name));
}

void ObjectGraphReader::variable(const Variable& variable, int64_t object,
                                 const std::string& owner) {
  if (object < 0 || at(object).key.empty()) {
    missing(format("value for the variable '{}' of {}", variable.name(), owner));
    return;
  }
  try {
    const Changes change = match(owner, {variable}, {bundle_.read(at(object).key)});
    changes_.push_back(change[0]);
  } catch (const ValueError& error) {
    if (!expect_partial_) throw;
    logging::warning(error.what());
  }
}

void ObjectGraphReader::container(const Layer& layer, int64_t object) {
  int64_t operations = at(object).child("_operations");
  if (const int64_t functional = at(object).child("_functional"); functional >= 0) {
    operations = at(functional).child("_operations");
  }
  for (const ListedPart& part : listed_parts(layer)) {
    if (part.layer->weights().empty()) continue;
    int64_t found = at(object).child(format("layer_with_weights-{}", part.with_weights_index));
    if (found < 0 && operations >= 0) {
      found = at(operations).child(std::to_string(part.operation_index));
    }
    if (found < 0) found = at(object).child(format("layer-{}", part.layer_index));
    if (found < 0) {
      missing(format("layer '{}' of the model '{}'", part.layer->name(), layer.name()));
      continue;
    }
    this->layer(*part.layer, found);
  }
}

void ObjectGraphReader::layer(const Layer& layer, int64_t object) {
  const LayerState& state = LayerInternals::state(layer);
  const std::string owner = format("Layer '{}'", layer.name());
  for (const Variables* own : {&state.trainable_weights, &state.non_trainable_weights}) {
    for (const Variable& v : *own) {
      int64_t found = -1;
      for (const std::string& name : attributes_of(layer, v.name())) {
        if (found < 0) found = at(object).child(name);
      }
      variable(v, found, owner);
    }
  }
  if (is_container(layer)) {
    container(layer, object);
    return;
  }
  for (const NamedPart& part : named_parts(layer)) {
    if (part.layer->weights().empty()) continue;
    int64_t found = object;
    for (const std::string& name : part.path) {
      if (found >= 0) found = child(found, name);
    }
    if (found < 0) {
      missing(format("sublayer '{}' of {}", part.layer->name(), owner));
      continue;
    }
    this->layer(*part.layer, found);
  }
}

/// An exported SavedModel has no layers, only a list of the variables in Keras's order.
void ObjectGraphReader::by_order(const Layer& layer, int64_t list) {
  Tensors arrays;
  for (int64_t i = 0;; ++i) {
    const int64_t object = at(list).child(std::to_string(i));
    if (object < 0) break;
    if (at(object).key.empty() || at(object).full_name.ends_with(kSeedState)) continue;
    arrays.push_back(bundle_.read(at(object).key));
  }
  const Changes all = match(format("Model '{}'", layer.name()), layer.weights(), arrays);
  changes_.insert(changes_.end(), all.begin(), all.end());
}

void ObjectGraphReader::by_name(const Layer& layer) {
  for (const Variable& v : layer.weights()) {
    const std::string path = v.path();
    const size_t slash = path.find('/');
    const std::string inner = slash == std::string::npos ? path : path.substr(slash + 1);
    const std::string key = bundle_.contains(path) ? path : inner;
    if (!bundle_.contains(key)) {
      missing(format("array '{}'", path));
      continue;
    }
    const Changes change = match(format("Model '{}'", layer.name()), {v}, {bundle_.read(key)});
    changes_.push_back(change[0]);
  }
}

int64_t ObjectGraphReader::read_root(const Layer& root) {
  if (!has_graph_) {
    by_name(root);
    return 0;
  }
  const bool has_layers =
      std::any_of(graph_[0].children.begin(), graph_[0].children.end(), [](const auto& reference) {
        return reference.first.starts_with("layer") || reference.first == "_operations" ||
               reference.first == "_functional" || reference.first == "keras_api" ||
               reference.first == "root";
      });
  const int64_t variables = graph_[0].child("variables");
  const int64_t model = graph_[0].child("model");
  if (!has_layers && variables >= 0) {
    by_order(root, variables);
  } else {
    const bool of_several = !has_layers && model >= 0 && is_container(root);
    layer(root, of_several ? model : 0);
    if (of_several) return model;
  }
  return 0;
}

/// An undefined tensor for an object without a value.
Tensor ObjectGraphReader::value_of(int64_t object) const {
  return object < 0 || at(object).key.empty() ? Tensor() : bundle_.read(at(object).key);
}

/// The values of the slots; empty if any is missing.
Tensors ObjectGraphReader::listed_slots(const std::vector<SlotPlace>& places, int64_t optimizer) {
  Tensors slots;
  for (const SlotPlace& place : places) {
    const int64_t list = child(optimizer, "_" + place.list);
    const Tensor value =
        list < 0 ? Tensor() : value_of(at(list).child(std::to_string(place.index)));
    if (!value.defined()) return {};
    slots.push_back(value);
  }
  return slots;
}

void ObjectGraphReader::read_optimizer(Optimizer& optimizer, int64_t object) {
  const int64_t list = at(object).child("_variables");
  if (list < 0) {
    logging::warning(
        "The state of the optimizer is not loaded: the checkpoint has it in an older format.");
    return;
  }
  OptimizerState state{.optimizer = &optimizer,
                       .arrays = {},
                       .learning_rate = value_of(at(object).child("_learning_rate"))};
  for (int64_t i = 0;; ++i) {
    const int64_t entry = at(list).child(std::to_string(i));
    if (entry < 0) break;
    if (Tensor value = value_of(entry); value.defined()) state.arrays.push_back(std::move(value));
  }
  // Where the slots have their own lists, `_variables` holds only the iterations.
  if (const auto places = slot_places(optimizer); places && state.arrays.size() == 1) {
    const Tensors slots = listed_slots(*places, object);
    state.arrays.insert(state.arrays.end(), slots.begin(), slots.end());
  }
  optimizers_.push_back(std::move(state));
}

void ObjectGraphReader::read(const std::string& name, const Trackable& value) {
  const int64_t object = graph_[0].child(name);
  if (!has_graph_) {
    if (const auto* part = std::get_if<LayerPtr>(&value)) by_name(**part);
    return;
  }
  if (object < 0) {
    missing(format("object '{}'", name));
    return;
  }
  if (const auto* part = std::get_if<LayerPtr>(&value)) layer(**part, object);
  if (const auto* part = std::get_if<OptimizerPtr>(&value)) read_optimizer(**part, object);
  if (const auto* part = std::get_if<Variable>(&value)) variable(*part, object, "the checkpoint");
}

void ObjectGraphReader::store() {
  saving::store(changes_);
  for (const OptimizerState& state : optimizers_) {
    load_optimizer_state(*state.optimizer, state.arrays);
    if (state.learning_rate.defined() && !state.optimizer->has_schedule()) {
      state.optimizer->set_learning_rate(state.learning_rate.item());
    }
  }
}

}  // namespace antler::saving

#include "saving/export/saved_objects.h"

#include "antler/base/error.h"
#include "antler/base/format.h"
#include "io/tf_data_type.h"
#include "io/tf_tensor.h"

namespace antler::saving {
namespace {

// Field numbers of SavedObject.
constexpr int kChild = 1;
constexpr int kUserObject = 4;
constexpr int kVariable = 7;

/// A field with an object of a class that TensorFlow knows.
io::WireWriter user_object(const char* type) {
  io::WireWriter version;
  version.integer(1, 1);
  version.integer(2, 1);
  io::WireWriter object;
  object.bytes(1, type);
  object.message(2, version);
  io::WireWriter field;
  field.message(kUserObject, object);
  return field;
}

io::WireWriter variable_object(const TfGraphVariable& variable) {
  io::WireWriter object;
  object.integer(1, io::tf_data_type(variable.dtype));
  object.message(2, io::shape_message(variable.shape));
  object.boolean(3, variable.trainable);
  object.bytes(6, variable.name);
  io::WireWriter field;
  field.message(kVariable, object);
  return field;
}

}  // namespace

SavedObjects::SavedObjects() { add_object(user_object("_generic_user_object")); }

int64_t SavedObjects::add_object(const io::WireWriter& kind) {
  graph_.emplace_back();
  kinds_.push_back(kind);
  return static_cast<int64_t>(graph_.size()) - 1;
}

void SavedObjects::link(int64_t parent, const std::string& name, int64_t child) {
  io::TrackableObject& object = graph_[static_cast<size_t>(parent)];
  if (object.child(name) >= 0)
    throw ValueError("A SavedModel cannot have two attributes '{}'.", name);
  object.children.emplace_back(name, child);
}

int64_t SavedObjects::add(int64_t parent, const std::string& name, int kind,
                          const io::WireWriter& value) {
  io::WireWriter field;
  field.message(kind, value);
  const int64_t object = add_object(field);
  link(parent, name, object);
  return object;
}

int64_t SavedObjects::add_container(int64_t parent, const std::string& name, const char* type) {
  const int64_t object = add_object(user_object(type));
  link(parent, name, object);
  return object;
}

void SavedObjects::add_list(const std::string& name, const std::vector<Variable>& variables) {
  const int64_t list = add_container(0, name, "trackable_list_wrapper");
  for (size_t i = 0; i < variables.size(); ++i)
    link(list, std::to_string(i), variable(variables[i]));
}

int64_t SavedObjects::variable(const Variable& variable) {
  const auto [place, is_new] = objects_of_.try_emplace(variable.id(), 0);
  if (is_new) {
    const TfGraphVariable saved{names_.unique(variable.path()), variable.dtype(), variable.shape(),
                                variable.trainable(),
                                format("variables/{}/.ATTRIBUTES/VARIABLE_VALUE", places_.size())};
    place->second = add_object(variable_object(saved));
    graph_.back().key = saved.key;
    graph_.back().full_name = saved.name;
    values_[saved.key] = variable.stored();
    places_[variable.id()] = variables_.size();
    variables_.push_back(saved);
  }
  return place->second;
}

const TfGraphVariable& SavedObjects::graph_variable(const Variable& variable) const {
  return variables_[places_.at(variable.id())];
}

io::WireWriter SavedObjects::message(const io::WireWriter& functions) const {
  io::WireWriter message;
  for (size_t i = 0; i < graph_.size(); ++i) {
    io::WireWriter object;
    for (const auto& [name, child] : graph_[i].children) {
      io::WireWriter reference;
      reference.integer(1, child);
      reference.bytes(2, name);
      object.message(kChild, reference);
    }
    object.append(kinds_[i]);
    message.message(1, object);
  }
  message.append(functions);
  return message;
}

io::BundleEntries SavedObjects::checkpoint() const {
  io::BundleEntries entries = values_;
  entries[io::kObjectGraphKey] = StringTensor({io::format_object_graph(graph_)}, Shape());
  return entries;
}

}  // namespace antler::saving

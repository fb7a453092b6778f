#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "antler/io/object_graph.h"
#include "antler/io/tensor_bundle.h"
#include "antler/saving/checkpoint.h"
#include "saving/match.h"
#include "saving/optimizer_lists.h"

/// Layers and optimizers as objects of a TensorFlow checkpoint.
namespace antler::saving {

/// Collects objects and their values for a checkpoint.
class ObjectGraphWriter {
 public:
  /// `keras_version`: see CheckpointOptions.
  explicit ObjectGraphWriter(int keras_version) : keras_version_(keras_version) {
    graph_.emplace_back();
  }
  /// Adds `value` as a child of the root.
  void add(const std::string& name, const Trackable& value);
  /// Makes `layer` the root.
  void add_root(const Layer& layer);
  /// Key of the array of a variable that was added.
  const std::string& key_of(const Variable& variable) const {
    return graph_[static_cast<size_t>(variables_.at(variable.id()))].key;
  }
  /// All arrays and the object graph.
  io::BundleEntries entries() const;

 private:
  int64_t new_object();
  void link(int64_t parent, const std::string& name, int64_t child);
  int64_t variable(const Variable& variable, const std::string& path);
  int64_t layer(const Layer& layer, const std::string& path);
  void fill_layer(const Layer& layer, int64_t object, const std::string& path);
  void fill_container(const Layer& layer, int64_t object, const std::string& path);
  int64_t optimizer(const Optimizer& optimizer, const std::string& path);
  void list_slot(const Variable& slot, const SlotPlace& place, int64_t optimizer,
                 const std::string& path);

  int keras_version_;
  io::ObjectGraph graph_;
  io::BundleEntries entries_;
  std::map<uint64_t, int64_t> variables_;
  std::map<const LayerState*, int64_t> layers_;
};

/// Finds the values of layers and optimizers in a checkpoint. store() then assigns all of them.
class ObjectGraphReader {
 public:
  /// Throws IOError.
  ObjectGraphReader(const io::TensorBundle& bundle, bool expect_partial);
  void read(const std::string& name, const Trackable& value);
  /// Reads a layer that is the root, or the child `model` of the root. Returns that object.
  int64_t read_root(const Layer& layer);
  void read_optimizer(Optimizer& optimizer, int64_t object);
  /// Index of a child of an object (0 is the root); -1 if there is none.
  int64_t child_of(int64_t object, const std::string& name) const { return at(object).child(name); }
  void store();

 private:
  const io::TrackableObject& at(int64_t object) const {
    return graph_[static_cast<size_t>(object)];
  }
  int64_t child(int64_t object, const std::string& name) const;
  void variable(const Variable& variable, int64_t object, const std::string& owner);
  void layer(const Layer& layer, int64_t object);
  void container(const Layer& layer, int64_t object);
  void by_order(const Layer& layer, int64_t list);
  void by_name(const Layer& layer);
  void missing(const std::string& what);
  Tensor value_of(int64_t object) const;
  Tensors listed_slots(const std::vector<SlotPlace>& places, int64_t optimizer);

  const io::TensorBundle& bundle_;
  bool expect_partial_;
  bool has_graph_ = true;
  io::ObjectGraph graph_;
  Changes changes_;
  struct OptimizerState {
    Optimizer* optimizer = nullptr;
    Tensors arrays;
    Tensor learning_rate;
  };
  std::vector<OptimizerState> optimizers_;
};

}  // namespace antler::saving

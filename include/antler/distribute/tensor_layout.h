#pragma once

#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/none.h"
#include "antler/core/variable_shards.h"
#include "antler/distribute/device_mesh.h"

namespace antler::distribution {

/// How a tensor is divided over a mesh: for each dimension the name of the mesh axis along which it
/// is divided, or None. `TensorLayout({None, "model"}, mesh)` divides a kernel by columns.
class TensorLayout {
 public:
  using Axis = std::optional<std::string>;
  /// Without a mesh it gets the mesh of the LayoutMap that it is added to. Throws ValueError for a
  /// name that the mesh does not have.
  explicit TensorLayout(std::vector<Axis> axes, std::optional<DeviceMesh> device_mesh = {});
  /// Axes in braces, such as the value in `layout_map["dense/kernel"] = {None, "model"}`.
  TensorLayout(std::initializer_list<Axis> axes) : TensorLayout(std::vector<Axis>(axes)) {}

  const std::vector<Axis>& axes() const { return axes_; }
  const std::optional<DeviceMesh>& device_mesh() const { return device_mesh_; }
  /// Throws ValueError if a mesh is already set, and what the constructor throws.
  void set_device_mesh(DeviceMesh device_mesh);

  friend bool operator==(const TensorLayout& a, const TensorLayout& b) = default;
  /// "<TensorLayout axes=(None, 'model'), device_mesh=None>"
  std::string str() const;
  friend std::ostream& operator<<(std::ostream& out, const TensorLayout& layout);

 private:
  void check_axes() const;
  std::vector<Axis> axes_;
  std::optional<DeviceMesh> device_mesh_;
};

/// The dimensions that a layout divides; mesh axes of one device divide nothing. Throws ValueError
/// if the layout has no mesh, has more dimensions than `shape`, or divides two dimensions along one
/// mesh axis. `what` names the tensor.
Sharding sharding_of(const TensorLayout& layout, const std::string& what, const Shape& shape);

/// Finds the layout for the path of a variable. Keys are regular expressions that match whole
/// paths, in ECMAScript's syntax, which agrees with Python's for usual ones:
///
///     LayoutMap layout_map(mesh);
///     layout_map[".*dense.*/kernel"] = {None, "model"};
///     layout_map[".*dense.*/bias"] = {"model"};
class LayoutMap {
 public:
  explicit LayoutMap(DeviceMesh device_mesh) : device_mesh_(std::move(device_mesh)) {}

  /// The layout whose key equals the path or, failing that, matches it; none if no key matches.
  /// Throws ValueError if several match.
  std::optional<TensorLayout> get(const std::string& path) const;
  /// Adds a layout, which gets the mesh of this map if it has none. Throws ValueError for a key
  /// that exists or is not a regular expression, and what TensorLayout's constructor throws.
  void set(const std::string& key, TensorLayout layout);
  /// Removes a layout. Throws KeyError for a key that does not exist.
  void erase(const std::string& key);
  size_t size() const { return entries_.size(); }
  /// In the order in which they were set.
  std::vector<std::string> keys() const;
  const DeviceMesh& device_mesh() const { return device_mesh_; }

  /// `layout_map[key] = layout` is set(), and reading `layout_map[path]` is get().
  class Entry {
   public:
    void operator=(TensorLayout layout) { map_.set(key_, std::move(layout)); }
    operator std::optional<TensorLayout>() const {  // NOLINT(google-explicit-constructor)
      return map_.get(key_);
    }

   private:
    friend class LayoutMap;
    Entry(LayoutMap& map, std::string key) : map_(map), key_(std::move(key)) {}
    LayoutMap& map_;
    std::string key_;
  };
  Entry operator[](const std::string& key) { return {*this, key}; }

 private:
  DeviceMesh device_mesh_;
  std::vector<std::pair<std::string, TensorLayout>> entries_;
};

}  // namespace antler::distribution

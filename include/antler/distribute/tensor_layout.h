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

/// How the dimensions of a tensor lie on a mesh: for each the name of a mesh axis along which it is
/// divided, or None. `TensorLayout({None, "model"}, mesh)` divides a kernel by columns.
class TensorLayout {
 public:
  using Axis = std::optional<std::string>;
  /// Without a mesh it gets that of the LayoutMap that it is put into. Throws ValueError for a name
  /// that the mesh does not have.
  explicit TensorLayout(std::vector<Axis> axes, std::optional<DeviceMesh> device_mesh = {});
  /// Axes in braces, such as the value in `layout_map["dense/kernel"] = {None, "model"}`.
  TensorLayout(std::initializer_list<Axis> axes) : TensorLayout(std::vector<Axis>(axes)) {}

  const std::vector<Axis>& axes() const { return axes_; }
  const std::optional<DeviceMesh>& device_mesh() const { return device_mesh_; }
  /// Throws ValueError if there is one already, and as the constructor.
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
/// for a layout without a mesh, one of more dimensions than `shape` has, and a mesh axis that
/// divides two dimensions. `what` names the tensor.
Sharding sharding_of(const TensorLayout& layout, const std::string& what, const Shape& shape);

/// Finds the layout for the path of a variable. Keys are regular expressions (ECMAScript's, of
/// which Python's usual ones are a part) that match whole paths:
///
///     LayoutMap layout_map(mesh);
///     layout_map[".*dense.*/kernel"] = {None, "model"};
///     layout_map[".*dense.*/bias"] = {"model"};
class LayoutMap {
 public:
  explicit LayoutMap(DeviceMesh device_mesh) : device_mesh_(std::move(device_mesh)) {}

  /// The layout whose key equals the path or, if there is none, matches it; none if no key does.
  /// Throws ValueError if several match.
  std::optional<TensorLayout> get(const std::string& path) const;
  /// Adds a layout, which gets the mesh of this map if it has none. Throws ValueError for a key
  /// that exists, or is no regular expression, and as TensorLayout's constructor.
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

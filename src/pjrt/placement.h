#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "antler/core/variable.h"
#include "antler/ir/graph.h"
#include "pjrt/client.h"
#include "pjrt/lowering/mesh.h"

namespace antler::pjrt {

/// Which part of an array's rows, of `count` equal ones, each device of a program takes.
struct RowParts {
  size_t count = 1;
  std::vector<size_t> of_device;  ///< by place in the list of devices
};

/// The devices of a program, and what they hold of its variables and inputs.
class Placement {
 public:
  /// All devices hold all of it.
  explicit Placement(std::vector<int> devices) : devices_(std::move(devices)) {}
  /// Replicas that take a part of the rows of each input; the graph has the shapes of the parts.
  static Placement of_replicas(std::vector<int> devices, bool divides_inputs);
  /// `devices` are those of the mesh, in row-major order.
  Placement(std::vector<int> devices, MeshPlacement mesh)
      : devices_(std::move(devices)), mesh_(std::move(mesh)) {}

  const std::vector<int>& devices() const { return devices_; }
  size_t size() const { return devices_.size(); }
  /// Null unless the program is for a mesh.
  const MeshPlacement* mesh() const { return mesh_ ? &*mesh_ : nullptr; }
  Sharing sharing() const { return mesh_ ? Sharing::partitions : Sharing::replicas; }

  /// The spec of the whole of input `i` of the graph, and of what a device takes of it.
  TensorSpec whole_input(const ir::Graph& graph, size_t i) const;
  TensorSpec part_of_input(const ir::Graph& graph, size_t i) const;
  RowParts rows_of_input(size_t i) const;
  /// The same of the row numbers of batches.
  RowParts rows_of_row_numbers() const;

  /// What a device holds of state `i` of the graph.
  TensorSpec part_of_state(const ir::Graph& graph, size_t i) const;
  /// The variables that state `i` consists of.
  Variables parts_of_state(const ir::Graph& graph, size_t i) const;
  /// The value of state `i` on each device. It is sent to those that do not have it.
  Buffers state_on_devices(const ir::Graph& graph, size_t i, Client& client) const;
  /// Makes `values`, which a program has computed, the value of state `i`.
  void set_state(const ir::Graph& graph, size_t i, const Buffers& values) const;

 private:
  RowParts rows_of(const Layout& layout) const;
  /// Which part of state `i` a device has.
  size_t part_on_device(size_t i, size_t device) const;

  std::vector<int> devices_;
  bool divides_inputs_ = false;
  std::optional<MeshPlacement> mesh_;
};

}  // namespace antler::pjrt

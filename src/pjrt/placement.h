#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "antler/core/variable.h"
#include "antler/ir/graph.h"
#include "pjrt/client.h"
#include "pjrt/lowering/mesh.h"

namespace antler::pjrt {

/// The rows of an array are divided into `count` equal parts, and each device of a program takes
/// one.
struct RowParts {
  size_t count = 1;
  std::vector<size_t> of_device;  ///< by place in the list of devices
};

/// The devices of a program, and the parts of its variables and inputs that they hold.
class Placement {
 public:
  /// All devices hold all variables and inputs.
  explicit Placement(std::vector<int> devices) : devices_(std::move(devices)) {}
  /// Replicas, each of which takes a part of the rows of every input; the graph has the shapes of
  /// the parts.
  static Placement of_replicas(std::vector<int> devices, bool divides_inputs);
  /// `devices` are the devices of the mesh, in row-major order.
  Placement(std::vector<int> devices, MeshPlacement mesh)
      : devices_(std::move(devices)), mesh_(std::move(mesh)) {}

  const std::vector<int>& devices() const { return devices_; }
  size_t size() const { return devices_.size(); }
  /// Null unless the program is for a mesh.
  const MeshPlacement* mesh() const { return mesh_ ? &*mesh_ : nullptr; }
  Sharing sharing() const { return mesh_ ? Sharing::partitions : Sharing::replicas; }

  /// The spec of the whole of input `i` of the graph, and of the part that one device takes.
  TensorSpec whole_input(const ir::Graph& graph, size_t i) const;
  TensorSpec part_of_input(const ir::Graph& graph, size_t i) const;
  RowParts rows_of_input(size_t i) const;
  /// The same for the row numbers of batches.
  RowParts rows_of_row_numbers() const;

  /// The part of state `i` of the graph that one device holds.
  TensorSpec part_of_state(const ir::Graph& graph, size_t i) const;
  /// The variables that state `i` consists of.
  Variables parts_of_state(const ir::Graph& graph, size_t i) const;
  /// The value of state `i` on each device. It is sent to devices that do not have it.
  Buffers state_on_devices(const ir::Graph& graph, size_t i, Client& client) const;
  /// Makes `values`, which a program has computed, the value of state `i`.
  void set_state(const ir::Graph& graph, size_t i, const Buffers& values) const;

 private:
  RowParts rows_of(const Layout& layout) const;
  /// The part of state `i` that a device holds.
  size_t part_on_device(size_t i, size_t device) const;

  std::vector<int> devices_;
  bool divides_inputs_ = false;
  std::optional<MeshPlacement> mesh_;
};

}  // namespace antler::pjrt

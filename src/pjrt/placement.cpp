#include "pjrt/placement.h"

#include <algorithm>
#include <utility>

#include "pjrt/lowering/lowering.h"
#include "pjrt/mirrored_value.h"

namespace antler::pjrt {

Placement Placement::of_replicas(std::vector<int> devices, bool divides_inputs) {
  Placement placement(std::move(devices));
  placement.divides_inputs_ = divides_inputs;
  return placement;
}

TensorSpec Placement::whole_input(const ir::Graph& graph, size_t i) const {
  TensorSpec spec = graph.spec(graph.inputs[i]);
  if (divides_inputs_) spec.shape[0] *= static_cast<int64_t>(size());
  return spec;
}

TensorSpec Placement::part_of_input(const ir::Graph& graph, size_t i) const {
  const TensorSpec& spec = graph.spec(graph.inputs[i]);
  return mesh_ ? part_of(spec, mesh_->grid, mesh_->inputs[i]) : spec;
}

RowParts Placement::rows_of(const Layout& layout) const {
  RowParts rows{.count = 1, .of_device = std::vector<size_t>(size(), 0)};
  for (size_t d = 0; d < size(); ++d) {
    rows.of_device[d] =
        static_cast<size_t>(part_of_device(mesh_->grid, layout, static_cast<int64_t>(d)));
    rows.count = std::max(rows.count, rows.of_device[d] + 1);
  }
  return rows;
}

RowParts Placement::rows_of_input(size_t i) const {
  if (mesh_) return rows_of(mesh_->inputs[i]);
  RowParts rows{.count = divides_inputs_ ? size() : 1, .of_device = {}};
  for (size_t d = 0; d < size(); ++d) rows.of_device.push_back(divides_inputs_ ? d : 0);
  return rows;
}

RowParts Placement::rows_of_row_numbers() const {
  return mesh_ ? rows_of(layout_of_rows(*mesh_)) : rows_of_input(0);
}

TensorSpec Placement::part_of_state(const ir::Graph& graph, size_t i) const {
  const TensorSpec& spec = graph.spec(graph.states[i].input);
  return mesh_ ? part_of(spec, mesh_->grid, mesh_->states[i].layout) : spec;
}

Variables Placement::parts_of_state(const ir::Graph& graph, size_t i) const {
  return mesh_ ? mesh_->states[i].parts : Variables{graph.states[i].variable};
}

size_t Placement::part_on_device(size_t i, size_t device) const {
  if (!mesh_) return 0;
  return static_cast<size_t>(
      part_of_device(mesh_->grid, mesh_->states[i].layout, static_cast<int64_t>(device)));
}

Buffers Placement::state_on_devices(const ir::Graph& graph, size_t i, Client& client) const {
  const Variables parts = parts_of_state(graph, i);
  Buffers values(size());
  for (size_t part = 0; part < parts.size(); ++part) {
    std::vector<size_t> places;
    std::vector<int> holders;
    for (size_t d = 0; d < size(); ++d) {
      if (part_on_device(i, d) != part) continue;
      places.push_back(d);
      holders.push_back(devices_[d]);
    }
    const Buffers copies = value_on_devices(parts[part], client, holders);
    for (size_t k = 0; k < places.size(); ++k) values[places[k]] = copies[k];
  }
  return values;
}

void Placement::set_state(const ir::Graph& graph, size_t i, const Buffers& values) const {
  const Variables parts = parts_of_state(graph, i);
  for (size_t part = 0; part < parts.size(); ++part) {
    Buffers copies;
    for (size_t d = 0; d < size(); ++d) {
      if (part_on_device(i, d) == part) copies.push_back(values[d]);
    }
    set_value_on_devices(parts[part], std::move(copies));
    parts[part].publish();
  }
}

}  // namespace antler::pjrt

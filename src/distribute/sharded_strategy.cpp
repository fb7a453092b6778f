#include "distribute/sharded_strategy.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "antler/base/error.h"
#include "antler/distribute/distribution.h"
#include "antler/runtime/config.h"
#include "base/strings.h"
#include "ops/core/shards.h"

namespace antler::distribute {
namespace {

/// The number N of a virtual device "cpu:N"; 0 without a number.
int64_t number_of(const std::string& device) {
  const size_t colon = device.rfind(':');
  return colon == std::string::npos ? 0 : std::stoll(device.substr(colon + 1));
}

/// The mesh as devices of a plug-in: "cpu:N" is the device N places after config::device(). Returns
/// nullopt if programs run on the CPU or train together with those of other processes. Throws
/// ValueError for the name of an axis that a program cannot have.
std::optional<ops::DeviceGrid> grid_of(const distribution::DeviceMesh& mesh,
                                       const ops::Communicator* workers) {
  if (workers != nullptr || config::device() == "cpu" || mesh.devices().size() == 1)
    return std::nullopt;
  for (const std::string& name : mesh.axis_names()) {
    if (std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_'; }))
      continue;
    throw ValueError(
        "On the devices of a plug-in, the name of an axis of a mesh consists of letters, digits "
        "and underscores. Received: axis_names={}",
        join(mesh.axis_names()));
  }
  ops::DeviceGrid grid{mesh.axis_names(), mesh.shape().dims(), {}};
  for (const std::string& device : mesh.devices()) grid.devices.push_back(number_of(device));
  return grid;
}

/// `x`, called `what` in errors, as an array that the devices of a grid hold in these parts.
Tensor laid_out(const Tensor& x, const ops::DeviceGrid& grid, const Sharding& sharding,
                const std::string& what) {
  check_sharding(what, x.shape(), sharding);
  Tensor result = ops::lay_out(x, grid, sharding);
  result.impl()->annotation = x.impl()->annotation;  // keeps its mask
  return result;
}

}  // namespace

ShardedStrategy::ShardedStrategy(int64_t local_replicas, distribution::LayoutMap layouts,
                                 std::string batch_axis,
                                 const std::shared_ptr<ops::Communicator>& workers)
    : ReplicatedStrategy(grid_of(layouts.device_mesh(), workers.get()) ? 1 : local_replicas,
                         UnevenBatches::exact, workers),
      layouts_(std::move(layouts)),
      batch_axis_(std::move(batch_axis)),
      grid_(grid_of(layouts_.device_mesh(), workers.get())) {}

void ShardedStrategy::place(const Variable& variable) const {
  const auto layout = layouts_.get(variable.path());
  if (layout) distribution::distribute_variable(variable, *layout);
}

Nest ShardedStrategy::place_batch(const Nest& batch) const {
  if (!grid_) return batch;
  return batch.map([&](const Tensor& t) {
    if (!t.defined() || !t.is_traced()) return t;
    return ops::lay_out(t, *grid_, t.rank() > 0 ? rows_of(t.shape()) : Sharding());
  });
}

Sharding ShardedStrategy::rows_of(const Shape& shape) const {
  const int64_t parts = layouts_.device_mesh().axis_size(batch_axis_);
  if (parts == 1 || shape[0] == 0 || shape[0] % parts != 0) return {};
  return {{0, parts, batch_axis_}};
}

Tensor ShardedStrategy::place_output(const std::string& path, const Tensor& output) const {
  const auto layout = layouts_.get(path);
  return layout ? place(output, *layout, "Tensor `" + path + "`") : output;
}

Tensor ShardedStrategy::place(const Tensor& x, const distribution::TensorLayout& layout,
                              const std::string& what) const {
  if (!grid_ || !x.is_traced() || layout.device_mesh() != layouts_.device_mesh())
    return divided(x, layout, what, batch_axis_);
  Sharding sharding = distribution::sharding_of(layout, what, x.shape());
  std::erase_if(sharding, [&](const ShardedDimension& d) {  // the last batch may be smaller
    return d.mesh_axis == batch_axis_ && x.dim(d.dimension) % d.parts != 0;
  });
  return laid_out(x, *grid_, sharding, what);
}

Tensor placed(const Tensor& x, const distribution::TensorLayout& layout, const std::string& what) {
  if (!x.is_traced() || !layout.device_mesh()) return divided(x, layout, what, "");
  const auto grid = grid_of(*layout.device_mesh(), ops::communicator().get());
  if (!grid) return divided(x, layout, what, "");
  return laid_out(x, *grid, distribution::sharding_of(layout, what, x.shape()), what);
}

Tensor divided(const Tensor& x, const distribution::TensorLayout& layout, const std::string& what,
               const std::string& batch_axis) {
  Sharding sharding = distribution::sharding_of(layout, what, x.shape());
  std::erase_if(sharding, [&](const ShardedDimension& d) { return d.mesh_axis == batch_axis; });
  check_sharding(what, x.shape(), sharding);
  if (sharding.empty() || !x.is_traced()) return x;
  Tensor result = ops::join_shards(ops::split_shards(x, sharding), sharding);
  result.impl()->annotation = x.impl()->annotation;
  return result;
}

}  // namespace antler::distribute

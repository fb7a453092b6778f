#include "antler/distribute/distribution.h"

#include <algorithm>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/ops/communicator.h"
#include "distribute/process_group.h"
#include "distribute/sharded_strategy.h"
#include "ops/core/shards.h"

// A distribution is a strategy with Keras 3's names. The batch axis of its mesh enumerates replicas
// (ReplicatedStrategy), whose steps are traced one by one and merged at the collectives. All other
// axes divide variables (ops/core/shards.h). To layers, optimizers, losses and files a divided
// variable is one variable of the whole shape; only its storage is in parts. Programs read it as a
// concatenation of its parts and write it as slices. The compiler moves concatenations and slices
// through the step (compiler/passes/partition.cpp) until all operations work on parts: products,
// gradients and updates per part, with a sum or a concatenation where devices exchange values. So
// no layer knows how its kernel is stored, and programs without divided variables are compiled as
// usual.
namespace antler::distribution {

struct DistributionImpl {
  DeviceMesh device_mesh;
  std::string batch_dim_name;
  bool auto_shard_dataset = true;
  int64_t num_model_replicas = 1;
  std::optional<LayoutMap> layout_map;
  distribute::Strategy strategy;
};

namespace {

thread_local std::optional<Distribution> t_distribution;

/// The number of replicas in this process, given the number in all processes.
int64_t local_replicas(const char* distribution, int64_t replicas, bool auto_shard_dataset) {
  const int64_t processes = num_processes();
  if (processes > 1 && !auto_shard_dataset) {
    throw NotImplementedError(
        "{}: `auto_shard_dataset` must be true for several processes. Each process reads the whole "
        "data and takes its rows.",
        distribution);
  }
  if (replicas % processes == 0) return replicas / processes;
  throw NotImplementedError(
      "{}: the number of model replicas must be a multiple of the number of processes, so that "
      "each process has whole replicas. Received: {} replicas, {} processes.",
      distribution, replicas, processes);
}

std::shared_ptr<const DistributionImpl> data_parallel(const DataParallelOptions& options) {
  std::vector<std::string> devices = options.devices;
  if (devices.empty() && !options.device_mesh) devices = list_devices();
  const DeviceMesh mesh =
      options.device_mesh
          ? *options.device_mesh
          : DeviceMesh(Shape{static_cast<int64_t>(devices.size())}, {"batch"}, devices);
  if (mesh.shape().rank() != 1) {
    logging::warning(format(
        "DataParallel: expected a mesh of one axis. Received: {}. The batch is divided along "
        "the first axis.",
        mesh));
  }
  const int64_t local = local_replicas("DataParallel", mesh.shape()[0], options.auto_shard_dataset);
  const std::string& batch = mesh.axis_names()[0];
  return std::make_shared<const DistributionImpl>(DistributionImpl{
      .device_mesh = mesh,
      .batch_dim_name = batch,
      .auto_shard_dataset = options.auto_shard_dataset,
      .num_model_replicas = static_cast<int64_t>(mesh.devices().size()),
      .layout_map = {},
      .strategy = distribute::Strategy(std::make_shared<const distribute::ShardedStrategy>(
          local, LayoutMap(mesh), batch, ops::communicator()))});
}

std::shared_ptr<const DistributionImpl> model_parallel(const ModelParallelOptions& options) {
  if (!options.layout_map) throw ValueError("ModelParallel: `layout_map` must be given.");
  const DeviceMesh& mesh = options.layout_map->device_mesh();
  const std::string batch = options.batch_dim_name.value_or(mesh.axis_names()[0]);
  const int64_t replicas = mesh.axis_size(batch);
  const int64_t local = local_replicas("ModelParallel", replicas, options.auto_shard_dataset);
  return std::make_shared<const DistributionImpl>(DistributionImpl{
      .device_mesh = mesh,
      .batch_dim_name = batch,
      .auto_shard_dataset = options.auto_shard_dataset,
      .num_model_replicas = replicas,
      .layout_map = options.layout_map,
      .strategy = distribute::Strategy(std::make_shared<const distribute::ShardedStrategy>(
          local, *options.layout_map, batch, ops::communicator()))});
}

/// The current layout of a divided variable.
TensorLayout current_layout(const Variable& variable, const DeviceMesh& mesh) {
  std::vector<TensorLayout::Axis> axes(static_cast<size_t>(variable.shape().rank()));
  const Sharding sharding = antler::sharding_of(variable);
  for (const ShardedDimension& d : sharding) axes[static_cast<size_t>(d.dimension)] = d.mesh_axis;
  const bool is_own = std::all_of(sharding.begin(), sharding.end(), [&](const ShardedDimension& d) {
    return mesh.has_axis(d.mesh_axis);
  });
  return TensorLayout(std::move(axes), is_own ? std::optional(mesh) : std::nullopt);
}

}  // namespace

const DeviceMesh& Distribution::device_mesh() const { return impl_->device_mesh; }
const std::string& Distribution::batch_dim_name() const { return impl_->batch_dim_name; }
bool Distribution::auto_shard_dataset() const { return impl_->auto_shard_dataset; }
int64_t Distribution::num_processes() const { return distribution::num_processes(); }
int64_t Distribution::num_model_replicas() const { return impl_->num_model_replicas; }
int64_t Distribution::data_shard_id() const { return process_id(); }
const distribute::Strategy& Distribution::strategy() const { return impl_->strategy; }

TensorLayout Distribution::get_data_layout(const Shape& data_shape) const {
  std::vector<TensorLayout::Axis> axes(static_cast<size_t>(data_shape.rank()));
  if (!axes.empty()) axes[0] = batch_dim_name();
  return TensorLayout(std::move(axes), device_mesh());
}

TensorLayout Distribution::get_variable_layout(const Variable& variable) const {
  if (variable.shards() == nullptr && impl_->layout_map) {
    if (const auto layout = impl_->layout_map->get(variable.path())) return *layout;
  }
  return current_layout(variable, device_mesh());
}

std::optional<TensorLayout> Distribution::get_tensor_layout(const std::string& path) const {
  return impl_->layout_map ? impl_->layout_map->get(path) : std::nullopt;
}

DistributionScope Distribution::scope() const { return DistributionScope(*this); }

DataParallel::DataParallel(const DataParallelOptions& options)
    : Distribution(data_parallel(options)) {}

ModelParallel::ModelParallel(const ModelParallelOptions& options)
    : Distribution(model_parallel(options)) {}

std::optional<Distribution> distribution() { return t_distribution; }

void set_distribution(const std::optional<Distribution>& value) {
  distribute::experimental_set_strategy(value ? value->strategy() : distribute::Strategy());
  t_distribution = value;
}

DistributionScope::DistributionScope(const Distribution& distribution) : previous_(t_distribution) {
  set_distribution(distribution);
}

DistributionScope::~DistributionScope() { set_distribution(previous_); }

Tensor distribute_tensor(const Tensor& tensor, const TensorLayout& layout) {
  if (!tensor.defined()) throw ValueError("distribute_tensor: the tensor is undefined.");
  if (tensor.is_placeholder()) return tensor;
  const std::string what = "distribute_tensor: the tensor";
  if (!t_distribution) return distribute::placed(tensor, layout, what);
  return static_cast<const distribute::ShardedStrategy&>(
             *t_distribution->strategy().implementation())
      .place(tensor, layout, what);
}

void distribute_variable(const Variable& variable, const TensorLayout& layout) {
  const std::string what = "Variable `" + variable.path() + "`";
  ops::divide(variable, antler::distribution::sharding_of(layout, what, variable.shape()));
}

}  // namespace antler::distribution

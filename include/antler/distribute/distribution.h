#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/variable.h"
#include "antler/distribute/device_mesh.h"
#include "antler/distribute/strategy.h"
#include "antler/distribute/tensor_layout.h"

namespace antler::distribution {

struct DistributionImpl;
class DistributionScope;

/// How a model trains on a mesh of devices: DataParallel or ModelParallel. A handle; copies refer
/// to the same distribution. Variables and fit() follow the distribution that is set when the model
/// is created:
///
///     set_distribution(DataParallel({.devices = {"cpu:0", "cpu:1"}}));
///     Sequential model({...});
class Distribution {
 public:
  const DeviceMesh& device_mesh() const;
  /// The mesh axis along which batches are divided.
  const std::string& batch_dim_name() const;
  bool auto_shard_dataset() const;
  /// The number of processes that train together.
  int64_t num_processes() const;
  /// The number of copies of the model. A copy may be divided over several devices.
  int64_t num_model_replicas() const;
  /// The index of the part of the data that this process reads.
  int64_t data_shard_id() const;

  /// The layout of a batch of this shape: divided along dimension 0.
  TensorLayout get_data_layout(const Shape& data_shape) const;
  /// The layout of the variable; if it is not divided, the one that its path would give it.
  TensorLayout get_variable_layout(const Variable& variable) const;
  /// The layout set for an intermediate tensor, if any. The outputs of a layer have the path `<path
  /// of the layer>/output`.
  std::optional<TensorLayout> get_tensor_layout(const std::string& path) const;

  /// Sets this distribution for the lifetime of the result.
  DistributionScope scope() const;
  /// The strategy that trains. Each of its replicas is one copy of the model.
  const distribute::Strategy& strategy() const;

  friend bool operator==(const Distribution& a, const Distribution& b) {
    return a.impl_ == b.impl_;
  }

 protected:
  explicit Distribution(std::shared_ptr<const DistributionImpl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const DistributionImpl> impl_;
};

/// Options of DataParallel.
struct DataParallelOptions {
  std::optional<DeviceMesh> device_mesh = {};  ///< not given: made from `devices`
  /// Used if no mesh is given; the mesh then has one axis, "batch". Default: list_devices().
  std::vector<std::string> devices = {};
  /// Each process takes its rows of each batch. With several processes, false throws
  /// NotImplementedError.
  bool auto_shard_dataset = true;
};

/// Every device has all variables, and computes with its part of each batch. The results are those
/// of one device, up to rounding. If the mesh has several axes, the first is used, with a warning.
class DataParallel : public Distribution {
 public:
  explicit DataParallel(const DataParallelOptions& options = {});
};

/// Options of ModelParallel.
struct ModelParallelOptions {
  std::optional<LayoutMap> layout_map = {};  ///< required
  /// Default: the first axis of the mesh.
  std::optional<std::string> batch_dim_name = {};
  bool auto_shard_dataset = true;  ///< see DataParallelOptions
};

/// Variables are divided over devices as the layout map says; variables without a layout are
/// replicated. Each device computes with its parts: a product with a kernel divided by columns
/// gives each device a part of the features, a product with a kernel divided by rows is summed over
/// the devices, and an embedding divided by rows looks up each index on the device that has its
/// row. Gradients and the slots of optimizers are divided like their variables. Batches are divided
/// along `batch_dim_name`. The results are those of one device, up to rounding; files hold whole
/// variables. On devices of a plug-in (config::set_device(), before the distribution is made), each
/// holds its parts, and the plug-in's compiler divides the computation.
///
/// Throws ValueError without a layout map, and for an axis that the mesh does not have. A layer
/// throws ValueError when it is built if a dimension is not a multiple of the number of devices
/// along its axis.
class ModelParallel : public Distribution {
 public:
  explicit ModelParallel(const ModelParallelOptions& options);
};

/// The distribution that is set on this thread.
std::optional<Distribution> distribution();
/// Sets it for the models, optimizers and metrics that this thread creates from now on; none: one
/// device. Throws RuntimeError inside of the scope of a strategy.
void set_distribution(const std::optional<Distribution>& value);

/// Sets a distribution for its lifetime, then the one before.
class DistributionScope {
 public:
  explicit DistributionScope(const Distribution& distribution);
  ~DistributionScope();
  DistributionScope(const DistributionScope&) = delete;
  DistributionScope& operator=(const DistributionScope&) = delete;

 private:
  std::optional<Distribution> previous_;
};

/// Gives `tensor` a layout. Inside of a traced function, the devices compute it in these parts, and
/// as far as possible also the values that depend on it. Its value is unchanged. Mesh axes along
/// which the replicas divide the batch are ignored. If no distribution is set, the devices are
/// those of the layout's mesh: a plug-in's devices if programs run there (config::set_device()),
/// else virtual ones. Returns values and placeholders unchanged. Throws ValueError for a layout
/// that does not fit.
Tensor distribute_tensor(const Tensor& tensor, const TensorLayout& layout);

/// Divides the storage of a variable by `layout`, as ModelParallel does for the variables of
/// models. It is still read and assigned as one variable of the whole shape, but traced functions
/// compute with its parts. Throws ValueError if it is already divided, or for a layout that does
/// not fit.
void distribute_variable(const Variable& variable, const TensorLayout& layout);

}  // namespace antler::distribution

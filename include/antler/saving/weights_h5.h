#pragma once

#include <string>
#include <vector>

#include "antler/io/hdf5.h"
#include "antler/nn/layer.h"
#include "antler/nn/optimizer.h"

/// Weights in Keras's HDF5 layout. Groups follow the object tree, not layer names, so renaming a
/// layer does not break a file.
namespace antler::saving {

/// A weights file, or several shards that are read as one.
class WeightsFile {
 public:
  explicit WeightsFile(std::vector<io::Hdf5Reader> shards) : shards_(std::move(shards)) {}
  /// A `.weights.h5` file, or the `.weights.json` index of shards beside it. Throws NotFoundError,
  /// IOError, ValueError.
  static WeightsFile open(const std::string& path);

  bool contains(const std::string& path) const;
  /// Names in a group, over all shards.
  std::vector<std::string> children(const std::string& group) const;
  Tensor read(const std::string& path) const;

 private:
  std::vector<io::Hdf5Reader> shards_;
};

/// Options of read_weights().
struct LoadWeightsOptions {
  /// Skips layers whose weights do not match, with a warning.
  bool skip_mismatch = false;
};

/// Appends the weights of a layer and its sublayers, and the state of `optimizer` unless it is null
/// or not built.
void write_weights(io::Hdf5Writer& file, const Layer& layer, const Optimizer* optimizer);
/// Reads them back into a built layer. Throws a ValueError that names the layer if counts or shapes
/// do not match; nothing is changed then. If the optimizer's state does not match, warns and leaves
/// it unchanged.
void read_weights(const WeightsFile& file, Layer& layer, Optimizer* optimizer,
                  const LoadWeightsOptions& options = {});

/// write_weights() to a file, which is replaced atomically.
void save_weights_h5(const std::string& path, const Layer& layer, const Optimizer* optimizer);

}  // namespace antler::saving

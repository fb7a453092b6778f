#pragma once

#include <string>
#include <vector>

#include "antler/io/hdf5.h"
#include "antler/nn/layer.h"
#include "antler/nn/optimizer.h"

/// Weights in Keras's HDF5 layout: groups follow the tree of objects, not the names of layers, so
/// renaming a layer never breaks a file.
namespace antler::saving {

/// One file of weights, or several shards that stand for one.
class WeightsFile {
 public:
  explicit WeightsFile(std::vector<io::Hdf5Reader> shards) : shards_(std::move(shards)) {}
  /// A `.weights.h5` file, or the `.weights.json` index of shards beside it. Throws NotFoundError,
  /// IOError, ValueError.
  static WeightsFile open(const std::string& path);

  bool contains(const std::string& path) const;
  /// Names in a group, of all shards.
  std::vector<std::string> children(const std::string& group) const;
  Tensor read(const std::string& path) const;

 private:
  std::vector<io::Hdf5Reader> shards_;
};

struct LoadWeightsOptions {
  /// Leaves a layer as it is, with a warning, where its weights do not fit.
  bool skip_mismatch = false;
};

/// Appends the weights of a layer and of all inside, and the state of the optimizer where there is
/// one that is built.
void write_weights(io::Hdf5Writer& file, const Layer& layer, const Optimizer* optimizer);
/// Reads them back. `layer` is built. Throws ValueError that names the layer where counts or shapes
/// do not match; nothing is changed then. An optimizer whose state does not fit keeps its own, with
/// a warning.
void read_weights(const WeightsFile& file, Layer& layer, Optimizer* optimizer,
                  const LoadWeightsOptions& options = {});

/// write_weights() into a file, under a temporary name that is renamed at the end.
void save_weights_h5(const std::string& path, const Layer& layer, const Optimizer* optimizer);

}  // namespace antler::saving

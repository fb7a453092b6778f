#pragma once

#include <vector>

#include "antler/base/json.h"
#include "antler/io/hdf5.h"
#include "antler/nn/layer.h"
#include "antler/nn/optimizer.h"

/// Keras's older HDF5 files (`.h5`): weights in the order of layers, and whole models.
namespace antler::saving {

/// Whether a file has this layout, recognized by its list of layer names.
bool is_legacy_weights(const io::Hdf5Reader& file);

/// Options of read_legacy_weights().
struct LegacyLoadOptions {
  bool by_name = false;        ///< match layers by name; layers not in the file keep their weights
  bool skip_mismatch = false;  ///< skip weights that do not match, with a warning
};

/// Reads weights into the layers of a model, in order; layers without weights are skipped. Throws
/// ValueError if the number of layers or weights, or a shape, does not match; nothing is changed
/// then.
void read_legacy_weights(const io::Hdf5Reader& file, const std::vector<LayerPtr>& layers,
                         const LegacyLoadOptions& options = {});

/// Appends the weights of layers under their names, below `group` ("" = the root).
void write_legacy_weights(io::Hdf5Writer& file, const std::vector<LayerPtr>& layers,
                          const std::string& group);

/// Appends a whole model. `object` is {"class_name", "config"} in Keras 2's format, with an
/// optional "keras_version". `compile_config` is that of Model::get_compile_config in the same
/// format, or null. `optimizer` may be null; its variables are in Keras 3's order.
void write_legacy_model(io::Hdf5Writer& file, const Json& object, const Json& compile_config,
                        const std::vector<LayerPtr>& layers, const Optimizer* optimizer);

/// The config of a whole model, {"class_name", "config", "keras_version"}, with "compile_config" if
/// the model was compiled. Throws ValueError for a file that holds only weights.
Json legacy_model_config(const io::Hdf5Reader& file);

/// Replaces Keras 2's "training_config", if there is one, by a "compile_config".
Json with_compile_config(Json object);

/// Reads the state of a built optimizer, if the file has one.
void read_legacy_optimizer(const io::Hdf5Reader& file, Optimizer& optimizer);

}  // namespace antler::saving

#pragma once

#include <vector>

#include "antler/base/json.h"
#include "antler/io/hdf5.h"
#include "antler/nn/layer.h"
#include "antler/nn/optimizer.h"

/// Keras's older HDF5 files (`.h5`): weights by the order of layers, and whole models.
namespace antler::saving {

/// Whether a file has this layout: it names its layers.
bool is_legacy_weights(const io::Hdf5Reader& file);

struct LegacyLoadOptions {
  bool by_name = false;        ///< each layer takes what has its name; others keep their weights
  bool skip_mismatch = false;  ///< weights that do not fit stay, with a warning
};

/// Reads weights into the layers of a model, in their order; layers without weights do not count.
/// Throws ValueError where the number of layers or of weights, or a shape, does not match; nothing
/// is changed then.
void read_legacy_weights(const io::Hdf5Reader& file, const std::vector<LayerPtr>& layers,
                         const LegacyLoadOptions& options = {});

/// Appends the weights of layers by their names, below `group` ("" = the root).
void write_legacy_weights(io::Hdf5Writer& file, const std::vector<LayerPtr>& layers,
                          const std::string& group);

/// Appends a whole model: `object` is {"class_name", "config"} in Keras 2's form, `compile_config`
/// that of Model::get_compile_config in the same form, or null. The optimizer, null where there is
/// none, has Keras 3's order of variables. The file is of the `object`'s "keras_version", where it
/// has one.
void write_legacy_model(io::Hdf5Writer& file, const Json& object, const Json& compile_config,
                        const std::vector<LayerPtr>& layers, const Optimizer* optimizer);

/// The object of a whole model ({"class_name", "config", "keras_version"}); its "compile_config" is
/// there where the model was compiled. Throws ValueError for a file that holds weights alone.
Json legacy_model_config(const io::Hdf5Reader& file);

/// Keras 2's "training_config" of an object, where there is one, as "compile_config".
Json with_compile_config(Json object);

/// Reads the state of an optimizer that is built, where the file has one.
void read_legacy_optimizer(const io::Hdf5Reader& file, Optimizer& optimizer);

}  // namespace antler::saving

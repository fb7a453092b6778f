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

/// Reads weights into the layers of a model, in their order; layers without weights do not count.
/// Throws ValueError where the number of layers or of weights, or a shape, does not match; nothing
/// is changed then.
void read_legacy_weights(const io::Hdf5Reader& file, const std::vector<LayerPtr>& layers);

/// The object of a whole model ({"class_name", "config"}); its "compile_config" is there where the
/// model was compiled. Throws ValueError for a file that holds weights alone.
Json legacy_model_config(const io::Hdf5Reader& file);

/// Keras 2's "training_config" of an object, where there is one, as "compile_config".
Json with_compile_config(Json object);

/// Reads the state of an optimizer that is built, where the file has one.
void read_legacy_optimizer(const io::Hdf5Reader& file, Optimizer& optimizer);

}  // namespace antler::saving

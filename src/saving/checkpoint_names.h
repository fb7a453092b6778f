#pragma once

#include <string>
#include <utility>
#include <vector>

#include "antler/nn/layer.h"

/// The names of the edges between Keras's objects in a TensorFlow checkpoint.
namespace antler::saving {

/// The attribute names under which Keras may store a weight; the first one is used in keys.
std::vector<std::string> attributes_of(const Layer& layer, const std::string& weight);

/// `name` with or without a leading underscore: Keras 2 has `kernel` where Keras 3 has `_kernel`.
std::string other_spelling(const std::string& name);

/// A sublayer of a layer that is not a functional or sequential model. If the sublayer is in a
/// list, the path is the name of the list and the index in it; otherwise it is a single name.
struct NamedPart {
  std::vector<std::string> path;
  LayerPtr layer;
};
std::vector<NamedPart> named_parts(const Layer& layer);

/// A layer of a functional or sequential model with its index in each of Keras's lists; -1 if it is
/// not in the list.
struct ListedPart {
  LayerPtr layer;
  int64_t layer_index = -1;         ///< Keras 2's "layer-N"
  int64_t with_weights_index = -1;  ///< Keras 2's "layer_with_weights-N"
  int64_t operation_index = -1;     ///< Keras 3's list "_operations"
};
std::vector<ListedPart> listed_parts(const Layer& model);
/// Whether a layer is a functional or sequential model.
bool is_container(const Layer& layer);

}  // namespace antler::saving

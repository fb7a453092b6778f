#pragma once

#include <string>
#include <utility>
#include <vector>

#include "antler/nn/layer.h"

/// Under which names Keras's objects refer to their parts in a TensorFlow checkpoint.
namespace antler::saving {

/// Keras's attributes of a weight of a layer; the first is the one that a key is made of.
std::vector<std::string> attributes_of(const Layer& layer, const std::string& weight);

/// Keras keeps "kernel" as the attribute `kernel` (2) or `_kernel` (3), "query_dense" likewise.
std::string other_spelling(const std::string& name);

/// A part of a layer that is no functional or sequential model. The path has two names where the
/// part stands in a list: that of the list, and its place there.
struct NamedPart {
  std::vector<std::string> path;
  LayerPtr layer;
};
std::vector<NamedPart> named_parts(const Layer& layer);

/// A layer of a functional or sequential model with its places in Keras's lists; -1 where it is
/// not in one.
struct ListedPart {
  LayerPtr layer;
  int64_t layer_index = -1;         ///< Keras 2's "layer-N"
  int64_t with_weights_index = -1;  ///< Keras 2's "layer_with_weights-N"
  int64_t operation_index = -1;     ///< Keras 3's list "_operations"
};
std::vector<ListedPart> listed_parts(const Layer& model);
bool is_container(const Layer& layer);

}  // namespace antler::saving

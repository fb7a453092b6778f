#include "saving/object_tree.h"

#include <map>

#include "antler/base/format.h"
#include "antler/nn/registry.h"
#include "nn/keras_op.h"
#include "nn/layer_state.h"
#include "saving/checkpoint_names.h"

namespace antler::saving {
namespace {

/// Whether `part` is one of Keras's `model.layers`.
bool is_listed(const Layer& model, const Layer& part) {
  if (is_operation(part)) return false;
  return model.class_name() != "Sequential" || part.class_name() != "InputLayer";
}

}  // namespace

std::vector<TreeEntry> children_of(const Layer& layer) {
  std::vector<TreeEntry> children;
  std::map<std::string, int> used;
  for (const auto& [name, part] : LayerInternals::state(layer).sublayers) {
    if (!is_container(layer)) {
      children.push_back({name, part});
      continue;
    }
    if (!is_listed(layer, *part)) continue;
    std::string unique = to_snake_case(part->class_name());
    const int repeat = used[unique]++;
    if (repeat > 0) unique += format("_{}", repeat);
    children.push_back({"layers/" + unique, part});
  }
  return children;
}

}  // namespace antler::saving

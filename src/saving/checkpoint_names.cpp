#include "saving/checkpoint_names.h"

#include <algorithm>
#include <map>

#include "nn/keras_op.h"
#include "nn/layer_state.h"

namespace antler::saving {

std::vector<std::string> attributes_of(const Layer& layer, const std::string& weight) {
  std::vector<std::string> names{weight};
  if (weight == "mean" || weight == "variance") names[0] = "adapt_" + weight;
  names.push_back(other_spelling(names[0]));
  // The name in Keras 2.
  if (weight == "kernel" && layer.class_name().starts_with("DepthwiseConv")) {
    names.emplace_back("depthwise_kernel");
  }
  return names;
}

std::string other_spelling(const std::string& name) {
  return name.starts_with('_') ? name.substr(1) : "_" + name;
}

std::vector<NamedPart> named_parts(const Layer& layer) {
  std::vector<NamedPart> parts;
  std::map<std::string, int> counts;
  for (const auto& [name, part] : LayerInternals::state(layer).sublayers) {
    const size_t slash = name.find('/');
    if (slash == std::string::npos) {
      parts.push_back({{name}, part});
    } else {
      const std::string list = name.substr(0, slash);
      parts.push_back({{list, std::to_string(counts[list]++)}, part});
    }
  }
  return parts;
}

bool is_container(const Layer& layer) {
  return layer.class_name() == "Functional" || layer.class_name() == "Sequential";
}

std::vector<ListedPart> listed_parts(const Layer& model) {
  std::vector<ListedPart> parts;
  const auto& sublayers = LayerInternals::state(model).sublayers;
  const bool sequential = model.class_name() == "Sequential";
  const bool has_input = std::any_of(sublayers.begin(), sublayers.end(), [](const auto& entry) {
    return entry.second->class_name() == "InputLayer";
  });
  int64_t layers = 0;
  int64_t with_weights = 0;
  // In Keras, a built Sequential has an input operation even if no InputLayer was added.
  int64_t operations = sequential && !has_input ? 1 : 0;
  for (const auto& [name, part] : sublayers) {
    ListedPart listed{.layer = part, .operation_index = operations++};
    if (!is_operation(*part) && !(sequential && part->class_name() == "InputLayer")) {
      listed.layer_index = layers++;
      if (!part->weights().empty()) listed.with_weights_index = with_weights++;
    }
    parts.push_back(std::move(listed));
  }
  return parts;
}

}  // namespace antler::saving

#pragma once

#include "antler/nn/layer.h"

namespace antler {

// The factories of the registry's list, of layers that only Keras 2 has.
LayerPtr dense_features_from_config(const Json& config);
LayerPtr sequence_features_from_config(const Json& config);
LayerPtr dynamic_lookup_from_config(const Json& config);
LayerPtr dynamic_embedding_from_config(const Json& config);

}  // namespace antler

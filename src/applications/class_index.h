#pragma once

#include <vector>

#include "antler/applications/imagenet_utils.h"
#include "antler/base/json.h"

namespace antler::applications {

/// decode_predictions() with class names from `index`: {"0": ["n01440764", "tench"], ...}.
std::vector<std::vector<ImagenetPrediction>> decode_with(const Json& index, const Tensor& preds,
                                                         int top);

}  // namespace antler::applications

#include "nn/layers/channels.h"

#include "antler/base/error.h"
#include "antler/ops/numpy/manipulation.h"
#include "base/strings.h"

namespace antler {

bool is_channels_first(const std::string& data_format, const std::string& layer) {
  if (data_format == "channels_first") return true;
  if (data_format == "channels_last") return false;
  throw ValueError(
      "{}: the `data_format` argument must be one of 'channels_first', 'channels_last'. Received: "
      "{}",
      layer, data_format);
}

Tensor channels_to_last(const Tensor& x) { return ops::moveaxis(x, 1, -1); }
Tensor channels_to_first(const Tensor& x) { return ops::moveaxis(x, -1, 1); }

std::string standardize_padding(const std::string& padding, bool causal_allowed,
                                const std::string& layer) {
  std::string lower = to_lower(padding);
  if (lower == "valid" || lower == "same" || (causal_allowed && lower == "causal")) return lower;
  throw ValueError("{}: the `padding` argument must be one of 'valid', 'same'{}. Received: {}",
                   layer, causal_allowed ? ", 'causal'" : "", padding);
}

}  // namespace antler

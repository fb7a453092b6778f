#include "nn/layers/channels.h"

#include <cctype>

#include "antler/base/error.h"
#include "antler/ops/numpy/manipulation.h"

namespace antler {

bool is_channels_first(const std::string& data_format, const std::string& layer) {
  if (data_format == "channels_first") return true;
  if (data_format == "channels_last") return false;
  throw ValueError(
      layer +
      ": the `data_format` argument must be one of 'channels_first', 'channels_last'. Received: " +
      data_format);
}

Tensor channels_to_last(const Tensor& x) { return ops::moveaxis(x, 1, -1); }
Tensor channels_to_first(const Tensor& x) { return ops::moveaxis(x, -1, 1); }

std::string standardize_padding(const std::string& padding, bool causal_allowed,
                                const std::string& layer) {
  std::string lower = padding;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower == "valid" || lower == "same" || (causal_allowed && lower == "causal")) return lower;
  throw ValueError(layer + ": the `padding` argument must be one of 'valid', 'same'" +
                   (causal_allowed ? ", 'causal'" : "") + ". Received: " + padding);
}

}  // namespace antler

#pragma once

#include <string>

#include "antler/core/tensor.h"

namespace antler {

/// Whether the format is "channels_first". Throws ValueError naming `layer` unless it is that or
/// "channels_last".
bool is_channels_first(const std::string& data_format, const std::string& layer);
/// [batch, channels, spatial...] -> [batch, spatial..., channels], and back.
Tensor channels_to_last(const Tensor& x);
Tensor channels_to_first(const Tensor& x);
/// `padding` in lower case. Throws ValueError naming `layer` unless it is "valid", "same" or, if
/// allowed, "causal".
std::string standardize_padding(const std::string& padding, bool causal_allowed,
                                const std::string& layer);

}  // namespace antler

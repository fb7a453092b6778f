#pragma once

#include <optional>

/// The switch of keras.config for attention in blocks.
namespace antler::config {

/// On (the default): attention layers without a setting of their own work in blocks if there are
/// many scores. Off: they never do. Applies to calls from now on.
void enable_flash_attention();
void disable_flash_attention();
bool is_flash_attention_enabled();

/// The setting for ops::dot_product_attention() of a layer whose option is `asked`.
std::optional<bool> flash_attention_of(const std::optional<bool>& asked);

}  // namespace antler::config

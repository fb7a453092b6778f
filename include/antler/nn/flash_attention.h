#pragma once

#include <optional>

/// Keras's global switch for flash attention.
namespace antler::config {

/// Whether attention layers with the default option compute attention block by block if there are
/// many scores. Enabled by default. Affects later calls only.
void enable_flash_attention();
void disable_flash_attention();
bool is_flash_attention_enabled();

/// The setting of ops::dot_product_attention() for a layer whose own option is `asked`.
std::optional<bool> flash_attention_of(const std::optional<bool>& asked);

}  // namespace antler::config

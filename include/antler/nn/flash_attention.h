#pragma once

#include <optional>

/// keras.config's switch of attention by blocks.
namespace antler::config {

/// On (the default): attention layers that are not told otherwise go by blocks where the scores are
/// many. Off: they never do. For layers called from here on.
void enable_flash_attention();
void disable_flash_attention();
bool is_flash_attention_enabled();

/// What a layer whose option is `asked` hands on to ops::dot_product_attention().
std::optional<bool> flash_attention_of(const std::optional<bool>& asked);

}  // namespace antler::config

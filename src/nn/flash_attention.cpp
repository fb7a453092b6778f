#include "antler/nn/flash_attention.h"

#include <atomic>

namespace antler::config {
namespace {

std::atomic<bool> g_flash_attention = true;

}  // namespace

void enable_flash_attention() { g_flash_attention = true; }
void disable_flash_attention() { g_flash_attention = false; }
bool is_flash_attention_enabled() { return g_flash_attention; }

std::optional<bool> flash_attention_of(const std::optional<bool>& asked) {
  if (asked || is_flash_attention_enabled()) return asked;
  return false;
}

}  // namespace antler::config

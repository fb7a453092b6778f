#include "antler/nn/flash_attention.h"

#include <gtest/gtest.h>

#include "antler/nn/layers/attention.h"
#include "antler/nn/random_seed.h"
#include "antler/ops/random.h"

namespace antler {
namespace {

TEST(FlashAttention, IsAllowedUnlessSwitchedOff) {
  const Tensor x = ops::random_normal(Tensor::of<uint32_t>({1, 2}), {2, 5, 4});
  MultiHeadAttention layer(2, 3);
  EXPECT_TRUE(config::is_flash_attention_enabled());
  EXPECT_EQ(config::flash_attention_of({}), std::nullopt);
  const std::vector<double> before = layer({x, x}).to_doubles();
  config::disable_flash_attention();
  EXPECT_FALSE(config::is_flash_attention_enabled());
  EXPECT_EQ(config::flash_attention_of({}), false);
  EXPECT_EQ(config::flash_attention_of(true), true);  // a layer's own option goes first
  EXPECT_EQ(layer({x, x}).to_doubles(), before);
  config::enable_flash_attention();
  EXPECT_EQ(config::flash_attention_of({}), std::nullopt);
}

}  // namespace
}  // namespace antler

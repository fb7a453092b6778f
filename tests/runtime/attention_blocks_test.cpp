#include <gtest/gtest.h>

#include "antler/autodiff/gradient_tape.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/attention.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/runtime/config.h"
#include "antler/runtime/function.h"
#include "support/op_harness.h"

// Attention by blocks, which never stores the whole score matrix, against plain attention.
namespace antler {
namespace {

using test::random_tensor;

struct AttentionSizes {
  int64_t n = 2;
  int64_t t = 5;
  int64_t s = 5;
  int64_t heads = 3;
  int64_t kv_heads = 3;
};

Tensors attention_operands(const AttentionSizes& z, DType dtype) {
  return {random_tensor(dtype, {z.n, z.t, z.heads, 4}, -1, 1, 1),
          random_tensor(dtype, {z.n, z.s, z.kv_heads, 4}, -1, 1, 2),
          random_tensor(dtype, {z.n, z.s, z.kv_heads, 3}, -1, 1, 3)};
}

/// The result and the gradients of a weighted sum of it, traced.
Function attention_and_gradients(const Tensor& mask, bool causal, bool by_blocks) {
  return tf::function([=](const Tensors& in) -> Tensors {
    GradientTape tape;
    for (const Tensor& x : in) tape.watch(x);
    const Tensor y = ops::dot_product_attention(
        in[0], in[1], in[2], {.mask = mask, .is_causal = causal, .flash_attention = by_blocks});
    const Tensor weights = ops::cos(ops::cast(ops::iota(y.shape(), 1), y.dtype()));
    Tensors all = tape.gradient(ops::sum(ops::square(y) * weights), in);
    all.push_back(y);
    return all;
  });
}

void expect_same_attention(const AttentionSizes& z, const Tensor& mask, bool causal) {
  const Nest operands(attention_operands(z, DType::float64));
  const Tensors want = attention_and_gradients(mask, causal, false)(operands).flatten();
  const Tensors got = attention_and_gradients(mask, causal, true)(operands).flatten();
  for (size_t i = 0; i < want.size(); ++i) {
    ASSERT_EQ(got[i].shape(), want[i].shape());
    test::expect_close(got[i], want[i].to_doubles(), 1e-10);
  }
}

Tensor mask_of_shape(const Shape& shape) {
  return ops::greater(random_tensor(DType::float32, shape, -1, 1, 9), Tensor(-0.4F));
}

TEST(AttentionByBlocks, EqualsAttentionInOnePieceForEveryShapeOfMask) {
  const AttentionSizes z{.s = 7};
  expect_same_attention(z, {}, false);
  expect_same_attention(z, {}, true);
  for (const Shape& shape :
       {Shape{5, 7}, Shape{1, 7}, Shape{2, 1, 5, 7}, Shape{1, 3, 5, 7}, Shape{2, 3, 5, 7},
        Shape{2, 1, 1, 7}, Shape{2, 1, 5, 1}, Shape{1, 1, 1, 1}}) {
    SCOPED_TRACE(shape.str());
    expect_same_attention(z, mask_of_shape(shape), false);
    expect_same_attention(z, mask_of_shape(shape), true);
  }
}

TEST(AttentionByBlocks, TakesSeveralBlocksOfQueriesTheLastOfThemPartial) {
  const AttentionSizes z{.n = 1, .t = 600, .s = 300, .heads = 2, .kv_heads = 1};
  expect_same_attention(z, {}, true);
  expect_same_attention(z, mask_of_shape({1, 1, 600, 300}), true);
}

TEST(AttentionByBlocks, GivesTheSameBitsForAnyNumberOfThreads) {
  const Nest operands(attention_operands({.t = 40, .s = 30}, DType::float32));
  const int threads = config::threads();
  std::vector<Tensors> results;
  for (const int count : {1, 3}) {
    config::set_threads(count);
    results.push_back(attention_and_gradients({}, true, true)(operands).flatten());
  }
  config::set_threads(threads);
  for (size_t i = 0; i < results[0].size(); ++i) {
    EXPECT_EQ(results[1][i].to_doubles(), results[0][i].to_doubles());
  }
}

TEST(AttentionByBlocks, LargeAttentionNeedsAFractionOfItsMatrix) {
  const AttentionSizes z{.n = 1, .t = 4096, .s = 4096, .heads = 2, .kv_heads = 2};
  const int64_t matrix = 4 * z.heads * z.t * z.s;
  // Blocks are chosen because of the size.
  const Function train = tf::function([](const Tensors& in) -> Tensors {
    GradientTape tape;
    for (const Tensor& x : in) tape.watch(x);
    const Tensor y = ops::dot_product_attention(in[0], in[1], in[2], {.is_causal = true});
    return tape.gradient(ops::sum(ops::square(y)), in);
  });
  const int64_t total =
      train.specialize(Nest(attention_operands(z, DType::float32))).program().memory_plan().total();
  EXPECT_LT(total, matrix / 4) << total;
}

}  // namespace
}  // namespace antler

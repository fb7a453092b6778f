#include <string_view>

#include <gtest/gtest.h>

#include "antler/autodiff/gradient_tape.h"
#include "antler/core/variable.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/nn/attention.h"
#include "antler/ops/nn/convolution.h"
#include "antler/ops/nn/losses.h"
#include "antler/ops/nn/normalization.h"
#include "antler/ops/nn/pooling.h"
#include "antler/ops/nn/recurrent.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "compiler/plan_checks.h"

// Training steps of small networks of several kinds, plans against the reference executor.
namespace antler::compiler {
namespace {

Variable weight(const Shape& shape, uint64_t seed) {
  return Variable(ops::multiply(f32(shape, seed), 0.2));
}

void descend(const Variables& weights, const Tensors& gradients) {
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i].assign(ops::subtract(weights[i], ops::multiply(gradients[i], 0.01)));
  }
}

bool dots_in_library(const ir::Graph&, const ir::Node& node) {
  return std::string_view(node.op->name) == "dot_general";
}

TEST(Networks, ConvolutionWithBatchNormalization) {
  const Variables w = {weight({3, 3, 2, 4}, 1), weight({4}, 2), weight({4}, 3), weight({36, 5}, 4),
                       weight({5}, 5)};
  const Variable moving = weight({4}, 6);
  const Body body = [&](const Tensors& in) -> Tensors {
    GradientTape tape;
    Tensor x = ops::conv(in[0], w[0], {.pad_low = {1, 1}, .pad_high = {1, 1}});
    const ops::Moments m = ops::moments(x, {0, 1, 2});
    moving.assign(ops::add(ops::multiply(moving, 0.9), ops::multiply(m.mean, 0.1)));
    x = ops::relu(ops::batch_normalization(x, m.mean, m.variance, w[1], w[2]));
    x = ops::reshape(ops::max_pool(x, {2, 2}), {3, -1});
    const Tensor logits = ops::add(ops::matmul(x, w[3]), w[4]);
    const Tensor loss =
        ops::mean(ops::sparse_categorical_crossentropy(in[1], logits, {.from_logits = true}));
    descend(w, tape.gradient(loss, w));
    return {loss, ops::softmax(logits)};
  };
  const Tensors batch = {f32({3, 6, 6, 2}, 7), random_tensor(DType::int32, {3}, 8)};
  check_plan(body, batch, {.prefers_library = dots_in_library}, 1e-3);
  check_plan(body, batch, {.fuse = false}, 1e-3);
}

TEST(Networks, TransformerBlock) {
  constexpr int64_t kWidth = 8;
  const Variables w = {weight({kWidth, kWidth}, 1),
                       weight({kWidth, kWidth}, 2),
                       weight({kWidth, kWidth}, 3),
                       weight({kWidth, kWidth}, 4),
                       weight({kWidth, 2 * kWidth}, 5),
                       weight({2 * kWidth}, 6),
                       weight({2 * kWidth, kWidth}, 7),
                       weight({kWidth}, 8),
                       weight({kWidth}, 9),
                       weight({kWidth}, 10)};
  const Body body = [&](const Tensors& in) -> Tensors {
    GradientTape tape;
    const auto heads = [](const Tensor& t) { return ops::reshape(t, {2, 5, 2, kWidth / 2}); };
    Tensor x = in[0];
    Tensor h = ops::layer_normalization(x, w[8], w[9]);
    const Tensor attended =
        ops::dot_product_attention(heads(ops::matmul(h, w[0])), heads(ops::matmul(h, w[1])),
                                   heads(ops::matmul(h, w[2])), {.is_causal = true});
    x = ops::add(x, ops::matmul(ops::reshape(attended, {2, 5, kWidth}), w[3]));
    h = ops::gelu(ops::add(ops::matmul(ops::layer_normalization(x, w[8], w[9]), w[4]), w[5]));
    x = ops::add(x, ops::add(ops::matmul(h, w[6]), w[7]));
    const Tensor loss = ops::mean(ops::square(x));
    descend(w, tape.gradient(loss, w));
    return {loss};
  };
  const Tensors batch = {f32({2, 5, kWidth}, 20)};
  check_plan(body, batch, {.prefers_library = dots_in_library}, 1e-3);
  check_plan(body, batch, {}, 1e-3);
}

TEST(Networks, AttentionKeepsItsExponentials) {
  const Plan plan = check_plan(
      [](const Tensors& in) -> Tensors { return {ops::softmax(ops::multiply(in[0], 0.5))}; },
      {f32({6, 40}, 1)});
  ASSERT_EQ(plan.kernels.size(), 1u);
  int exponentials = 0;
  for (const Phase& phase : plan.kernels[0].nest.phases) {
    for (const Expr& e : phase.exprs) {
      exponentials += e.op != nullptr && std::string_view(e.op->name) == "exp" ? 1 : 0;
    }
  }
  EXPECT_EQ(exponentials, 1);
}

TEST(Networks, Lstm) {
  const Variables w = {weight({3, 16}, 1), weight({4, 16}, 2), weight({16}, 3)};
  const Body body = [&](const Tensors& in) -> Tensors {
    GradientTape tape;
    const ops::LstmResult r =
        ops::lstm(in[0], ops::zeros({2, 4}), ops::zeros({2, 4}), w[0], w[1], w[2]);
    const Tensor loss = ops::mean(ops::square(r.h));
    descend(w, tape.gradient(loss, w));
    return {loss, r.sequence};
  };
  check_plan(body, {f32({2, 5, 3}, 4)}, {.prefers_library = dots_in_library}, 1e-3);
}

}  // namespace
}  // namespace antler::compiler

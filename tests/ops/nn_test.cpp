#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/nn/attention.h"
#include "antler/ops/nn/losses.h"
#include "antler/ops/nn/normalization.h"
#include "antler/ops/nn/recurrent.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "support/op_cases.h"

// Expected values were computed with Keras 3.15 on JAX.
namespace antler {
namespace {

using test::check_gradients;
using test::expect_close;
using test::random_tensor;
using test::tensor_of;

constexpr double kTolerance = 2e-6;

Tensor f32(const Shape& shape, const std::vector<double>& values) {
  return tensor_of(DType::float32, shape, values);
}

/// (i % period - shift) / divisor for element i.
Tensor repeated(const Shape& shape, int64_t period, int64_t shift, double divisor) {
  std::vector<double> values;
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    values.push_back(static_cast<double>(i % period - shift) / divisor);
  }
  return f32(shape, values);
}
Tensor weight(const Shape& shape, double scale = 1) { return repeated(shape, 7, 3, 5 / scale); }

TEST(Softmax, Cases) { test::check_ops(test::nn_cases()); }

TEST(Softmax, Errors) {
  EXPECT_THROW(ops::softmax(f32({}, {1})), ValueError);
  EXPECT_THROW(ops::softmax(f32({2}, {1, 2}), 1), ValueError);
  EXPECT_EQ(ops::softmax(tensor_of(DType::int32, {2}, {1, 2})).dtype(), DType::float32);
}

struct Activation {
  const char* name;
  Tensor (*f)(const Tensor&);
  std::vector<double> expected;  ///< at kPoints
};

const std::vector<double> kPoints = {-4, -3, -1.5, -0.5, 0, 0.5, 1.5, 3, 6, 7};

const Activation kActivations[] = {
    {"relu", ops::relu, {0, 0, 0, 0, 0, 0.5, 1.5, 3, 6, 7}},
    {"relu6", ops::relu6, {0, 0, 0, 0, 0, 0.5, 1.5, 3, 6, 6}},
    {"leaky_relu",
     [](const Tensor& x) { return ops::leaky_relu(x); },
     {-0.8, -0.6, -0.3, -0.1, 0, 0.5, 1.5, 3, 6, 7}},
    {"elu",
     [](const Tensor& x) { return ops::elu(x); },
     {-0.9816844, -0.950213, -0.7768698, -0.3934693, 0, 0.5, 1.5, 3, 6, 7}},
    {"selu",
     ops::selu,
     {-1.725899, -1.670569, -1.365814, -0.6917582, 0, 0.5253505, 1.576051, 3.152103, 6.304206,
      7.354907}},
    {"celu",
     [](const Tensor& x) { return ops::celu(x); },
     {-0.9816844, -0.950213, -0.7768698, -0.3934693, 0, 0.5, 1.5, 3, 6, 7}},
    {"silu",
     ops::silu,
     {-0.07194484, -0.1422776, -0.2736383, -0.1887703, 0, 0.3112297, 1.226362, 2.857722, 5.985165,
      6.993623}},
    {"gelu",
     [](const Tensor& x) { return ops::gelu(x); },
     {-7.009506e-05, -0.003637344, -0.1004284, -0.154286, 0, 0.345714, 1.399572, 2.996363, 6, 7}},
    {"gelu exact",
     [](const Tensor& x) { return ops::gelu(x, {.approximate = false}); },
     {-0.000126685, -0.004049696, -0.1002108, -0.1542688, 0, 0.3457312, 1.399789, 2.99595, 6, 7}},
    {"softplus",
     ops::softplus,
     {0.01814993, 0.04858735, 0.2014133, 0.474077, 0.6931472, 0.974077, 1.701413, 3.048587,
      6.002476, 7.000911}},
    {"softsign",
     ops::softsign,
     {-0.8, -0.75, -0.6, -0.3333333, 0, 0.3333333, 0.6, 0.75, 0.8571429, 0.875}},
    {"log_sigmoid",
     ops::log_sigmoid,
     {-4.01815, -3.048587, -1.701413, -0.974077, -0.6931472, -0.474077, -0.2014133, -0.04858735,
      -0.002475685, -0.0009114665}},
    {"hard_sigmoid", ops::hard_sigmoid, {0, 0, 0.25, 0.4166667, 0.5, 0.5833334, 0.75, 1, 1, 1}},
    {"hard_silu", ops::hard_silu, {0, 0, -0.375, -0.2083333, 0, 0.2916667, 1.125, 3, 6, 7}},
    {"mish",
     ops::mish,
     {-0.07259174, -0.1456475, -0.2980997, -0.2207438, 0, 0.3752452, 1.403378, 2.986536, 5.999927,
      6.999989}},
};

TEST(Activations, Values) {
  for (const Activation& a : kActivations) {
    SCOPED_TRACE(a.name);
    expect_close(a.f(f32({10}, kPoints)), a.expected, kTolerance);
    EXPECT_EQ(a.f(f32({0, 3}, {})).shape(), (Shape{0, 3}));
  }
}

TEST(Activations, NanStaysNan) {
  const Tensor nan = f32({1}, {std::numeric_limits<double>::quiet_NaN()});
  for (const Activation& a : kActivations) EXPECT_TRUE(std::isnan(a.f(nan).item())) << a.name;
  // The gradient of relu at 0 is 0.
  const Tensor zero = f32({1}, {0});
  GradientTape tape;
  tape.watch(zero);
  expect_close(tape.gradient(ops::relu(zero), zero), {0});
}

TEST(Activations, Gradients) {
  const Tensor smooth = tensor_of(DType::float64, {8}, {-4, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 7});
  for (const Activation& a : kActivations) {
    SCOPED_TRACE(a.name);
    check_gradients([&](const Tensors& xs) -> Tensors { return {a.f(xs[0])}; }, {smooth});
  }
}

TEST(Crossentropy, Values) {
  const Tensor target = f32({2, 3}, {0.2, 0.5, 0.3, 0, 1, 0});
  const Tensor output = f32({2, 3}, {0.1, 0.6, 0.5, 0, 2, 1});
  expect_close(ops::categorical_crossentropy(target, output), {1.106196, 0.4054651}, kTolerance);
  expect_close(ops::categorical_crossentropy(target, output, {.from_logits = true}),
               {1.050828, 0.407606}, kTolerance);
  const Tensor labels = tensor_of(DType::int64, {2}, {2, 0});
  for (const Tensor& l : {labels, ops::reshape(labels, {2, 1})}) {
    expect_close(ops::sparse_categorical_crossentropy(l, output), {0.8754687, 16.1181}, kTolerance);
    expect_close(ops::sparse_categorical_crossentropy(l, output, {.from_logits = true}),
                 {1.020828, 2.407606}, kTolerance);
  }
  const Tensor truth = f32({4}, {1, 0, 1, 0.25});
  expect_close(ops::binary_crossentropy(truth, f32({4}, {0.9, 0, 0, 0.5})),
               {0.1053605, 1.192093e-07, 16.1181, 0.6931472}, kTolerance);
  expect_close(ops::binary_crossentropy(truth, f32({4}, {30, -2, 0.5, 100}), {.from_logits = true}),
               {0, 0.126928, 0.474077, 75}, kTolerance);
}

TEST(Crossentropy, AlongAnotherAxis) {
  const Tensor output = f32({3, 2}, {0.1, 0, 0.6, 2, 0.5, 1});
  const Tensor labels = tensor_of(DType::int32, {2}, {2, 0});
  expect_close(
      ops::sparse_categorical_crossentropy(labels, output, {.from_logits = true, .axis = 0}),
      {1.020828, 2.407606}, kTolerance);
}

// A label that is not a class adds no loss and no gradient; a class that is excluded (its logit is
// minus infinity) may be any but the label.
TEST(Crossentropy, LabelsThatAreNoClassAndExcludedClasses) {
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor output = f32({3, 3}, {0.1, 0.6, 0.5, 0.1, 0.6, 0.5, 0, -inf, 0});
  const Tensor labels = tensor_of(DType::int32, {3}, {-1, 3, 2});
  GradientTape tape;
  tape.watch(output);
  const Tensor loss = ops::sparse_categorical_crossentropy(labels, output, {.from_logits = true});
  expect_close(loss, {0, 0, 0.6931472}, kTolerance);
  expect_close(tape.gradient(loss, output), {0, 0, 0, 0, 0, 0, 0.5, 0, -0.5}, kTolerance);
}

TEST(Crossentropy, Gradients) {
  const Tensor labels = tensor_of(DType::int32, {3}, {2, 0, 1});
  const Tensor logits = random_tensor(DType::float64, {3, 4}, -2, 2);
  const Tensor positive = random_tensor(DType::float64, {3, 4}, 0.1, 0.9);
  const Tensor target = random_tensor(DType::float64, {3, 4}, 0, 1, 2);
  for (const bool from_logits : {true, false}) {
    const Tensor& output = from_logits ? logits : positive;
    check_gradients(
        [&](const Tensors& xs) -> Tensors {
          return {ops::sparse_categorical_crossentropy(labels, xs[0], {.from_logits = from_logits}),
                  ops::categorical_crossentropy(target, xs[0], {.from_logits = from_logits}),
                  ops::binary_crossentropy(target, xs[0], {.from_logits = from_logits})};
        },
        {output});
  }
}

TEST(Crossentropy, Errors) {
  const Tensor output = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THROW(ops::categorical_crossentropy(f32({3}, {1, 2, 3}), output), ValueError);
  EXPECT_THROW(ops::binary_crossentropy(f32({2}, {1, 2}), output), ValueError);
  EXPECT_THROW(ops::sparse_categorical_crossentropy(f32({3}, {0, 0, 0}), output), ValueError);
  EXPECT_THROW(ops::sparse_categorical_crossentropy(f32({2, 2}, {0, 0, 0, 0}), output), ValueError);
}

TEST(Normalization, Values) {
  const Tensor x = f32({3, 2}, {0, 1, 2, 3, 4, 5});
  expect_close(ops::batch_normalization(x, f32({2}, {1, 2}), f32({2}, {4, 0.5}),
                                        f32({2}, {0.5, -1}), f32({2}, {2, 3})),
               {-0.4998751, -5.238404, 1.499875, 3.238404, 3.499625, 11.71521}, kTolerance);
  const Tensor rows = f32({2, 3}, {1, 2, 4, -1, 0, 5});
  expect_close(ops::layer_normalization(rows, f32({3}, {1, 2, 3}), f32({3}, {0, 0.5, 1})),
               {-1.069045, -0.03452277, 5.008918, -0.8890009, -0.516001, 5.191004}, 1e-5);
  const ops::Moments m = ops::moments(rows, {0});
  EXPECT_EQ(m.mean.shape(), Shape{3});
  expect_close(m.mean, {0, 1, 4.5});
  expect_close(m.variance, {1, 1, 0.25});
  EXPECT_EQ(ops::moments(rows, {0}, {.keepdims = true}).variance.shape(), (Shape{1, 3}));
}

TEST(Normalization, HalfTypesAreNormalizedInFloat32) {
  const Tensor x = tensor_of(DType::float16, {1, 2}, {60000, -60000});
  expect_close(ops::layer_normalization(x, {}, {}, {-1}, 1e-3), {1, -1});
  EXPECT_EQ(ops::moments(x, {1}).variance.item(), 65504);
}

TEST(Normalization, Gradients) {
  const auto f = [](const Shape& shape, uint32_t seed) {
    return random_tensor(DType::float64, shape, 0.5, 2, seed);
  };
  check_gradients(
      [](const Tensors& xs) -> Tensors {
        const ops::Moments m = ops::moments(xs[0], {0}, {.keepdims = true});
        return {ops::batch_normalization(xs[0], m.mean, m.variance, xs[2], xs[1])};
      },
      {f({4, 2}, 1), f({2}, 2), f({2}, 3)});
  check_gradients(
      [](const Tensors& xs) -> Tensors { return {ops::layer_normalization(xs[0], xs[1], xs[2])}; },
      {f({2, 3}, 1), f({3}, 2), f({3}, 3)});
}

struct AttentionInputs {
  Tensor q = repeated({1, 2, 2, 3}, 5, 2, 2);
  Tensor k = repeated({1, 3, 2, 3}, 7, 3, 2);
  Tensor v = repeated({1, 3, 2, 3}, 4, 0, 1);
};

TEST(Attention, Values) {
  const AttentionInputs in;
  const Tensor plain = ops::dot_product_attention(in.q, in.k, in.v);
  EXPECT_EQ(plain.shape(), (Shape{1, 2, 2, 3}));
  expect_close(plain,
               {0.3098886, 1.309889, 1.690112, 2.337939, 0.6620611, 1.662061, 0.4213544, 1.421354,
                1.578645, 2.337939, 0.6620611, 1.662061},
               kTolerance);
  const Tensor mask = tensor_of(DType::boolean, {1, 1, 2, 3}, {1, 0, 1, 1, 1, 0});
  expect_close(ops::dot_product_attention(in.q, in.k, in.v, {.mask = mask}),
               {0, 1, 2, 3, 0, 1, 0.5338176, 1.533818, 1.466182, 1.927956, 1.072044, 2.072044},
               kTolerance);
  const Tensor longer =
      ops::concatenate({in.q, ops::multiply(ops::slice_axis(in.q, 1, 0, 1), 2)}, 1);
  expect_close(ops::dot_product_attention(longer, in.k, in.v, {.scale = 0.5, .is_causal = true}),
               {0, 1, 2, 3, 0, 1, 0.5884299, 1.58843, 1.41157, 1.937581, 1.062419, 2.062419,
                0.1175744, 1.117574, 1.882426, 2.347008, 0.6529917, 1.652992},
               kTolerance);
}

TEST(Attention, GroupedQueriesShareAKey) {
  const AttentionInputs in;
  const Tensor k = ops::slice_axis(in.k, 2, 0, 1);
  const Tensor v = ops::slice_axis(in.v, 2, 0, 1);
  expect_close(
      ops::dot_product_attention(in.q, k, v),
      ops::dot_product_attention(in.q, ops::repeat(k, 2, 2), ops::repeat(v, 2, 2)).to_doubles());
  EXPECT_THROW(ops::dot_product_attention(k, in.k, in.v), ValueError);
  EXPECT_THROW(ops::dot_product_attention(ops::squeeze(in.q), in.k, in.v), ValueError);
}

TEST(Attention, Gradients) {
  const AttentionInputs in;
  const Tensor bias = random_tensor(DType::float64, {1, 2, 2, 3});
  check_gradients(
      [](const Tensors& xs) -> Tensors {
        return {
            ops::dot_product_attention(xs[0], xs[1], xs[2], {.bias = xs[3], .is_causal = true})};
      },
      {in.q, in.k, in.v, bias});
}

struct RecurrentInputs {
  Tensor x = repeated({2, 3, 2}, 5, 2, 4);
  Tensor h0 = weight({2, 2});
};

TEST(Lstm, Values) {
  const RecurrentInputs in;
  const auto run = [&](bool reverse) {
    return ops::lstm(in.x, in.h0, weight({2, 2}, 2), weight({2, 8}), weight({2, 8}), weight({8}),
                     {.reverse = reverse});
  };
  const ops::LstmResult forward = run(false);
  EXPECT_EQ(forward.sequence.shape(), (Shape{2, 3, 2}));
  expect_close(forward.sequence,
               {-0.3743539, -0.3085955, -0.1840858, -0.08223318, -0.0952687, -0.009165937,
                -0.08273702, 0.04019328, 0.03384782, 0.08010164, 0.02656542, 0.08301732},
               kTolerance);
  expect_close(forward.h, {-0.0952687, -0.009165937, 0.02656542, 0.08301732}, kTolerance);
  expect_close(forward.c, {-0.1264409, -0.02516422, 0.04400935, 0.1921965}, kTolerance);
  // Keras gives a backward sequence in the order of its making; here row t belongs to x_t.
  const ops::LstmResult backward = run(true);
  expect_close(ops::reverse(backward.sequence, {1}),
               {-0.4151379, -0.1901952, -0.1351911, -0.04394156, -0.08073892, -0.03180714,
                -0.1221809, -0.006945695, 0.01362465, 0.06491816, 0.04696779, 0.09422169},
               kTolerance);
  expect_close(backward.c, {-0.1359489, -0.06710605, 0.07800967, 0.2523464}, kTolerance);
}

TEST(Lstm, Gradients) {
  const auto f = [](const Shape& shape, uint32_t seed) {
    return random_tensor(DType::float64, shape, -1, 1, seed);
  };
  check_gradients(
      [](const Tensors& xs) -> Tensors {
        const ops::LstmResult r = ops::lstm(xs[0], xs[1], xs[2], xs[3], xs[4], xs[5]);
        return {r.sequence, r.h, r.c};
      },
      {f({1, 2, 2}, 1), f({1, 2}, 2), f({1, 2}, 3), f({2, 8}, 4), f({2, 8}, 5), f({8}, 6)});
}

TEST(Gru, Values) {
  const RecurrentInputs in;
  const ops::GruResult after =
      ops::gru(in.x, in.h0, weight({2, 6}), weight({2, 6}), weight({2, 6}));
  expect_close(after.sequence,
               {-0.3213948, -0.1332272, -0.1055757, 0.2778053, 0.12508, 0.4677213, -0.05533187,
                0.2359958, 0.06939273, 0.5346698, 0.0832158, 0.3541286},
               kTolerance);
  expect_close(after.h, {0.12508, 0.4677213, 0.0832158, 0.3541286}, kTolerance);
  const ops::GruResult before =
      ops::gru(in.x, in.h0, weight({2, 6}), weight({2, 6}), weight({6}), {.reset_after = false});
  expect_close(before.sequence,
               {-0.2325353, -0.2538891, 0.01856625, 0.1018207, 0.2269193, 0.3212733, -0.00781408,
                0.1422177, 0.1407289, 0.4275407, 0.1244959, 0.3016042},
               kTolerance);
  EXPECT_THROW(ops::gru(in.x, in.h0, weight({2, 6}), weight({2, 6}), weight({6})), ValueError);
  EXPECT_THROW(ops::gru(in.x, in.h0, weight({2, 8}), weight({2, 6}), {}), ValueError);
}

TEST(Gru, Gradients) {
  const auto f = [](const Shape& shape, uint32_t seed) {
    return random_tensor(DType::float64, shape, -1, 1, seed);
  };
  for (const bool reset_after : {true, false}) {
    const Shape bias = reset_after ? Shape{2, 6} : Shape{6};
    check_gradients(
        [&](const Tensors& xs) -> Tensors {
          const ops::GruResult r =
              ops::gru(xs[0], xs[1], xs[2], xs[3], xs[4], {.reset_after = reset_after});
          return {r.sequence, r.h};
        },
        {f({1, 2, 2}, 1), f({1, 2}, 2), f({2, 6}, 3), f({2, 6}, 4), f(bias, 5)});
  }
}

TEST(Psnr, ShapesMustBeEqual) {
  EXPECT_THROW(
      ops::psnr(Tensor::full(DType::float32, {2, 2}, 1), Tensor::full(DType::float32, {2}, 0), 1),
      ValueError);
}

}  // namespace
}  // namespace antler

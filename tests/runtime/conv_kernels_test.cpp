// Convolutions, their gradients and pools: every kernel that takes a case against the reference.
#include <gtest/gtest.h>

#include "antler/ops/op_list.h"
#include "ops/nn/conv_geometry.h"
#include "runtime/cpu/conv/winograd.h"
#include "runtime/dice.h"
#include "runtime/kernel_harness.h"
#include "support/op_harness.h"

namespace antler::test {
namespace {

using ir::Ints;

/// One convolution: forward and both gradients.
void check_conv(const Shape& x, const Shape& w, const ir::Attrs& attrs, DType dtype) {
  const Tensor tx = random_tensor(dtype, x);
  const Tensor tw = random_tensor(dtype, w, -1, 1, 2);
  const std::vector<TensorSpec> specs = {tx.spec(), tw.spec()};
  const TensorSpec y = ops::find_op("conv")->infer({specs, attrs, {}})[0];
  const Tensor dy = random_tensor(dtype, y.shape, -1, 1, 3);
  ir::Attrs with_input = attrs;
  with_input.set("input_shape", x.dims());
  ir::Attrs with_filter = attrs;
  with_filter.set("filter_shape", w.dims());
  SCOPED_TRACE("x " + x.str() + " w " + w.str());
  const double tolerance = dtype == DType::float32 ? 5e-5 : dtype == DType::bfloat16 ? 0.3 : -1;
  EXPECT_GE(check_kernels("conv", {tx, tw}, attrs, tolerance), 1);
  EXPECT_GE(check_kernels("conv_input_grad", {dy, tw}, with_input, tolerance), 1);
  EXPECT_GE(check_kernels("conv_filter_grad", {tx, dy}, with_filter, tolerance), 1);
}

TEST(OnednnKernels, ConvolutionsAndTheirGradients) {
  const auto conv = [](const Shape& x, const Shape& w, Ints strides, Ints low, Ints high,
                       Ints dilations, int64_t groups) {
    for (const DType dtype : {DType::float32, DType::bfloat16}) {
      if (dtype == DType::bfloat16 && !__builtin_cpu_supports("avx512bf16")) continue;
      check_conv(x, w,
                 {{"strides", strides},
                  {"pad_low", low},
                  {"pad_high", high},
                  {"lhs_dilation", Ints(strides.size(), 1)},
                  {"rhs_dilation", dilations},
                  {"groups", groups}},
                 dtype);
    }
  };
  conv({2, 20, 20, 16}, {3, 3, 16, 16}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 1);
  conv({3, 21, 18, 16}, {3, 3, 16, 32}, {2, 2}, {0, 0}, {1, 1}, {1, 1}, 1);
  conv({2, 24, 24, 8}, {3, 3, 8, 24}, {1, 1}, {2, 2}, {2, 2}, {2, 2}, 1);
  conv({2, 24, 24, 32}, {3, 3, 8, 16}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 4);
  conv({4, 200, 16}, {5, 16, 16}, {1}, {2}, {2}, {1}, 1);
  conv({2, 10, 12, 10, 8}, {3, 3, 3, 8, 16}, {1, 2, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, 1);
  conv({2, 33, 33, 16}, {1, 1, 16, 32}, {2, 2}, {0, 0}, {0, 0}, {1, 1}, 1);
}

TEST(ConvKernels, RandomGeometry) {
  Dice dice(3);
  for (int i = 0; i < 120; ++i) {
    const auto spatial = static_cast<size_t>(dice(1, 3));
    const int64_t groups = dice(0, 3) == 0 ? dice(2, 3) : 1;
    const Ints channels = {1, 2, 3, 8, 17};
    const int64_t in = channels[static_cast<size_t>(dice(0, 4))];
    const int64_t out = channels[static_cast<size_t>(dice(0, 4))];
    const int64_t most = spatial == 1 ? 20 : spatial == 2 ? 9 : 5;
    Shape x{dice(0, 3)};
    Shape w;
    for (size_t d = 0; d < spatial; ++d) x.push_back(dice(1, most));
    for (size_t d = 0; d < spatial; ++d) w.push_back(dice(1, 3));
    x.push_back(in * groups);
    w.push_back(in);
    w.push_back(out * groups);
    const bool holes = dice(0, 2) == 0;
    check_conv(x, w,
               {{"strides", dice.many(spatial, 1, 3)},
                {"pad_low", dice.many(spatial, -1, 3)},
                {"pad_high", dice.many(spatial, -1, 3)},
                {"lhs_dilation", dice.many(spatial, 1, holes ? 3 : 1)},
                {"rhs_dilation", dice.many(spatial, 1, 2)},
                {"groups", groups}},
               i % 5 == 0 ? DType::float64 : DType::float32);
  }
}

TEST(ConvKernels, CommonLayers) {
  const auto attrs = [](Ints strides, int64_t pad, int64_t groups = 1) {
    const Ints ones(strides.size(), 1);
    return ir::Attrs{{"strides", strides},
                     {"pad_low", Ints(strides.size(), pad)},
                     {"pad_high", Ints(strides.size(), pad)},
                     {"lhs_dilation", ones},
                     {"rhs_dilation", ones},
                     {"groups", groups}};
  };
  check_conv({2, 28, 28, 1}, {3, 3, 1, 32}, attrs({1, 1}, 0), DType::float32);
  check_conv({3, 13, 13, 32}, {3, 3, 32, 64}, attrs({1, 1}, 0), DType::float32);
  check_conv({2, 20, 20, 16}, {3, 3, 16, 16}, attrs({1, 1}, 1), DType::float32);
  check_conv({2, 15, 15, 16}, {1, 1, 16, 33}, attrs({1, 1}, 0), DType::float32);
  check_conv({2, 15, 15, 16}, {1, 1, 16, 33}, attrs({2, 2}, 0), DType::float32);
  check_conv({2, 17, 17, 24}, {3, 3, 1, 24}, attrs({2, 2}, 1, 24), DType::float32);
  check_conv({2, 11, 11, 6}, {3, 3, 1, 12}, attrs({1, 1}, 1, 6), DType::float32);
  check_conv({2, 9, 9, 4}, {3, 3, 4, 8}, attrs({1, 1}, 1), DType::bfloat16);
  // To few channels; bands of rows where an image is large.
  check_conv({3, 14, 13, 32}, {3, 3, 32, 3}, attrs({1, 1}, 1), DType::float32);
  check_conv({1, 90, 61, 8}, {5, 3, 8, 1}, attrs({1, 1}, 2), DType::float32);
  check_conv({9, 40, 17}, {7, 17, 2}, attrs({1}, 0), DType::float64);
  check_conv({2, 7, 6, 9, 8}, {3, 2, 3, 8, 4}, attrs({1, 1, 1}, 1), DType::float32);
}

TEST(ConvKernels, EachChannelByItself) {
  // Vectors, halves of them and single channels; inner and border pixels; gradients with holes.
  const auto conv = [](const Shape& x, const Shape& w, Ints strides, Ints low, Ints dilations,
                       DType dtype = DType::float32) {
    check_conv(x, w,
               {{"strides", strides},
                {"pad_low", low},
                {"pad_high", low},
                {"lhs_dilation", Ints(strides.size(), 1)},
                {"rhs_dilation", dilations},
                {"groups", x.dims().back()}},
               dtype);
  };
  conv({2, 9, 14, 21}, {3, 3, 1, 21}, {1, 1}, {1, 1}, {1, 1});
  conv({2, 9, 15, 37}, {3, 3, 1, 37}, {2, 2}, {1, 1}, {1, 1});
  conv({1, 8, 17, 16}, {2, 5, 1, 16}, {1, 3}, {0, 2}, {1, 1});
  conv({2, 11, 19, 12}, {3, 3, 1, 12}, {1, 1}, {2, 2}, {2, 2});
  conv({3, 30, 5}, {7, 1, 5}, {2}, {3}, {1}, DType::float64);
  conv({1, 5, 6, 9, 18}, {3, 2, 3, 1, 18}, {1, 1, 2}, {1, 0, 1}, {1, 1, 1});
}

TEST(ConvKernels, GradientsOfSmallKernelsOverManyPixels) {
  const ir::Attrs attrs = {{"strides", Ints{1, 1}},      {"pad_low", Ints{0, 0}},
                           {"pad_high", Ints{0, 0}},     {"lhs_dilation", Ints{1, 1}},
                           {"rhs_dilation", Ints{1, 1}}, {"groups", int64_t{1}}};
  check_conv({3, 23, 21, 20}, {1, 1, 20, 33}, attrs, DType::float32);
  check_conv({2, 31, 32, 9}, {1, 1, 9, 5}, attrs, DType::float64);
}

TEST(ConvKernels, ThreeByThreeOverManyChannels) {
  // Tiles that reach over the image, channels that fill no vector, padding of any kind.
  const auto conv = [](const Shape& x, const Shape& w, Ints low, Ints high) {
    const ir::Attrs attrs = {{"strides", Ints{1, 1}},      {"pad_low", low},
                             {"pad_high", high},           {"lhs_dilation", Ints{1, 1}},
                             {"rhs_dilation", Ints{1, 1}}, {"groups", int64_t{1}}};
    EXPECT_TRUE(runtime::WinogradGeometry::accepts(ops::ConvGeometry(x, w, attrs),
                                                   runtime::ConvOp::forward))
        << x.str();
    check_conv(x, w, attrs, DType::float32);
  };
  conv({3, 12, 12, 32}, {3, 3, 32, 64}, {1, 1}, {1, 1});
  conv({4, 13, 21, 40}, {3, 3, 40, 24}, {0, 0}, {0, 0});
  conv({7, 14, 11, 28}, {3, 3, 28, 33}, {2, 0}, {1, 2});
  conv({1, 16, 31, 24}, {3, 3, 24, 100}, {1, 2}, {3, 4});
  conv({4, 18, 20, 65}, {3, 3, 65, 20}, {-1, 1}, {1, -2});
  conv({9, 16, 16, 16}, {3, 3, 16, 16}, {1, 1}, {1, 1});
  // One or two rows or columns left: small tiles.
  conv({5, 13, 14, 24}, {3, 3, 24, 40}, {1, 1}, {1, 1});
  conv({40, 6, 10, 33}, {3, 3, 33, 32}, {1, 1}, {1, 1});
  conv({3, 12, 17, 32}, {3, 3, 32, 32}, {1, 1}, {1, 1});
  conv({3, 22, 12, 32}, {3, 3, 32, 32}, {0, 1}, {0, 1});
}

TEST(ConvKernels, PoolsBehindThreeByThreeOverManyChannels) {
  const auto conv = [](const Shape& x, const Shape& w, Ints low, Ints high, int64_t stride = 2) {
    const ir::Attrs attrs = {{"strides", Ints{1, 1}},
                             {"pad_low", low},
                             {"pad_high", high},
                             {"lhs_dilation", Ints{1, 1}},
                             {"rhs_dilation", Ints{1, 1}},
                             {"groups", int64_t{1}},
                             {"pool_window", Ints{1, 2, 2, 1}},
                             {"pool_strides", Ints{1, stride, stride, 1}}};
    const Tensor bias = random_tensor(DType::float32, {w.back()}, -1, 1, 3);
    EXPECT_EQ(check_kernels("conv_relu_pool",
                            {random_tensor(DType::float32, x),
                             random_tensor(DType::float32, w, -1, 1, 2), bias},
                            attrs, 1e-4),
              2);
  };
  conv({5, 14, 13, 32}, {3, 3, 32, 24}, {1, 0}, {1, 1});
  // One image, which threads share band by band.
  conv({1, 31, 22, 17}, {3, 3, 17, 40}, {1, 2}, {2, 0});
  // Pixels between the windows: a band would end in the middle of a tile.
  conv({1, 50, 27, 24}, {3, 3, 24, 40}, {1, 1}, {1, 1}, 4);
  // The last column is in no window.
  conv({6, 13, 13, 32}, {3, 3, 32, 64}, {0, 0}, {0, 0});
}

/// Whole numbers, whose sums of products are exact: the largest of a window is the same to all.
Tensor whole_numbers(DType dtype, const Shape& shape, uint32_t seed) {
  std::vector<double> values = random_tensor(DType::float32, shape, -1, 1, seed).to_doubles();
  for (double& v : values) v = static_cast<int>(v * 4);
  return tensor_of(dtype, shape, values);
}

TEST(ConvKernels, PoolsBehindFewChannels) {
  const auto conv = [](const Shape& x, const Shape& w, Ints low, Ints high, const Ints& strides,
                       const Ints& dilation, int accepted, DType dtype = DType::float32) {
    const ir::Attrs attrs = {{"strides", strides},
                             {"pad_low", std::move(low)},
                             {"pad_high", std::move(high)},
                             {"lhs_dilation", Ints{1, 1}},
                             {"rhs_dilation", dilation},
                             {"groups", int64_t{1}},
                             {"pool_window", Ints{1, 2, 2, 1}},
                             {"pool_strides", Ints{1, 2, 2, 1}}};
    const auto random = [&](const Shape& shape, uint32_t seed) {
      return dtype == DType::float32 ? random_tensor(dtype, shape, -1, 1, seed)
                                     : whole_numbers(dtype, shape, seed);
    };
    const Tensor image = random(x, 1);
    const Tensor weights = random(w, 2);
    const Tensor bias = random({w.back()}, 3);
    EXPECT_EQ(check_kernels("conv_relu_pool", {image, weights, bias}, attrs), accepted);
    const std::vector<TensorSpec> specs = {image.spec(), weights.spec(), bias.spec()};
    const Shape pooled = ops::find_op("conv_relu_pool")->infer({specs, attrs, {}})[0].shape;
    std::vector<double> taps(static_cast<size_t>(pooled.num_elements()));
    Dice dice(7);
    for (double& tap : taps) tap = static_cast<double>(dice(0, 3));
    ir::Attrs with_filter = attrs;
    with_filter.set("filter_shape", w.dims());
    EXPECT_EQ(check_kernels("conv_pool_filter_grad",
                            {image, tensor_of(DType::uint8, pooled, taps), random(pooled, 4)},
                            with_filter, 1e-4),
              dtype == DType::float32 ? accepted - 1 : accepted);  // only the shallow one
    const TensorSpec y = ops::find_op("conv")->infer({{specs.data(), 2}, attrs, {}})[0];
    const ir::Attrs scatter = {{"input_shape", y.shape.dims()},
                               {"pool_window", Ints{1, 2, 2, 1}},
                               {"pool_strides", Ints{1, 2, 2, 1}}};
    EXPECT_EQ(check_kernels("pool_scatter",
                            {tensor_of(DType::uint8, pooled, taps), random(pooled, 4)}, scatter),
              1);
  };
  const int shallow = __builtin_cpu_supports("avx512f") != 0 ? 1 : 0;
  const int both = shallow + 1;
  conv({5, 28, 28, 1}, {3, 3, 1, 32}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, both);
  // Padding of both kinds, an odd number of vectors, one and two windows left.
  conv({3, 9, 12, 3}, {3, 3, 3, 48}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, both);
  conv({2, 20, 11, 2}, {5, 4, 2, 16}, {3, 0}, {0, 6}, {1, 1}, {1, 1}, both);
  conv({2, 13, 17, 2}, {3, 3, 2, 64}, {-2, 1}, {1, -1}, {1, 1}, {1, 1}, both);
  conv({4, 21, 16, 3}, {3, 5, 3, 32}, {2, 1}, {0, 1}, {2, 1}, {1, 2}, both);
  // One image, which threads share band by band, in place and as a padded copy.
  conv({1, 40, 30, 1}, {3, 3, 1, 32}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, both);
  conv({1, 120, 150, 3}, {3, 3, 3, 16}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, both);
  // Narrow types, computed in float32.
  conv({5, 28, 28, 1}, {3, 3, 1, 32}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, shallow, DType::bfloat16);
  conv({3, 9, 12, 3}, {3, 3, 3, 48}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, shallow, DType::float16);
  // Not made for these.
  conv({2, 12, 12, 3}, {3, 3, 3, 20}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, 1);
  conv({2, 12, 12, 30}, {3, 3, 30, 16}, {0, 0}, {0, 0}, {2, 1}, {1, 1}, 1);
}

TEST(PoolKernels, RandomGeometry) {
  Dice dice(4);
  for (int i = 0; i < 120; ++i) {
    const int64_t rank = dice(1, 5);
    Shape x;
    Ints window, strides, dilations, low, high;
    int64_t windowed = 0;
    for (int64_t d = 0; d < rank; ++d) {
      x.push_back(dice(0, 30) == 0 ? 0 : dice(1, d + 1 == rank ? 40 : 9));
      const bool plain = dice(0, 1) == 0 || windowed == 3;
      windowed += plain ? 0 : 1;
      window.push_back(plain ? 1 : dice(1, 4));
      strides.push_back(plain ? 1 : dice(0, 1) == 0 ? window.back() : dice(1, 3));
      dilations.push_back(plain ? 1 : dice(0, 2) == 0 ? 2 : 1);
      low.push_back(plain ? 0 : dice(0, 2));
      high.push_back(plain ? 0 : dice(0, 2));
    }
    const char* const ops[] = {"sum", "max", "min", "prod"};
    const std::string op = ops[dice(0, 3)];
    const ir::Attrs attrs = {{"op", op},           {"window", window},
                             {"strides", strides}, {"dilations", dilations},
                             {"pad_low", low},     {"pad_high", high}};
    const DType dtypes[] = {DType::float32, DType::float32, DType::float64, DType::bfloat16};
    const DType dtype = dtypes[dice(0, 3)];
    SCOPED_TRACE("x " + x.str());
    // Few distinct values, so that windows have several extrema.
    Tensor values = random_tensor(dtype, x);
    if (dice(0, 1) == 0) {
      std::vector<double> rounded = values.to_doubles();
      for (double& v : rounded) v = static_cast<int>(v * 3);
      values = tensor_of(dtype, x, rounded);
    }
    check_kernels("reduce_window", {values}, attrs);
    if (op != "max" && op != "min") continue;
    const std::vector<TensorSpec> specs = {values.spec()};
    const TensorSpec y = ops::find_op("reduce_window")->infer({specs, attrs, {}})[0];
    check_kernels("select_and_scatter_add", {values, random_tensor(dtype, y.shape, -1, 1, 5)},
                  attrs);
  }
}

}  // namespace
}  // namespace antler::test

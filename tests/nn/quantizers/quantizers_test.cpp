#include "antler/nn/quantizers.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/nn/dtype_policy.h"
#include "antler/nn/dtype_policy_map.h"
#include "antler/nn/layers.h"
#include "antler/nn/quantization_config.h"
#include "antler/nn/registry.h"
#include "nn/quantizers/ramp.h"

// Figures are those of Keras 3.15.1 with TensorFlow.
namespace antler {
namespace {

using test::ramp;

Tensor line(double from, double to, int64_t count, const Shape& shape) {
  Tensor t = Tensor::empty(DType::float32, shape);
  for (int64_t i = 0; i < count; ++i) {
    t.mutable_data<float>()[i] = static_cast<float>(from + (to - from) * static_cast<double>(i) /
                                                               static_cast<double>(count - 1));
  }
  return t;
}

void expect_values_near(const Tensor& got, const std::vector<double>& want,
                        double tolerance = 1e-6) {
  const std::vector<double> values = got.to_doubles();
  ASSERT_EQ(values.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(values[i], want[i], tolerance) << i;
}

struct GroupedCase {
  int64_t block_size;
  std::vector<double> values;
  std::vector<double> scale;
  std::vector<double> zero_point;
};

TEST(AbsMaxQuantizeGrouped, IsKerass) {
  const std::vector<GroupedCase> cases = {
      {2,
       {-8, 7, -8, 7, -8, 7, -8, 7, -8, 7, -8, 7},
       {0.09066667, 0.05666668, 0.09066667, 0.09066667, 0.05666668, 0.09066667},
       {3, 4, 1, -2, -5, -4}},
      {3,
       {-8, 1, -8, 7, -8, 7, -3, 6, -3, 7, -8, 7},
       {0.09066667, 0.09066667, 0.09066667, 0.05666668, 0.01133334, 0.068},
       {3, -1, 1, -8, 7, -8}},
      {8,
       {-8, 1, -8, 3, -8, 3, -4, 6, -4, 7, -3, 7},
       {0.1246667, 0.09066667, 0.1246667},
       {0, -1, -1}},
  };
  for (const GroupedCase& c : cases) {
    for (const bool to_numpy : {false, true}) {
      const auto got = quantizers::abs_max_quantize_grouped_with_zero_point(
          ramp({4, 3}, 0.17), c.block_size, {-8, 7}, DType::int8, 1e-7, to_numpy);
      EXPECT_EQ(got.values.dtype(), DType::int8);
      expect_values_near(got.values, c.values);
      expect_values_near(got.scale, c.scale);
      expect_values_near(got.zero_point, c.zero_point);
    }
  }
  // Groups of equal values are where the two forms differ.
  const Tensor same = Tensor::full(DType::float32, {4, 2}, 1);
  expect_values_near(quantizers::abs_max_quantize_grouped_with_zero_point(same, 2).values,
                     std::vector<double>(8, -1));
  expect_values_near(quantizers::abs_max_quantize_grouped_with_zero_point(same, 2, {-8, 7},
                                                                          DType::int8, 1e-7, true)
                         .values,
                     std::vector<double>(8, 7));
  EXPECT_THROW(quantizers::abs_max_quantize_grouped_with_zero_point(same, 0), ValueError);
}

TEST(PackInt4, PutsTwoNumbersIntoAByte) {
  const Tensor x = Tensor::of<int8_t>({-3, 7, 2, -8, 1, 0}, {3, 2});
  const Tensor rows = quantizers::pack_int4(x);
  EXPECT_EQ(rows.shape(), Shape({2, 2}));
  EXPECT_EQ(rows.to_doubles(), (std::vector<double>{45, -121, 1, 0}));
  EXPECT_EQ(quantizers::unpack_int4(rows, 3).to_doubles(), x.to_doubles());
  const Tensor columns = quantizers::pack_int4(x, -1);
  EXPECT_EQ(columns.shape(), Shape({3, 1}));
  EXPECT_EQ(quantizers::unpack_int4(columns, 2, 1).to_doubles(), x.to_doubles());
  const Tensor bytes = Tensor::of<uint8_t>({1, 15, 8}, {3});
  const Tensor packed = quantizers::pack_int4(bytes, 0, DType::uint8);
  EXPECT_EQ(packed.to_doubles(), (std::vector<double>{241, 8}));
  EXPECT_EQ(quantizers::unpack_int4(packed, 3, 0, DType::uint8).to_doubles(), bytes.to_doubles());
  EXPECT_THROW(quantizers::pack_int4(bytes), TypeError);
  EXPECT_THROW(quantizers::pack_int4(bytes, 0, DType::int32), ValueError);
}

TEST(Float8, ScaleFollowsTheLargestMagnitude) {
  const Tensor scale(0.5F);
  const Tensor top(quantizers::float8_max("float8_e4m3fn"));
  const auto next = [&](float amax, int64_t margin = 0) {
    return quantizers::compute_float8_scale(Tensor(amax), scale, top, margin).item();
  };
  EXPECT_NEAR(next(3), 0.006696429, 1e-8);
  EXPECT_NEAR(next(3, 2), 0.02678571, 1e-8);
  EXPECT_EQ(next(0), 0.5);
  EXPECT_EQ(next(INFINITY), 0.5);
  const Tensor history = Tensor::of<float>({1, 2, 3, 4}, {4});
  EXPECT_EQ(quantizers::compute_float8_amax_history(Tensor::of<float>({-5, 2}, {2}), history)
                .to_doubles(),
            (std::vector<double>{5, 3, 4, 1}));
}

TEST(Float8, RoundsToTheFormats) {
  const Tensor x = Tensor::of<float>({0.1F, -0.3F, 1e-3F, 2e-3F, 5e-4F, 1.0625F, 1.1875F, 1.3F, 300,
                                      1000, -1e9F, 0, 0.0146484375F, 0.013671875F, 3e-6F, 1e-5F},
                                     {16});
  const auto rounded = [&](const char* format, float scale) {
    return quantizers::quantize_and_dequantize(x, Tensor(scale), format, DType::float32);
  };
  expect_values_near(rounded("float8_e4m3fn", 1),
                     {0.1015625, -0.3125, 0.001953125, 0.001953125, 0, 1, 1.25, 1.25, 288, 448,
                      -448, 0, 0.015625, 0.01367188, 0, 0},
                     1e-8);
  expect_values_near(rounded("float8_e4m3fn", 0.7F),
                     {0.0984375, -0.30625, 0.001367187, 0.001367187, 0, 1.05, 1.225, 1.3125, 291.2,
                      313.6, -313.6, 0, 0.01503906, 0.01367188, 0, 0},
                     1e-4);
  expect_values_near(rounded("float8_e5m2", 1),
                     {0.09375, -0.3125, 0.0009765625, 0.001953125, 0.0004882812, 1, 1.25, 1.25, 320,
                      1024, -57344, 0, 0.015625, 0.01367188, 0, 1.525879e-05},
                     1e-8);
  EXPECT_THROW(rounded("float8", 1), ValueError);
}

TEST(FakeQuant, RoundsInsideOfARangeAndTrainsIt) {
  const Tensor x = line(-2.3, 2.9, 7, {7});
  const Tensor low(-1.1F);
  const Tensor high(2.05F);
  GradientTape tape({.persistent = true});
  for (const Tensor& t : {x, low, high}) tape.watch(t);
  const Tensor y = quantizers::fake_quant_with_min_max_vars(x, low, high);
  expect_values_near(y, {-1.099412, -1.099412, -0.5682353, 0.2964706, 1.161177, 2.038235, 2.050588},
                     2e-6);
  const Tensors gradients = tape.gradient(y, Tensors{x, low, high});
  expect_values_near(gradients[0], {0, 0, 1, 1, 1, 1, 0});
  expect_values_near(gradients[1], {2});
  expect_values_near(gradients[2], {1});
  expect_values_near(quantizers::fake_quant_with_min_max_vars(x, low, high, 4, true),
                     {-1.125, -1.125, -0.675, 0.225, 1.125, 2.025, 2.025}, 2e-6);
  expect_values_near(quantizers::fake_quant_with_min_max_vars(x, Tensor(0.0F), Tensor(0.0F)),
                     std::vector<double>(7, 0));

  const Tensor rows = line(-2.3, 2.9, 6, {2, 3});
  const Tensor lows = Tensor::of<float>({-1, -0.5F}, {2});
  const Tensor highs = Tensor::of<float>({1, 2}, {2});
  GradientTape other;
  for (const Tensor& t : {rows, lows, highs}) other.watch(t);
  const Tensor z = quantizers::fake_quant_with_min_max_vars(rows, lows, highs, 8, false, 0);
  expect_values_near(z, {-0.9960785, -0.9960785, -0.2196079, 0.8235294, 1.862745, 2.0}, 2e-6);
  const Tensors by = other.gradient(z, Tensors{rows, lows, highs});
  expect_values_near(by[0], {0, 0, 1, 1, 1, 0});
  expect_values_near(by[1], {2, 0});
  expect_values_near(by[2], {0, 1});
}

TEST(QuantizationConfigs, AreChecked) {
  EXPECT_EQ(QuantizationConfig("int4").block_size, 128);
  EXPECT_THROW(QuantizationConfig("int2"), ValueError);
  EXPECT_THROW(QuantizationConfig(Int4QuantizationConfig{.block_size = 0}), ValueError);
  const AbsMaxQuantizer wide{.axis = 0};
  EXPECT_THROW(QuantizationConfig(Int4QuantizationConfig{.weight_quantizer = wide}), ValueError);
  EXPECT_THROW(
      QuantizationConfig(Int4QuantizationConfig{.weight_quantizer = wide, .block_size = {}}),
      ValueError);
  const AbsMaxQuantizer narrow{.axis = 0, .value_range = {-8, 7}};
  const QuantizationConfig config(
      Int4QuantizationConfig{.weight_quantizer = narrow, .block_size = -1});
  EXPECT_EQ(QuantizationConfig::deserialize(config.serialize()).serialize(), config.serialize());
  EXPECT_THROW((AbsMaxQuantizer{.value_range = {-200, 7}}).check(), ValueError);
  EXPECT_THROW(AbsMaxQuantizer::deserialize({{"class_name", "Quantizer"}}), ValueError);

  // The scales of a Dense layer are those of its outputs.
  Dense layer(3);
  layer(ramp({2, 4}, 0.1));
  EXPECT_THROW(layer.quantize(Int8QuantizationConfig{.weight_quantizer = AbsMaxQuantizer()}),
               ValueError);
  Embedding words(4, 3);
  words(Tensor::of<int32_t>({1}, {1}));
  EXPECT_THROW(words.quantize("float8"), NotImplementedError);
}

TEST(DTypePolicies, OfQuantizedLayers) {
  for (const char* name : {"int8_from_mixed_bfloat16", "int4_from_float32", "int4/32_from_float32",
                           "int4/-1_from_mixed_float16", "float8_from_float16"}) {
    const DTypePolicy policy = DTypePolicy(name);
    EXPECT_EQ(policy.name, name);
    EXPECT_EQ(policy.text(), name);
    EXPECT_EQ(DTypePolicy::deserialize(policy.serialize()).name, name);
  }
  EXPECT_EQ(DTypePolicy("int4/32_from_float32").block_size, 32);
  EXPECT_EQ(DTypePolicy("int4/32_from_float32").serialize()["class_name"], "Int4DTypePolicy");
  EXPECT_THROW(DTypePolicy("int4/0_from_float32"), ValueError);
  EXPECT_THROW(DTypePolicy("int4/x_from_float32"), ValueError);
  DTypePolicy policy = DTypePolicy("float8_from_float32");
  policy.amax_history_length = 16;
  EXPECT_EQ(DTypePolicy(policy.text()).amax_history_length, 16);
  Dense layer(2, {.dtype = policy});
  layer(ramp({1, 3}, 0.1));
  EXPECT_EQ(layer.weights()[1].name(), "inputs_amax_history");
  EXPECT_EQ(layer.weights()[1].shape(), Shape({16}));
}

TEST(DTypePolicyMaps, GiveLayersTheirPoliciesByPath) {
  DTypePolicyMap map(DTypePolicy("float32"));
  map.set("plain", DTypePolicy("bfloat16"));
  map.set("deep_.*", DTypePolicy("int8_from_float32"));
  EXPECT_THROW(map.set("plain", DTypePolicy()), ValueError);
  EXPECT_EQ(map.at("deep_1").name, "int8_from_float32");
  EXPECT_EQ(map.at("else").name, "float32");
  map.set("deep_[12]", DTypePolicy("float16"));
  EXPECT_THROW(map.at("deep_1"), ValueError);
  EXPECT_EQ(map.at("deep_3").name, "int8_from_float32");
  EXPECT_EQ(DTypePolicyMap::deserialize(map.serialize()).serialize(), map.serialize());
  EXPECT_THROW(DTypePolicyMap(map.policy()), ValueError);

  const Tensor x = ramp({2, 3}, 0.1);
  Dense plain(2, {.name = "plain", .dtype = map.policy()});
  EXPECT_EQ(plain(x).dtype(), DType::bfloat16);
  Dense deep(2, {.name = "deep_3", .dtype = map.policy()});
  deep(x);
  EXPECT_EQ(deep.dtype_policy().quantization_mode, "int8");
  EXPECT_EQ(deep.get_config()["dtype"], map.serialize());
  const LayerPtr again = layer_from_config("Dense", deep.get_config());
  again->ensure_built({x.shape()});
  EXPECT_EQ(again->weights().size(), 3U);

  // A layer that is quantized writes itself into the map.
  Dense other(2, {.name = "other", .dtype = map.policy()});
  other(x);
  other.quantize("int4");
  EXPECT_EQ(DTypePolicyMap::deserialize(other.get_config()["dtype"]).at("other").name,
            "int4/128_from_float32");

  // Without a default, files leave the source to the global policy, as Keras's do.
  DTypePolicyMap open;
  open.set("a", DTypePolicy("bfloat16"));
  EXPECT_TRUE(open.serialize()["config"]["policy_map"]["a"]["config"]["name"].is_null());
  EXPECT_EQ(DTypePolicyMap::deserialize(open.serialize()).at("a").name, "float32");
}

}  // namespace
}  // namespace antler

#include "antler/nn/quantize.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/nn/dtype_policy.h"
#include "antler/nn/layers.h"
#include "antler/nn/registry.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/quantizers/ramp.h"

namespace antler {
namespace {

using test::ramp;

struct EinsumCase {
  const char* equation;
  Shape output;
  Shape input;
  Shape kernel;
  Shape scale;                // of Keras's kernel_scale
  std::vector<double> first;  // of Keras's output for the ramps below
};

// Figures of Keras 3.15.1 with TensorFlow.
TEST(Quantize, EinsumDenseIsKerass) {
  const std::vector<EinsumCase> cases = {
      {"ab,bc->ac",
       {3},
       {2, 4},
       {4, 3},
       {1, 3},
       {1.174563, -0.5992814, 1.025557, 1.10095, -0.5984003, 1.10095}},
      {"abc,cde->abde",
       {-1, 2, 3},
       {2, 3, 4},
       {4, 2, 3},
       {1, 1, 2, 3},
       {0.7284203, 0.4146303, 0.5805825, 0.2612134, 0.4298022, 0.1166174}},
      {"abcd,cde->abe",
       {-1, 3},
       {2, 2, 2, 3},
       {2, 3, 3},
       {1, 1, 3},
       {0.8958334, -0.03768986, 0.7275438, 0.5004864, -0.2647473, 0.668776}},
      {"abc,cd->abd",
       {-1, 3},
       {2, 2, 4},
       {4, 3},
       {1, 1, 3},
       {1.174563, -0.5992814, 1.025557, 1.10095, -0.5984003, 1.10095}},
      {"abc,bd->adc",
       {3, -1},
       {2, 4, 2},
       {4, 3},
       {1, 3, 1},
       {0.4321604, 0.1685957, 0.01722409, 0.01899566, 0.09821069, 0.3538312}},
      {"ab,cb->ac",
       {3},
       {2, 4},
       {3, 4},
       {1, 3},
       {1.234207, 0.9329389, 0.6310861, 0.9329391, 0.9332359, 0.9329391}},
  };
  for (const EinsumCase& c : cases) {
    SCOPED_TRACE(c.equation);
    EinsumDense layer(c.equation, c.output);
    const Tensor x = ramp(c.input, 0.17);
    layer(x);
    layer.weights()[0].store(ramp(c.kernel, 0.11));
    layer.quantize("int8");
    const Variables weights = layer.weights();
    ASSERT_EQ(weights.size(), 2U);
    EXPECT_EQ(weights[1].shape(), c.scale);
    GradientTape tape;
    tape.watch(x);
    const Tensor y = layer(x);
    const std::vector<double> got = y.to_doubles();
    for (size_t i = 0; i < c.first.size(); ++i) EXPECT_NEAR(got[i], c.first[i], 1e-5) << i;
    EXPECT_EQ(tape.gradient(ops::sum(y), x).shape(), x.shape());
  }
}

// Sums of products of int8 do not fit into int8.
TEST(Quantize, DenseOverSequencesIsDenseOverRows) {
  Dense layer(3);
  const Tensor rows = ramp({6, 5}, 0.17);
  layer(rows);
  layer.quantize("int8");
  const Tensor sequences = ramp({2, 3, 5}, 0.17);
  EXPECT_EQ(layer(sequences).to_doubles(), layer(rows).to_doubles());
}

TEST(Quantize, SavedKernelsComeBackAndLoraIsMergedIn) {
  EinsumDense layer("abc,cde->abde", {-1, 2, 3}, {.bias_axes = "de"});
  const Tensor x = ramp({2, 3, 4}, 0.17);
  layer(x);
  EXPECT_EQ(layer.quantization_mode(), "");
  layer.quantize("int8");
  EXPECT_EQ(layer.quantization_mode(), "int8");
  EXPECT_TRUE(layer.compute_dtype() == "float32" && layer.compute_dtype() != "int8");
  layer.enable_lora(2);
  const Variables weights = layer.weights();
  for (const Variable& v : weights) {
    if (v.name().starts_with("lora")) v.store(ramp(v.shape(), 0.01));
  }
  const std::vector<double> before = layer(x).to_doubles();
  EinsumDense plain("abc,cde->abde", {-1, 2, 3},
                    {.bias_axes = "de", .dtype = DTypePolicy("int8_from_float32")});
  plain(x);
  plain.load_own_variables(layer.save_own_variables());
  const std::vector<double> after = plain(x).to_doubles();
  for (size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i], 0.05) << i;
}

TEST(Quantize, KeepsLoraThatWasThereBefore) {
  for (const std::string mode : {"int8", "int4", "float8"}) {
    SCOPED_TRACE(mode);
    Dense layer(3);
    const Tensor x = ramp({2, 5}, 0.17);
    layer(x);
    layer.enable_lora(2);
    for (const Variable& v : layer.weights()) v.store(ramp(v.shape(), 0.05));
    const std::vector<double> before = layer(x).to_doubles();
    layer.quantize(mode);
    EXPECT_EQ(layer.get_config()["lora_rank"], 2);
    if (mode == "float8") {
      EXPECT_THROW(layer(x), NotImplementedError);
      continue;
    }
    const std::vector<double> after = layer(x).to_doubles();
    for (size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i], 0.05) << i;
  }
}

TEST(Quantize, TakesTheChosenLeavesOfALayer) {
  MultiHeadAttention attention(2, 3);
  const Tensor x = ramp({1, 4, 6}, 0.1);
  const std::vector<double> before = attention({x, x}).to_doubles();
  EXPECT_THROW(quantize(attention, "int2"), ValueError);
  EXPECT_THROW(quantize(attention, "int8", {.filters = {"("}}), ValueError);
  EXPECT_EQ(quantize(attention, "int8", {.filters = {"^que", "key"}}), 2);
  EXPECT_THROW(quantize(attention, "int8"), ValueError);  // two are quantized already
  const auto rest = [](const Layer& layer) {
    return layer.dtype_policy().quantization_mode.empty();
  };
  EXPECT_EQ(quantize(attention, "int8", {.filter = rest}), 2);
  const std::vector<double> after = attention({x, x}).to_doubles();
  for (size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i], 0.02) << i;
  EXPECT_NE(before, after);
}

}  // namespace
}  // namespace antler

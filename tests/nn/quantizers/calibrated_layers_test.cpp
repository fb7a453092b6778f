// GPTQ and AWQ against Keras: figures in tests/data/calibrated_layer_calls.json, made by
// tools/calibrated_layer_calls.py.
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/calibration_config.h"
#include "antler/nn/dtype_policy.h"
#include "antler/nn/layers.h"
#include "antler/nn/quantizable.h"
#include "antler/nn/quantize.h"
#include "antler/nn/registry.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/quantizers/calibrated_matrix.h"
#include "nn/quantizers/calibration_data.h"
#include "nn/quantizers/rounding.h"
#include "support/paths.h"

namespace antler {
namespace {

constexpr int64_t kTokens = 16;

struct CalibratedCase {
  Json json;
};

/// How GoogleTest prints a case.
void PrintTo(const CalibratedCase& c, std::ostream* out) { *out << c.json["id"]; }

std::vector<CalibratedCase> calibrated_cases() {
  std::ifstream file(test::data_dir() / "calibrated_layer_calls.json");
  std::vector<CalibratedCase> all;
  const Json json = Json::parse(file);
  for (const Json& item : json["cases"]) all.push_back({item});
  return all;
}

template <class Formula>
Tensor by_formula(const Shape& shape, const Formula& formula) {
  Tensor t = Tensor::empty(DType::float32, shape);
  for (int64_t j = 0; j < t.size(); ++j) {
    t.mutable_data<float>()[j] = static_cast<float>(formula(j));
  }
  return t;
}

Tensor embedding_values(const Shape& shape) {
  return by_formula(shape, [](int64_t j) {
    return static_cast<double>((5 * j + 3) % 13 - 6) / 5 + static_cast<double>(j % 7) / 10;
  });
}

Tensor layer_weight(int64_t k, const Shape& shape) {
  return by_formula(shape, [k](int64_t j) {
    return (j % 7 < 3 ? -1 : 1) * static_cast<double>((7 * j + 3 * k) % 11 + 2) / 20 +
           static_cast<double>((j * j + k) % 17 - 8) / 100;
  });
}

Tensor stored_values(const Json& entry) {
  const Shape shape(entry["shape"].get<std::vector<int64_t>>());
  const auto values = entry["values"].get<std::vector<double>>();
  Tensor t = Tensor::zeros(DType::float64, shape);
  std::copy(values.begin(), values.end(), t.mutable_data<double>());
  return ops::cast(t, parse_dtype(entry["dtype"].get<std::string>()));
}

void expect_values(const Tensor& got, const Json& want, double tolerance, const std::string& what) {
  const std::vector<double> values = got.to_doubles();
  ASSERT_GE(values.size(), want.size()) << what;
  for (size_t i = 0; i < want.size(); ++i) {
    const double wanted = want[i].get<double>();
    EXPECT_NEAR(values[i], wanted, tolerance * (1 + std::abs(wanted))) << what << " " << i;
  }
}

class CalibratedLayer : public testing::TestWithParam<CalibratedCase> {
 protected:
  const Json& c = GetParam().json;
  const double tolerance = c["output_dtype"] == "float32" ? 2e-5 : 0.03;

  Shape input_shape() const {
    Shape shape{1, kTokens};
    for (const Json& d : c["features"]) shape.push_back(d.get<int64_t>());
    return shape;
  }
  Tensor input() const {
    const Shape shape = input_shape();
    return ops::reshape(embedding_values({kTokens, shape.num_elements() / kTokens}), shape);
  }
  /// The config of the case, with ids that an embedding maps to input().
  QuantizationConfig config(const LayerPtr& layer) const {
    const Shape shape = input_shape();
    const int64_t size = shape.num_elements() / kTokens;
    Embedding words(kTokens, size);
    words(Tensor::zeros(DType::int32, {1, kTokens}));
    words.weights()[0].store(embedding_values({kTokens, size}));
    const Reshape as_features(Shape(shape.begin() + 1, shape.end()));
    const QuantizationLayerStructure structure{
        .pre_block_layers = {words.share(), as_features.share()}, .sequential_blocks = {layer}};
    const CalibrationData ids = Tensors{ops::arange(0, kTokens)};
    const auto plain = QuantizationConfig::deserialize(c["quantization_config"]);
    if (plain.gptq != nullptr) {
      GPTQConfig gptq = *plain.gptq;
      gptq.dataset = ids;
      gptq.quantization_layer_structure = structure;
      return gptq;
    }
    AWQConfig awq = *plain.awq;
    awq.dataset = ids;
    awq.quantization_layer_structure = structure;
    return awq;
  }
  void expect_stored(const Layer& layer) const {
    const VariableStore store = layer.save_own_variables();
    ASSERT_EQ(store.size(), c["store"].size());
    for (size_t i = 0; i < store.size(); ++i) {
      const Json& want = c["store"][i];
      const Tensor& got = store[i].second;
      EXPECT_EQ(got.shape(), Shape(want["shape"].get<std::vector<int64_t>>())) << i;
      EXPECT_EQ(dtype_name(got.dtype()), want["dtype"].get<std::string>()) << i;
      expect_values(got, want["values"], is_floating(got.dtype()) ? 2e-5 : 0,
                    "stored " + std::to_string(i));
    }
  }
};

TEST_P(CalibratedLayer, IsKerass) {
  const LayerPtr layer = layer_from_config(c["class_name"].get<std::string>(), c["config"]);
  layer->ensure_built({input_shape()});
  const Variables before = layer->weights();
  for (size_t k = 0; k < before.size(); ++k) {
    before[k].store(layer_weight(static_cast<int64_t>(k), before[k].shape()));
  }
  EXPECT_EQ(quantize(*layer, config(layer)), 1);
  EXPECT_EQ(layer->get_config(), c["quantized_config"]);
  std::vector<std::string> names;
  for (const Variable& v : layer->weights()) names.push_back(v.name());
  EXPECT_EQ(names, c["weights"].get<std::vector<std::string>>());
  const Tensor y = (*layer)(input());
  EXPECT_EQ(dtype_name(y.dtype()), c["output_dtype"].get<std::string>());
  expect_values(y, c["output"], tolerance, "output");
  expect_stored(*layer);
  EXPECT_THROW(quantize(*layer, config(layer)), ValueError);
}

TEST_P(CalibratedLayer, ComesBackFromItsFile) {
  const LayerPtr layer =
      layer_from_config(c["class_name"].get<std::string>(), c["quantized_config"]);
  layer->ensure_built({input_shape()});
  EXPECT_EQ(layer->get_config(), c["quantized_config"]);
  VariableStore store;
  for (const Json& entry : c["store"]) {
    store.emplace_back(std::to_string(store.size()), stored_values(entry));
  }
  layer->load_own_variables(store);
  expect_values((*layer)(input()), c["output"], tolerance, "output");
  expect_stored(*layer);
}

INSTANTIATE_TEST_SUITE_P(Keras, CalibratedLayer, testing::ValuesIn(calibrated_cases()),
                         [](const testing::TestParamInfo<CalibratedCase>& info) {
                           return info.param.json["id"].get<std::string>();
                         });

Tensor patterned_weights(int64_t outputs, int64_t inputs) {
  return layer_weight(1, {outputs, inputs}) + layer_weight(3, {outputs, inputs}) * Tensor(0.7);
}

/// Sum of squares of what rounding changes in x w, for inputs x [rows, inputs].
double output_error(const CalibratedMatrix& m, const Tensor& weights, const Tensor& x,
                    int64_t group_size) {
  const int64_t n = weights.shape()[1];
  const int64_t groups = m.scale.shape()[1];
  double sum = 0;
  for (int64_t r = 0; r < x.shape()[0]; ++r) {
    for (int64_t o = 0; o < weights.shape()[0]; ++o) {
      double error = 0;
      for (int64_t i = 0; i < n; ++i) {
        const auto g = static_cast<int64_t>(m.group_index.data<float>()[i]);
        EXPECT_LT(g, (n + group_size - 1) / group_size);
        const double value = (static_cast<double>(m.values.data<uint8_t>()[o * n + i]) -
                              m.zero_point.data<uint8_t>()[o * groups + g]) *
                             m.scale.data<float>()[o * groups + g];
        error += (value - weights.data<float>()[o * n + i]) * x.data<float>()[r * n + i];
      }
      sum += error * error;
    }
  }
  return sum;
}

// Keras recomputes a group that extends into the next block of 128 inputs, and then fails.
TEST(Gptq, GroupsGoAcrossBlocksAndErrorsAreMadeUpFor) {
  constexpr int64_t kInputs = 300;
  constexpr int64_t kGroup = 96;
  const Tensor weights = patterned_weights(3, kInputs);
  const Tensor x = by_formula({40, kInputs}, [](int64_t j) {
    return std::sin(static_cast<double>(j % kInputs) * 0.05) *
               std::cos(static_cast<double>(j / kInputs)) +
           0.05 * static_cast<double>(j * j % 19 - 9);
  });
  Tensor moments = Tensor::zeros(DType::float32, {kInputs, kInputs});
  for (int64_t r = 0; r < 40; ++r) {
    for (int64_t i = 0; i < kInputs; ++i) {
      for (int64_t j = 0; j < kInputs; ++j) {
        moments.mutable_data<float>()[i * kInputs + j] +=
            2 * x.data<float>()[r * kInputs + i] * x.data<float>()[r * kInputs + j] / 40;
      }
    }
  }
  const GPTQConfig config{.group_size = kGroup};
  const double with = output_error(gptq_quantize(weights, moments, config), weights, x, kGroup);
  const double without = output_error(gptq_quantize(weights, Tensor(), config), weights, x, kGroup);
  EXPECT_LT(with, 0.2 * without);
  EXPECT_GT(without, 0.01);
}

TEST(Gptq, MomentsThatCannotBeInvertedAreRefused) {
  const Tensor weights = patterned_weights(2, 2);
  const Tensor moments = by_formula({2, 2}, [](int64_t) { return 1.0; });
  EXPECT_THROW(gptq_quantize(weights, moments, {.hessian_damping = 0}), ValueError);
}

// Keras wraps the zero of numbers that are all positive into its uint8.
TEST(Rounding, ARangeOfOneSignIsWidenedWhereItsZeroWouldNotFit) {
  const Rounding positive = Rounding::of_range(0.1F, 0.2F, 4, false);
  EXPECT_EQ(positive.zero, 0);
  EXPECT_NEAR(positive.value(positive.level(0.17F)), 0.17, 0.5 * positive.scale);
  const Rounding negative = Rounding::of_range(-0.2F, -0.1F, 4, false);
  EXPECT_EQ(negative.zero, 30);
  EXPECT_NEAR(negative.value(negative.level(-0.17F)), -0.17, 0.5 * negative.scale);
  const Rounding far = Rounding::of_range(-10.0F, -9.9F, 4, false);
  EXPECT_NEAR(far.value(far.level(-9.95F)), -9.95, 0.5 * far.scale);
}

TEST(CalibrationData, IsCutAtEqualDistancesAndRepeated) {
  const CalibrationData texts = std::vector<std::string>{"abc", "de"};
  const Tokenizer letters = [](const std::string& text) {
    return by_formula({static_cast<int64_t>(text.size())},
                      [&](int64_t j) { return text[static_cast<size_t>(j)] - 'a'; });
  };
  const Tensors sequences = calibration_sequences(texts, letters, 2, 2);
  EXPECT_EQ(sequences[0].to_vector<int32_t>(), (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(sequences[1].to_vector<int32_t>(), (std::vector<int32_t>{2, 3}));
  const Tensors repeated = calibration_sequences(texts, letters, 3, 4);
  EXPECT_EQ(repeated[2].to_vector<int32_t>(), (std::vector<int32_t>{3, 4, 0, 1}));
  EXPECT_THROW(calibration_sequences(texts, {}, 1, 1), ValueError);
  EXPECT_THROW(calibration_sequences(Tensors{}, {}, 1, 1), ValueError);
}

TEST(QuantizeBlocks, SaysWhatIsMissing) {
  Dense layer(2);
  layer(layer_weight(0, {1, 3}));
  EXPECT_THROW(quantize(layer, "gptq"), ValueError);
  EXPECT_THROW(quantize(layer, GPTQConfig{.dataset = Tensors{ops::arange(0, 9)}}), ValueError);
  EXPECT_THROW(
      quantize(layer, AWQConfig{.dataset = Tensors{ops::arange(0, 9)},
                                .quantization_layer_structure = QuantizationLayerStructure{}}),
      ValueError);
  EXPECT_THROW(QuantizationConfig(GPTQConfig{.weight_bits = 5}), ValueError);
  EXPECT_THROW(QuantizationConfig(GPTQConfig{.hessian_damping = 1.5}), ValueError);
  EXPECT_THROW(QuantizationConfig(AWQConfig{.weight_bits = 8}), ValueError);
  EXPECT_THROW(QuantizationConfig(AWQConfig{.group_size = 0}), ValueError);
  EXPECT_THROW(QuantizationConfig(AWQConfig{.num_grid_points = 0}), ValueError);
}

TEST(DTypePolicies, OfGptqAndAwq) {
  const DTypePolicy gptq = DTypePolicy("gptq/3/-1_from_mixed_bfloat16");
  EXPECT_EQ(gptq.quantization_mode, "gptq");
  EXPECT_EQ(gptq.weight_bits, 3);
  EXPECT_EQ(gptq.group_size, -1);
  EXPECT_EQ(gptq.compute_dtype, DType::bfloat16);
  EXPECT_EQ(gptq.serialize(),
            Json::parse(R"({"module": "keras.dtype_policies", "class_name": "GPTQDTypePolicy",
              "config": {"mode": "gptq/3/-1", "source_name": "mixed_bfloat16"},
              "registered_name": null})"));
  for (const char* wrong :
       {"gptq", "gptq/4", "gptq/5/4", "gptq/x/4", "gptq/4/0", "awq/8/4", "awq/4/-2", "awq/4/"}) {
    EXPECT_THROW(DTypePolicy(std::string(wrong) + "_from_float32"), ValueError) << wrong;
  }
}

}  // namespace
}  // namespace antler

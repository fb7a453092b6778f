// Quantized layers against Keras: figures in tests/data/quantized_layer_calls.json, made by
// tools/quantized_layer_calls.py.
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/autodiff/gradient_tape.h"
#include "antler/nn/dtype_policy.h"
#include "antler/nn/layers.h"
#include "antler/nn/optimizers.h"
#include "antler/nn/quantizable.h"
#include "antler/nn/registry.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/layers/layer_harness.h"
#include "support/paths.h"

namespace antler {
namespace {

struct QuantizedCase {
  Json json;
};

/// How GoogleTest prints a case.
void PrintTo(const QuantizedCase& c, std::ostream* out) { *out << c.json["id"]; }

enum class Kind : uint8_t { called, from_file, trained };

std::vector<QuantizedCase> cases(Kind kind) {
  std::ifstream file(test::data_dir() / "quantized_layer_calls.json");
  std::vector<QuantizedCase> all;
  const Json json = Json::parse(file);
  for (const Json& item : json["cases"]) {
    const bool trained = item.contains("train");
    const bool fits =
        kind == Kind::from_file ? !item["lora"].is_number() : trained == (kind == Kind::trained);
    if (fits) all.push_back({item});
  }
  return all;
}

CallOptions options_of(const Json& c, bool training = false) {
  CallOptions options{.training = training};
  if (c["arguments"].contains("reverse")) options.arguments = {{"reverse", true}};
  return options;
}

bool is_bfloat16(const Json& c) {
  return c["id"].get<std::string>().find("bfloat16") != std::string::npos;
}

void expect_near(const Tensor& got, const Json& want, double tolerance, const std::string& what) {
  const std::vector<double> values = got.to_doubles();
  ASSERT_EQ(values.size(), want.size()) << what;
  for (size_t i = 0; i < values.size(); ++i) {
    const double wanted = want[i].get<double>();
    EXPECT_NEAR(values[i], wanted, tolerance * (1 + std::abs(wanted))) << what << " " << i;
  }
}

void expect_store(const Layer& layer, const Json& c) {
  const VariableStore store = layer.save_own_variables();
  ASSERT_EQ(store.size(), c["store"].size());
  for (size_t i = 0; i < store.size(); ++i) {
    const Json& want = c["store"][i];
    Tensor got = store[i].second;
    EXPECT_EQ(store[i].first, std::to_string(i));
    EXPECT_EQ(got.shape(), Shape(want["shape"].get<std::vector<int64_t>>())) << i;
    EXPECT_EQ(dtype_name(got.dtype()), want["dtype"].get<std::string>()) << i;
    if (want.contains("tail")) {
      expect_near(ops::slice_axis(got, 0, 1021, 1024), want["tail"], 1e-5, "history");
      got = ops::slice_axis(got, 0, 0, 1);
    }
    // Packed numbers may not differ at all.
    expect_near(got, want["values"], is_floating(got.dtype()) ? 2e-5 : 0,
                "stored " + std::to_string(i));
  }
}

Tensor stored_tensor(const Json& entry) {
  const Shape shape(entry["shape"].get<std::vector<int64_t>>());
  Tensor t = Tensor::zeros(DType::float64, shape);
  const auto values = entry["values"].get<std::vector<double>>();
  std::copy(values.begin(), values.end(), t.mutable_data<double>());
  if (entry.contains("tail")) {
    const auto tail = entry["tail"].get<std::vector<double>>();
    std::copy(tail.begin(), tail.end(), t.mutable_data<double>() + shape[0] - 3);
  }
  return ops::cast(t, parse_dtype(entry["dtype"].get<std::string>()));
}

class QuantizedLayer : public testing::TestWithParam<QuantizedCase> {
 protected:
  const Json& c = GetParam().json;
  const Tensor x = test::keras_input(0, Shape(c["input_shape"].get<std::vector<int64_t>>()),
                                     parse_dtype(c["input_dtype"].get<std::string>()));
  const double tolerance = is_bfloat16(c) ? 0.02 : 2e-5;

  LayerPtr made_quantized() const {
    const LayerPtr layer = layer_from_config(c["class_name"].get<std::string>(), c["config"]);
    layer->ensure_built({x.shape()});
    const Variables weights = layer->weights();
    for (size_t k = 0; k < weights.size(); ++k) {
      weights[k].store(
          ops::cast(test::keras_weight(k, weights[k].shape(), false), weights[k].dtype()));
    }
    dynamic_cast<Quantizable&>(*layer).quantize(
        QuantizationConfig::deserialize(c["quantization_config"]));
    return layer;
  }
};

class QuantizedLayerFile : public QuantizedLayer {};
class Float8Layer : public QuantizedLayer {};

TEST_P(QuantizedLayer, IsKerass) {
  const LayerPtr layer = made_quantized();
  EXPECT_EQ(layer->get_config(), c["quantized_config"]);
  if (c["lora"].is_number()) {
    const int64_t rank = c["lora"].get<int64_t>();
    if (const auto* dense = dynamic_cast<Dense*>(layer.get())) Dense(*dense).enable_lora(rank);
    if (const auto* einsum = dynamic_cast<EinsumDense*>(layer.get()))
      EinsumDense(*einsum).enable_lora(rank);
    if (const auto* words = dynamic_cast<Embedding*>(layer.get()))
      Embedding(*words).enable_lora(rank);
    if (const auto* words = dynamic_cast<ReversibleEmbedding*>(layer.get()))
      ReversibleEmbedding(*words).enable_lora(rank);
    size_t k = 0;
    for (const Variable& v : layer->weights()) {
      if (!v.name().starts_with("lora")) continue;
      v.store(test::keras_weight(k++, v.shape(), false) * Tensor(0.1));
    }
  }
  std::vector<std::string> names;
  for (const Variable& v : layer->weights()) names.push_back(v.name());
  EXPECT_EQ(names, c["weights"].get<std::vector<std::string>>());
  GradientTape tape;
  if (is_floating(x.dtype())) tape.watch(x);
  const Tensor y = (*layer)(x, options_of(c));
  const Tensor place = ops::reshape(ops::arange(0, y.size()), y.shape());
  const Tensor weight = ops::cast(ops::mod(place, Tensor(3)), DType::float32) + Tensor(1.0);
  const Tensor loss = ops::sum(ops::cast(y, DType::float32) * weight);
  EXPECT_EQ(dtype_name(y.dtype()), c["output_dtype"].get<std::string>());
  expect_near(y, c["output"], tolerance, "output");
  if (c.contains("input_gradient"))
    expect_near(tape.gradient(loss, x), c["input_gradient"], 2 * tolerance, "gradient");
  expect_store(*layer, c);
}

TEST_P(QuantizedLayerFile, ComesBack) {
  const LayerPtr layer =
      layer_from_config(c["class_name"].get<std::string>(), c["quantized_config"]);
  layer->ensure_built({x.shape()});
  EXPECT_EQ(layer->get_config(), c["quantized_config"]);
  VariableStore store;
  for (const Json& entry : c["store"]) {
    store.emplace_back(std::to_string(store.size()), stored_tensor(entry));
  }
  layer->load_own_variables(store);
  expect_near((*layer)(x, options_of(c)), c["output"], tolerance, "output");
  expect_store(*layer, c);
}

// Statistics are stored by the optimizer as they come, and it has no slots for them.
TEST_P(Float8Layer, Trains) {
  const LayerPtr layer = made_quantized();
  EXPECT_EQ(layer->get_config(), c["quantized_config"]);
  optimizers::SGD optimizer({.learning_rate = 0.5});
  for (int step = 1; step <= 3; ++step) {
    GradientTape tape;
    const Tensor y = (*layer)(x * Tensor(static_cast<double>(step)), {.training = true});
    const Tensor loss = ops::mean(ops::square(ops::cast(y, DType::float32)));
    optimizer.minimize(loss, layer->trainable_variables(), tape);
  }
  EXPECT_EQ(optimizer.variables().size(), c["optimizer_variables"].size());
  if (is_bfloat16(c)) return;
  expect_near((*layer)(x), c["output"], 1e-4, "output");
  expect_store(*layer, c);
}

std::string id_of(const testing::TestParamInfo<QuantizedCase>& info) {
  return info.param.json["id"].get<std::string>();
}

INSTANTIATE_TEST_SUITE_P(Keras, QuantizedLayer, testing::ValuesIn(cases(Kind::called)), id_of);
INSTANTIATE_TEST_SUITE_P(Keras, QuantizedLayerFile, testing::ValuesIn(cases(Kind::from_file)),
                         id_of);
INSTANTIATE_TEST_SUITE_P(Keras, Float8Layer, testing::ValuesIn(cases(Kind::trained)), id_of);

}  // namespace
}  // namespace antler

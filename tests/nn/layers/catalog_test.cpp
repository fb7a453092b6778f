// Behavior that a single call of a layer does not show: masks between layers, random draws,
// weights that are replaced after training.
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/nn/dtype_policy.h"
#include "antler/nn/layers.h"
#include "antler/nn/layers/reversible_embedding.h"
#include "antler/nn/mask.h"
#include "antler/nn/registry.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"

namespace antler {
namespace {

std::vector<double> values(const Tensor& t) { return t.to_doubles(); }

/// [2, 2, 1], whose steps with value 0 are masked.
Tensor sequence(const std::vector<float>& steps) {
  return Masking()(Tensor::of<float>(steps, {2, 2, 1}));
}

TEST(Masking, MasksStepsWithoutFeatures) {
  const Tensor x = sequence({1, 0, 2, 3});
  EXPECT_EQ(values(keras_mask(x)), (std::vector<double>{1, 0, 1, 1}));
  EXPECT_EQ(values(keras_mask(Activation("relu")(x))), (std::vector<double>{1, 0, 1, 1}));
  EXPECT_FALSE(keras_mask(Flatten()(x)).defined());
  const Tensor other = Masking({.mask_value = -1})(Tensor::of<float>({-1, 5}, {1, 2, 1}));
  EXPECT_EQ(values(other), (std::vector<double>{0, 5}));
}

TEST(MergeMasks, OutputKeepsWhatOneInputKeeps) {
  const Tensor a = sequence({1, 0, 2, 0});
  const Tensor b = sequence({1, 5, 0, 0});
  const Tensor sum = Add()({a, b});
  EXPECT_EQ(values(sum), (std::vector<double>{2, 5, 2, 0}));
  EXPECT_EQ(values(keras_mask(sum)), (std::vector<double>{1, 1, 1, 0}));
  // Masked elements are left out of products and maxima.
  EXPECT_EQ(values(Multiply()({a, b})), (std::vector<double>{1, 5, 2, 0}));
  EXPECT_EQ(values(Minimum()({a, b})), (std::vector<double>{1, 5, 2, 0}));
  EXPECT_EQ(values(keras_mask(Maximum()({a, b}))), (std::vector<double>{1, 1, 1, 0}));
  const Tensor bare = Tensor::of<float>({1, 1, 1, 1}, {2, 2, 1});
  EXPECT_FALSE(keras_mask(Add()({a, bare})).defined());
  EXPECT_EQ(values(keras_mask(Concatenate({.axis = 1})({a, bare}))),
            (std::vector<double>{1, 0, 1, 1, 1, 0, 1, 1}));
  EXPECT_FALSE(keras_mask(Dot(1)({a, b})).defined());
}

TEST(MergeFunctions, AreTheLayers) {
  const Tensor a = Tensor::of<float>({1, 2}, {1, 2});
  const Tensor b = Tensor::of<float>({3, 5}, {1, 2});
  EXPECT_EQ(values(layers::add({a, b})), (std::vector<double>{4, 7}));
  EXPECT_EQ(values(layers::subtract({a, b})), (std::vector<double>{-2, -3}));
  EXPECT_EQ(values(layers::concatenate({a, b})), (std::vector<double>{1, 2, 3, 5}));
  EXPECT_EQ(values(layers::dot({a, b})), (std::vector<double>{13}));
  EXPECT_THROW(layers::subtract({a}), ValueError);
}

TEST(RandomLayers, WorkInTrainingOnly) {
  const Tensor x = ops::ones({100, 100});
  const auto mean = [](const Tensor& t) { return ops::mean(t).item(); };
  const auto std = [](const Tensor& t) { return ops::std(t).item(); };
  const CallOptions training{.training = true};
  const std::vector<LayerHandle> layers = {
      Dropout(0.5, {.seed = 1}), GaussianNoise(0.5, {.seed = 2}), GaussianDropout(0.2, {.seed = 3}),
      AlphaDropout(0.3, {.seed = 4})};
  for (const LayerHandle& layer : layers) {
    EXPECT_EQ(values((*layer.layer())(x)), values(x)) << layer->class_name();
    const Tensor y = (*layer.layer())(x, training);
    EXPECT_NE(values(y), values((*layer.layer())(x, training))) << layer->class_name();
  }
  EXPECT_NEAR(mean((*layers[0].layer())(x, training)), 1, 0.05);
  EXPECT_NEAR(std((*layers[1].layer())(x, training)), 0.5, 0.02);
  EXPECT_NEAR(std((*layers[2].layer())(x, training)), 0.5, 0.02);
  // Of standard normal inputs, AlphaDropout keeps mean and variance.
  const Tensor normal = GaussianNoise(1, {.seed = 5})(ops::zeros({200, 200}), training);
  const Tensor dropped = (*layers[3].layer())(normal, training);
  EXPECT_NEAR(mean(dropped), 0, 0.03);
  EXPECT_NEAR(std(dropped), 1, 0.03);
  EXPECT_THROW(Dropout(1.5), ValueError);
  EXPECT_THROW(GaussianNoise(-0.1), ValueError);
  EXPECT_THROW(GaussianDropout(1)(ops::zeros({2}), training), ValueError);
  EXPECT_THROW(Dropout(0.5, {.noise_shape = {0, 1}}), ValueError);
}

TEST(RandomLayers, NoiseShapeAndChannelsShareOneDraw) {
  const CallOptions training{.training = true};
  const Tensor rows =
      Dropout(0.5, {.noise_shape = {None, 1}, .seed = 1})(ops::ones({40, 3}), training);
  const Tensor channels = SpatialDropout2D(0.5, {.data_format = "channels_first", .seed = 1})(
      ops::ones({10, 4, 1, 3}), training);
  for (const Tensor& t : {rows, channels}) {
    const std::vector<double> v = values(t);
    bool some_kept = false;
    bool some_dropped = false;
    for (size_t i = 0; i < v.size(); i += 3) {
      EXPECT_TRUE(v[i] == v[i + 1] && v[i] == v[i + 2]) << i;
      (v[i] == 0 ? some_dropped : some_kept) = true;
    }
    EXPECT_TRUE(some_kept && some_dropped);
  }
}

TEST(Lora, TrainsTheUpdateAndMergesWhenSaved) {
  Dense layer(2, {.use_bias = false});
  const Tensor x = Tensor::of<float>({1, 2, 3}, {1, 3});
  const Tensor before = layer(x);
  layer.enable_lora(1, {.lora_alpha = 2});
  EXPECT_EQ(values(layer(x)), values(before));  // one factor starts as zeros
  ASSERT_EQ(layer.trainable_variables().size(), 2U);
  EXPECT_EQ(layer.trainable_variables()[0].name(), "lora_kernel_a");
  EXPECT_EQ(layer.get_config()["lora_rank"], 1);
  EXPECT_EQ(layer.get_config()["lora_alpha"], 2);
  layer.trainable_variables()[1].assign(Tensor::of<float>({1, -1}, {1, 2}));
  const Tensor adapted = layer(x);
  EXPECT_NE(values(adapted), values(before));

  const VariableStore store = layer.save_own_variables();
  ASSERT_EQ(store.size(), 1U);
  Dense plain(2, {.use_bias = false});
  plain(x);
  plain.load_own_variables(store);
  for (size_t i = 0; i < 2; ++i) EXPECT_NEAR(values(plain(x))[i], values(adapted)[i], 1e-5);
  layer.load_own_variables(store);
  for (size_t i = 0; i < 2; ++i) EXPECT_NEAR(values(layer(x))[i], values(adapted)[i], 1e-5);

  EXPECT_THROW(layer.enable_lora(1), ValueError);
  EXPECT_THROW(Dense(2).enable_lora(1), ValueError);
  Dense constrained(2, {.kernel_constraint = "non_neg"});
  constrained(x);
  EXPECT_THROW(constrained.enable_lora(1), ValueError);
}

TEST(Quantization, Int8IsNearAndSurvivesSaving) {
  Dense layer(3, {.activation = "tanh", .bias_initializer = "ones"});
  const Tensor x = Tensor::of<float>({0.5F, -1, 2, 0.25F, 1, -0.5F}, {2, 3});
  const std::vector<double> before = values(layer(x));
  layer.quantize("int8");
  EXPECT_EQ(layer.dtype_policy().name, "int8_from_float32");
  const std::vector<double> after = values(layer(x));
  for (size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i], 0.05);
  EXPECT_NE(after, before);
  const Variables weights = layer.weights();
  ASSERT_EQ(weights.size(), 3U);
  EXPECT_EQ(weights[0].name(), "bias");
  EXPECT_EQ(weights[1].dtype(), DType::int8);
  EXPECT_EQ(weights[2].name(), "kernel_scale");

  const LayerPtr again = layer_from_config("Dense", layer.get_config());
  again->ensure_built({x.shape()});
  again->load_own_variables(layer.save_own_variables());
  EXPECT_EQ(values((*again)(x)), after);
  EXPECT_THROW(layer.quantize("int8"), ValueError);
  EXPECT_THROW(Dense(1).quantize("int8"), ValueError);
  EXPECT_THROW(Activation("relu").quantize("int8"), NotImplementedError);

  GradientTape tape;
  tape.watch(x);
  const Tensor gradient = tape.gradient(ops::sum(layer(x)), Tensors{x})[0];
  ASSERT_TRUE(gradient.defined());
  EXPECT_NE(values(gradient), std::vector<double>(6, 0.0));

  Embedding words(4, 3);
  const Tensor indices = Tensor::of<int32_t>({1, 3}, {1, 2});
  const std::vector<double> rows = values(words(indices));
  words.quantize("int8");
  const std::vector<double> near = values(words(indices));
  for (size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(near[i], rows[i], 0.001);
}

TEST(EmbeddingLayer, NamesAnIndexOfNoRow) {
  Embedding words(5, 2, {.embeddings_initializer = "ones"});
  EXPECT_EQ(words(Tensor::of<int32_t>({0, 4, -1, -5})).to_doubles(), std::vector<double>(8, 1.0));
  EXPECT_THROW(words(Tensor::of<int32_t>({0, 5})), IndexError);
  EXPECT_THROW(words(Tensor::of<int64_t>({-6, 1})), IndexError);
  EXPECT_THROW(words(Tensor::of<float>({7})), IndexError);
  EXPECT_EQ(words(Tensor::of<int32_t>({}, {0})).shape(), (Shape{0, 2}));
}

TEST(ReversibleEmbedding, GoesBothWays) {
  ReversibleEmbedding words(5, 3, {.logit_soft_cap = 2.0});
  const Tensor vectors = words(Tensor::of<int32_t>({1, 4}, {1, 2}));
  EXPECT_EQ(vectors.shape(), Shape({1, 2, 3}));
  const Tensor logits = words(vectors, {.arguments = {{"reverse", true}}});
  EXPECT_EQ(logits.shape(), Shape({1, 2, 5}));
  const Tensor table = words.weights()[0].stored();
  const double product = ops::sum(ops::square(ops::take(table, Tensor(4), 0))).item();
  EXPECT_NEAR(values(logits)[9], 2 * std::tanh(product / 2), 1e-6);
}

TEST(Lambda, IsARegisteredFunction) {
  register_lambda("twice", [](const Nest& x, const CallOptions&) { return x.tensor() * 2.0; });
  const Lambda layer("twice");
  const LayerPtr again = layer_from_config("Lambda", layer.get_config());
  EXPECT_EQ(values((*again)(Tensor::of<float>({1, 2}, {1, 2}))), (std::vector<double>{2, 4}));
  EXPECT_THROW(Lambda("no such function"), ValueError);
  const Json python = {
      {"name", "lambda"},
      {"function", {{"class_name", "__lambda__"}, {"config", {{"code", "4wEA"}}}}}};
  EXPECT_THROW(layer_from_config("Lambda", python), ValueError);
}

TEST(SpectralNormalization, ScalesTheKernelInTraining) {
  SpectralNormalization layer(Dense(3, {.use_bias = false}), {.power_iterations = 50});
  const Tensor x = ops::ones({2, 4});
  layer(x);
  layer(x, {.training = true});
  // The largest singular value is 1 now: another estimate changes nothing.
  const std::vector<double> kernel = values(layer.weights()[0].stored());
  layer(x, {.training = true});
  const std::vector<double> again = values(layer.weights()[0].stored());
  for (size_t i = 0; i < kernel.size(); ++i) EXPECT_NEAR(again[i], kernel[i], 1e-4);
  EXPECT_THROW(SpectralNormalization(Activation("relu"))(x), ValueError);
  EXPECT_THROW(SpectralNormalization(Dense(1), {.power_iterations = 0}), ValueError);
}

TEST(DTypePolicies, PerLayer) {
  const Dense layer(2, {.dtype = DTypePolicy("mixed_float16")});
  EXPECT_EQ(layer.compute_dtype(), DType::float16);
  EXPECT_EQ(layer.variable_dtype(), DType::float32);
  const DTypePolicy quantized = DTypePolicy("int8_from_mixed_bfloat16");
  EXPECT_EQ(DTypePolicy::deserialize(quantized.serialize()).name, quantized.name);
  EXPECT_EQ(quantized.source().name, "mixed_bfloat16");
  EXPECT_THROW(DTypePolicy("int8_from_float16"), ValueError);
  EXPECT_THROW(DTypePolicy("no_policy"), ValueError);
  EXPECT_EQ(Dense(1, {.dtype = "float64"})(ops::ones({1, 1})).dtype(), DType::float64);
}

// Keys and forms of Keras 3.15's configurations.
TEST(LayerConfigurations, AreKerass) {
  EXPECT_EQ(Discretization({.bin_boundaries = {{0.0, 1.0}}}).get_config()["dtype"], "float32");
  EXPECT_EQ(HashedCrossing(5).get_config()["dtype"], "int64");
  Json config = EinsumDense("ab,bc->ac", {3}).get_config();
  EXPECT_FALSE(config.contains("gptq_unpacked_column_size"));
  config["gptq_unpacked_column_size"] = 3;
  EXPECT_EQ(layer_from_config("EinsumDense", config)->get_config(), config);
}

TEST(LayerArguments, AreChecked) {
  EXPECT_THROW(Conv2DTranspose(1, 2, {.strides = 2, .output_padding = 2}), ValueError);
  EXPECT_THROW(Conv2D(1, 2, {.strides = 2, .dilation_rate = 2}), ValueError);
  EXPECT_THROW(DepthwiseConv2D(2, {.depth_multiplier = 0}), ValueError);
  EXPECT_THROW(Permute({1, 3}), ValueError);
  EXPECT_THROW(RepeatVector(0), ValueError);
  EXPECT_THROW(deserialize_layer({{"class_name", "RepeatVector"}, {"config", {{"n", 2.5}}}}),
               TypeError);
  EXPECT_THROW(deserialize_layer({{"class_name", "Dense"},
                                  {"config", {{"units", 2}, {"kernel_initializer", 3}}}}),
               ValueError);
  EXPECT_THROW(MaxPooling2D(PoolingOptions{.pool_size = 5})(ops::ones({1, 3, 3, 1})), ValueError);
  EXPECT_THROW(MaxPooling2D(PoolingOptions{.pool_size = 5})(Input({3, 3, 1})), ValueError);
  EXPECT_NO_THROW(
      MaxPooling2D(PoolingOptions{.pool_size = 5})(Input({Shape::kUnknown, Shape::kUnknown, 1})));
  EXPECT_THROW(Cropping1D({2, 3})(ops::ones({1, 5, 1})), ValueError);
  EXPECT_THROW(layer_from_config("Cropping1D", {{"cropping", Json::array({1})}}), ValueError);
  EXPECT_THROW(layer_from_config("ZeroPadding1D", {{"padding", Json::array({1})}}), ValueError);
  EXPECT_THROW(GroupQueryAttention(4, 2, 2, {.dropout = 1.5}), ValueError);
  EXPECT_THROW(ZeroPadding2D({.padding = {1, 2, 3}}), ValueError);
  EXPECT_THROW(UpSampling2D(2, {.interpolation = "cubic"}), ValueError);
  EXPECT_THROW(GroupNormalization(3)(ops::ones({1, 4})), ValueError);
  EXPECT_THROW(EinsumDense("ab,bc", {3})(ops::ones({1, 4})), ValueError);
  EXPECT_THROW(LeakyReLU(-1), ValueError);
  EXPECT_THROW(Dot({1, 2, 3}), ValueError);
  EXPECT_THROW(BatchNormalization(
                   {.renorm = true, .renorm_clipping = RenormClipping{.rmax = 1.0, .rmin = 2.0}}),
               ValueError);
}

}  // namespace
}  // namespace antler

// Keyword arguments of classes and functions, in any order. Each statement is one that Keras's own
// guides have, with the arguments where a Python programmer puts them.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/antler.h"

namespace antler {
namespace {

namespace schedules = optimizers::schedules;

TEST(Keywords, SetTheOptionsOfLayers) {
  const Dense dense(8, kw::name = "head", kw::activation = "relu", kw::use_bias = false,
                    kw::kernel_regularizer = regularizers::L2(1e-4));
  const Dense same(8, {.activation = "relu",
                       .use_bias = false,
                       .kernel_regularizer = regularizers::L2(1e-4),
                       .name = "head"});
  EXPECT_EQ(dense.get_config(), same.get_config());
  EXPECT_EQ(Dense(kw::units = 8, kw::name = "head").get_config().at("units"), 8);

  const Conv2D conv(8, {3, 3}, kw::padding = "same", kw::strides = {2, 1}, kw::name = "c");
  EXPECT_EQ(conv.get_config().at("padding"), "same");
  EXPECT_EQ(conv.get_config().at("strides"), Json({2, 1}));
  const MaxPooling2D pool({3, 2}, kw::padding = "same", kw::strides = 1, kw::name = "p");
  EXPECT_EQ(pool.get_config().at("pool_size"), Json({3, 2}));
  EXPECT_EQ(pool.get_config().at("strides"), Json({1, 1}));
}

TEST(Keywords, TakeValuesInBracesOfTheFieldsType) {
  const std::vector<std::string> words = {"a", "b"};
  EXPECT_EQ(StringLookup(kw::output_mode = "int", kw::vocabulary = words).get_vocabulary(),
            StringLookup(kw::vocabulary = {"a", "b"}).get_vocabulary());
  EXPECT_EQ(IntegerLookup(kw::num_oov_indices = 1, kw::vocabulary = {5, 7}).vocabulary_size(), 3);
  const LayerNormalization norm(kw::epsilon = 1e-6, kw::axis = {1, 2});
  EXPECT_EQ(norm.get_config().at("axis"), Json({1, 2}));
  EXPECT_EQ(LayerNormalization(kw::axis = 1).get_config().at("axis"), 1);
  const RandomZoom zoom({-0.2, 0.2}, kw::seed = 3, kw::fill_mode = "constant");
  EXPECT_EQ(zoom.get_config().at("fill_mode"), "constant");
  const Normalization all(kw::variance = 4.0, kw::mean = 1.0, kw::axis = None);
  EXPECT_FLOAT_EQ(all(Tensor(5.f)).item<float>(), 2);
}

TEST(Keywords, SetTheOptionsOfOptimizersLossesMetricsAndCallbacks) {
  EXPECT_EQ(optimizers::SGD(0.1, kw::nesterov = true, kw::momentum = 0.9).get_config(),
            optimizers::SGD(0.1, {.momentum = 0.9, .nesterov = true}).get_config());
  EXPECT_EQ(optimizers::Adam(kw::clipnorm = 1, kw::learning_rate = 0.5).get_config(),
            optimizers::Adam(0.5, {.clipnorm = 1}).get_config());
  const schedules::ExponentialDecay decay(kw::decay_rate = 0.5, kw::decay_steps = 10,
                                          kw::initial_learning_rate = 1);
  EXPECT_FLOAT_EQ(decay(Tensor(10.f)).item<float>(), 0.5);
  EXPECT_FLOAT_EQ(
      schedules::CosineDecay(1, kw::alpha = 0.1, kw::decay_steps = 4)(Tensor(9.f)).item<float>(),
      0.1F);
  EXPECT_THROW(schedules::ExponentialDecay(1, kw::decay_rate = 0.5), TypeError);
  EXPECT_THROW(schedules::ExponentialDecay(1, kw::initial_learning_rate = 0.5, kw::decay_steps = 1),
               TypeError);

  const losses::CategoricalCrossentropy loss(kw::label_smoothing = 0.1, kw::from_logits = true);
  EXPECT_GT(loss(Tensor({{0.f, 1.f}}), Tensor({{0.f, 100.f}})).item<float>(),
            4);  // 0 if it does not smooth
  EXPECT_EQ(metrics::AUC(kw::num_thresholds = 10, kw::name = "area").name(), "area");
  const metrics::Precision precision(kw::name = "p", kw::thresholds = {0.1, 0.2});
  EXPECT_EQ(precision.get_config().at("thresholds"), Json({0.1, 0.2}));
}

TEST(Keywords, OfAFunctionalModel) {
  const Tensor x = Input(kw::name = "x", kw::shape = {3});
  const Tensor y = Dense(2)(x);
  const Model model(kw::outputs = y, kw::inputs = x, kw::name = "m");
  EXPECT_EQ(model.name(), "m");
  EXPECT_EQ(model.input_names(), std::vector<std::string>{"x"});
  EXPECT_EQ(model.output_shape(), (Shape{None, 2}));
  EXPECT_EQ(Sequential({Dense(3)}, kw::name = "s").name(), "s");
}

// Adds a bias whose size the keywords of add_weight tell.
class Shift : public LayerBase<Shift> {
 public:
  void build(const Shape& input_shape) override {
    bias_ = add_weight(kw::name = "bias", kw::initializer = "ones", kw::shape = {input_shape[-1]},
                       kw::trainable = false);
  }
  Tensor call(const Tensor& x, bool training) override { return training ? x + bias_ : x; }

 private:
  Variable bias_;
};

TEST(Keywords, OfCallsAndWeights) {
  const Tensor x = ops::zeros({1, 2});
  const Shift shift;
  EXPECT_EQ(shift(x, kw::training = true).to_vector<float>(), (std::vector<float>{1, 1}));
  EXPECT_EQ(shift(x, kw::training = false).to_vector<float>(), (std::vector<float>{0, 0}));
  EXPECT_TRUE(shift.trainable_variables().empty());

  set_random_seed(1);
  const Tensor sequence = random::normal({1, 4, 3}, kw::stddev = 2, kw::seed = 1);
  const MultiHeadAttention attention(1, 2);
  const Tensor causal = attention(sequence, sequence, kw::use_causal_mask = true);
  const Tensor same =
      attention(sequence, sequence, {.arguments = {{"use_causal_mask", CallValue(true)}}});
  EXPECT_EQ(causal.to_vector<float>(), same.to_vector<float>());
  EXPECT_NE(causal.to_vector<float>(), attention(sequence, sequence).to_vector<float>());
  const GRU gru(2);
  const Tensor state = ops::ones({1, 2});
  EXPECT_EQ(gru(sequence, kw::initial_state = state).to_vector<float>(),
            gru(sequence, {.initial_state = state}).to_vector<float>());
}

TEST(Keywords, OfCallsOfLossesMetricsAndInitializers) {
  const Tensor y = {{1.0}, {2.0}};
  const Tensor weights = {1.0, 0.0};
  const losses::MeanSquaredError loss(kw::reduction = "sum");
  EXPECT_FLOAT_EQ(loss(y, y + 2, kw::sample_weight = weights).item<float>(), 4);
  metrics::Mean mean;
  mean.update_state({1.0, 3.0}, kw::sample_weight = weights);
  EXPECT_FLOAT_EQ(float(mean.result()), 1);
  metrics::MeanSquaredError error(kw::name = "error");
  error.update_state(y, y + 2, kw::sample_weight = weights);
  EXPECT_FLOAT_EQ(float(error.result()), 4);
  EXPECT_FLOAT_EQ(float(error(y, y)), 4.0F / 3);  // of both batches, whose weights are 1 and 2
  EXPECT_EQ(initializers::Ones()(kw::shape = {2}, kw::dtype = "int32").to_vector<int>(),
            (std::vector<int>{1, 1}));
  // By position and by name.
  EXPECT_THROW(initializers::Ones()({2}, kw::shape = {3}), TypeError);
  EXPECT_THROW(error.update_state(y, y, kw::y_pred = y), TypeError);
}

// The larger of precision and recall.
class Better : public MetricBase<Better> {
 public:
  Better() : MetricBase("better") {}
  void update_state(const Tensor& y_true, const Tensor& y_pred = {},
                    const Tensor& sample_weight = {}) override {
    precision_.update_state(y_true, y_pred, sample_weight);
    recall_.update_state(y_true, y_pred, sample_weight);
  }
  Nest result() const override {
    return ops::maximum(precision_.result().tensor(), recall_.result().tensor());
  }

 private:
  metrics::Precision precision_ = track(metrics::Precision());
  metrics::Recall recall_ = track(metrics::Recall());
};

TEST(Keywords, AMetricTracksTheMetricsThatItUses) {
  Better better;
  EXPECT_EQ(better.variables().size(), 4U);
  EXPECT_FLOAT_EQ(float(better(Tensor({1.0, 1.0, 0.0}), Tensor({1.0, 0.0, 0.0}))), 1);
  better.reset_state();
  EXPECT_FLOAT_EQ(float(better.result()), 0);

  Sequential model({Input({1}), Dense(1, kw::activation = "sigmoid")});
  model.compile(kw::loss = "mse", kw::metrics = {Better()});
  const HostLogs logs = model.evaluate(ops::ones({4, 1}), ops::ones({4, 1}), kw::verbose = 0);
  EXPECT_TRUE(logs.contains("better"));
}

// Workers are an argument of Keras's constructor.
class Batches : public utils::PyDataset {
 public:
  Batches() : PyDataset(kw::max_queue_size = 3, kw::workers = 2) {}
  int64_t size() const override { return 4; }
  Nest item(int64_t /*index*/) override { return Nest{ops::ones({2, 1}), ops::ones({2, 1})}; }
};

TEST(Keywords, OfAPyDataset) {
  Batches batches;
  EXPECT_EQ(batches.workers(), 2);
  EXPECT_EQ(batches.max_queue_size(), 3);
  Sequential model({Input({1}), Dense(1)});
  model.compile(kw::loss = "mse", kw::optimizer = "sgd");
  EXPECT_EQ(model.fit(batches, kw::epochs = 2, kw::verbose = 0).epoch.size(), 2U);
}

TEST(Keywords, OfOps) {
  const Tensor x = {{1.0, 2.0}, {3.0, 5.0}};
  EXPECT_EQ(ops::sum(x, kw::keepdims = true, kw::axis = 0).shape(), (Shape{1, 2}));
  EXPECT_EQ(ops::mean(x, kw::axis = {0, 1}).shape(), Shape{});
  EXPECT_EQ(ops::clip(x, kw::x_max = 3, kw::x_min = 2).to_vector<float>(),
            (std::vector<float>{2, 2, 3, 3}));
  EXPECT_THROW(ops::clip(x, kw::x_max = 3), TypeError);
  EXPECT_EQ(ops::sort(x, kw::descending = true, kw::axis = 0).to_vector<float>(),
            (std::vector<float>{3, 5, 1, 2}));
  EXPECT_EQ(ops::eye(2, kw::dtype = "int32", kw::k = 1).to_vector<int>(),
            (std::vector<int>{0, 1, 0, 0}));
  EXPECT_EQ(ops::flip(x, kw::axis = 1).to_vector<float>(), (std::vector<float>{2, 1, 5, 3}));
  EXPECT_EQ(ops::transpose(x, kw::axes = {1, 0}).to_vector<float>(),
            (std::vector<float>{1, 3, 2, 5}));
  EXPECT_EQ(random::randint({3}, kw::maxval = 5, kw::minval = 4).to_vector<int>(),
            (std::vector<int>{4, 4, 4}));
  const auto spectrum = ops::stft(ops::ones({16}), kw::fft_length = 8, kw::sequence_stride = 4,
                                  kw::sequence_length = 8);
  EXPECT_EQ(spectrum.real.shape()[-1], 5);
  EXPECT_EQ(random::uniform({3}, kw::seed = 1, kw::minval = 1, kw::maxval = 2).to_vector<float>(),
            random::uniform({3}, 1, 2, {.seed = 1}).to_vector<float>());
}

TEST(Keywords, OfFunctions) {
  const std::string path = testing::TempDir() + "keywords.keras";
  Sequential model({Input({3}), Dense(2)});
  model.compile(kw::loss = "mse", kw::optimizer = "sgd");
  model.fit(ops::ones({4, 3}), ops::ones({4, 2}), kw::verbose = 0);
  model.save(path, kw::include_optimizer = false, kw::overwrite = true);
  save_model(model, path, kw::include_optimizer = false, kw::overwrite = true);
  EXPECT_FALSE(load_model(path, kw::compile = false).compiled());
  Sequential wider({Input({3}), Dense(5)});
  const std::string weights = testing::TempDir() + "keywords.weights.h5";
  model.save_weights(weights, kw::overwrite = true);
  EXPECT_THROW(wider.load_weights(weights), ValueError);
  EXPECT_NO_THROW(wider.load_weights(weights, kw::by_name = false, kw::skip_mismatch = true));
  EXPECT_EQ(
      layers::concatenate({ops::ones({2, 3}), ops::ones({2, 3})}, kw::name = "c", kw::axis = 0)
          .shape(),
      (Shape{4, 3}));
  EXPECT_FALSE(load_model(path, kw::compile = false, kw::custom_objects = {}).compiled());
  EXPECT_EQ(ops::sum(ops::ones({2, 3}), kw::axis = 1).shape(), (Shape{2}));
  EXPECT_EQ(utils::pad_sequences({{1, 2}, {3}}, kw::padding = "post", kw::maxlen = 3)
                .to_vector<int32_t>(),
            (std::vector<int32_t>{1, 2, 0, 3, 0, 0}));
  const auto windows = utils::timeseries_dataset_from_array(
      ops::ones({6, 1}), ops::ones({6}), kw::batch_size = 2, kw::sequence_length = 3);
  EXPECT_EQ(windows.cardinality(), 2);
}

TEST(Keywords, AfterAFirstArgument) {
  EXPECT_EQ(FeatureSpace::cross({"age", "city"}, kw::crossing_dim = 32).crossing_dim, 32);
  EXPECT_EQ(FeatureSpace::cross({"age", "city"}, kw::output_mode = "int", kw::crossing_dim = 8)
                .output_mode,
            "int");
  EXPECT_EQ(FeatureSpace::string_hashed(16, kw::output_mode = "int").output_mode, "int");

  const data::Dataset rows = data::Dataset::range(10);
  EXPECT_EQ(rows.batch(4, true).cardinality(), 2);
  EXPECT_EQ(rows.batch(4, false).cardinality(), 3);

  Dense layer(2, kw::kernel_initializer = "ones", kw::use_bias = false);
  const Tensor x = ops::ones({1, 3});
  layer(x);
  EXPECT_FALSE(layer.lora_enabled());
  layer.enable_lora(2, kw::b_initializer = "ones", kw::a_initializer = "ones", kw::lora_alpha = 4);
  EXPECT_EQ(layer.lora_rank(), 2);
  EXPECT_TRUE(layer.lora_enabled());
  EXPECT_EQ(layer(x).to_doubles()[0],
            3 + 4.0 / 2 * 3 * 2);  // x @ kernel + alpha / rank * x @ a @ b

  const Quantized columns =
      quantizers::abs_max_quantize(Tensor({{1.0, -1.0}, {0.25, 4.0}}), kw::axis = 0);
  EXPECT_EQ(columns.values.to_doubles(), (std::vector<double>{127, -32, 32, 127}));
  EXPECT_EQ(columns.scale.shape(), (Shape{1, 2}));
  EXPECT_THROW(quantizers::abs_max_quantize(x, kw::value_range = {1.0}), ValueError);
}

TEST(Keywords, OfLossAndMetricFunctions) {
  const Tensor t({{0.0, 1.0}});
  const Tensor logits({{0.5, 2.0}});
  const auto same = [](const Tensor& a, const Tensor& b) {
    return a.to_doubles() == b.to_doubles();
  };
  EXPECT_TRUE(same(
      losses::categorical_crossentropy(t, logits, kw::label_smoothing = 0.1,
                                       kw::from_logits = true),
      losses::categorical_crossentropy(t, logits, {.from_logits = true, .label_smoothing = 0.1})));
  EXPECT_TRUE(
      same(losses::binary_focal_crossentropy(t, logits, kw::gamma = 3, kw::from_logits = true),
           losses::binary_focal_crossentropy(t, logits, {.gamma = 3, .from_logits = true})));
  EXPECT_TRUE(same(losses::tversky(t, t, kw::beta = 0.7, kw::alpha = 0.3),
                   losses::tversky(t, t, 0.3, 0.7)));
  EXPECT_TRUE(
      same(utils::normalize(logits, kw::order = 1, kw::axis = 1), utils::normalize(logits, 1, 1)));
  EXPECT_TRUE(same(ops::round(logits + 0.123, kw::decimals = 1), ops::round(logits + 0.123, 1)));
  EXPECT_TRUE(
      same(ops::searchsorted(Tensor({1, 2, 3}), Tensor({2}), kw::side = "right"), Tensor({2})));
  EXPECT_TRUE(same(
      ops::extract_sequences(Tensor({1, 2, 3}), kw::sequence_stride = 1, kw::sequence_length = 2),
      Tensor({{1, 2}, {2, 3}})));
  const Tensor grid = ops::meshgrid({Tensor({1, 2}), Tensor({3})}, kw::indexing = "ij")[0];
  EXPECT_EQ(grid.shape(), (Shape{2, 1}));

  const auto [total, sums] =
      ops::scan([](const Tensor& sum, const Tensor& x) { return std::pair(sum + x, sum + x); },
                Tensor(0), Tensor({1, 2, 3}), kw::reverse = true, kw::length = 3);
  EXPECT_EQ(total.item(), 6);
  EXPECT_TRUE(same(sums, Tensor({6, 5, 3})));
  EXPECT_TRUE(same(ops::associative_scan([](const Tensor& a, const Tensor& b) { return a + b; },
                                         Tensor({1, 2, 3}), kw::reverse = true, kw::axis = 0),
                   Tensor({6, 5, 3})));
}

TEST(Keywords, OfDataAndVocabularies) {
  const auto drawn = [](const data::Dataset& rows) {
    std::vector<double> order;
    for (const Nest& element : rows) order.push_back(element.tensor().item());
    return order;
  };
  const data::Dataset rows = data::Dataset::range(20);
  EXPECT_EQ(drawn(rows.shuffle(20, 7)), drawn(rows.shuffle(20, kw::seed = 7)));
  EXPECT_NE(drawn(rows.shuffle(20, 7)), drawn(rows.shuffle(20, 8)));

  StringLookup lookup(kw::vocabulary = {"a", "b"});
  EXPECT_EQ(lookup.get_vocabulary(kw::include_special_tokens = false),
            (std::vector<std::string>{"a", "b"}));
  Normalization normalization;
  normalization.adapt(data::Dataset::from_tensor_slices(Tensor({{1.0}, {3.0}, {100.0}})).batch(2),
                      kw::steps = 1);
  EXPECT_EQ(normalization.mean().item(), 2);
}

}  // namespace
}  // namespace antler

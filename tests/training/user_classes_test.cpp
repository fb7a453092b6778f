// What programs define or combine themselves: masks, losses of models, functions with names, layers
// on sequences of unknown length, results of several tensors.
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/antler.h"

namespace antler {
namespace {

class OwnLoss : public Model {
 public:
  OwnLoss() : Model(kw::name = "own_loss") {}
  Tensor call(const Tensor& x) override { return dense_(x); }
  Tensor compute_loss(const Nest&, const Nest& y, const Nest& y_pred, const Nest&, bool) override {
    return ops::mean(ops::abs(y.tensor() - y_pred.tensor()));
  }

 private:
  Dense dense_ = track("dense", Dense(1));
};

TEST(UserClasses, TheLossOfAnOverrideIsInTheLogs) {
  const Tensor x = ops::ones({8, 3});
  const Tensor y = ops::zeros({8, 1});
  OwnLoss model;
  EXPECT_EQ(model.name(), "own_loss");
  model.compile(kw::optimizer = "sgd", kw::metrics = {"mae"});
  const History history =
      model.fit(x, y, kw::validation_data = {x, y}, kw::epochs = 2, kw::verbose = 0);
  for (const char* prefix : {"", "val_"}) {
    const std::string before = prefix;
    EXPECT_NEAR(history.history.at(before + "loss")[0], history.history.at(before + "mae")[0],
                1e-6);
  }
  const HostLogs logs = model.evaluate(x, y, kw::verbose = 0);
  EXPECT_NEAR(logs.at("loss"), logs.at("mae"), 1e-6);
  EXPECT_EQ(logs.size(), 2U);
}

class OwnTracker : public OwnLoss {
 public:
  Tensor compute_loss(const Nest& x, const Nest& y, const Nest& y_pred, const Nest& sample_weight,
                      bool training) override {
    Tensor loss = OwnLoss::compute_loss(x, y, y_pred, sample_weight, training);
    tracker_.update_state(3.0 * loss);
    return loss;
  }

 private:
  metrics::Mean tracker_ = track("loss", metrics::Mean("loss"));
};

TEST(UserClasses, ATrackerOfTheModelNamedLossIsTheOnlyOne) {
  OwnTracker model;
  model.compile(kw::optimizer = "sgd", kw::metrics = {"mae"});
  const HostLogs logs = model.evaluate(ops::ones({8, 3}), ops::zeros({8, 1}), kw::verbose = 0);
  EXPECT_NEAR(logs.at("loss"), 3 * logs.at("mae"), 1e-5);
  EXPECT_EQ(logs.size(), 2U);
}

/// Token and position embeddings of sequences of any length, then a feed-forward part.
class TokenBlock : public LayerBase<TokenBlock> {
 public:
  Tensor call(const Tensor& tokens) override {
    const Tensor x = tokens_(tokens) + positions_(ops::arange(ops::shape(tokens)[-1]));
    return norm_(x + feed_forward_(x));
  }
  Sequential feed_forward() const { return feed_forward_; }

 private:
  Embedding tokens_ = track("tokens", Embedding(10, kw::output_dim = 4));
  Embedding positions_ = track("positions", Embedding(100, 4));
  Sequential feed_forward_ = track("feed_forward", Sequential({Dense(8, "relu"), Dense(4)}));
  LayerNormalization norm_ = track("norm", LayerNormalization());
};

TEST(UserClasses, ALayerWithASequentialWorksForAnyLength) {
  const Tensor inputs = Input({None}, kw::dtype = "int32");
  TokenBlock block;
  const Model model(inputs, Dense(3)(block(inputs)));
  EXPECT_EQ(model.output_shape(), Shape({-1, -1, 3}));
  EXPECT_EQ(block.feed_forward().input_shape(), Shape({-1, -1, 4}));
  for (const int64_t length : {5, 7})
    EXPECT_EQ(model(ops::ones({2, length}, "int32")).shape(), Shape({2, length, 3}));
}

TEST(UserClasses, ASequentialBuiltByACallTakesOtherLengths) {
  const Sequential model({Dense(3), Dense(2)});
  EXPECT_EQ(model(ops::ones({2, 5, 4})).shape(), Shape({2, 5, 2}));
  EXPECT_EQ(model(ops::ones({3, 7, 4})).shape(), Shape({3, 7, 2}));
  EXPECT_THROW(model(ops::ones({3, 7, 5})), ValueError);
  EXPECT_THROW(model(ops::ones({3, 4})), ValueError);
}

Tensor snake(const Tensor& x) { return x + ops::square(ops::sin(x)); }
Tensor cubic(const Tensor& y_true, const Tensor& y_pred) {
  return ops::mean(ops::abs(ops::power(y_true - y_pred, 3.0)), -1);
}

TEST(UserClasses, FunctionsWithRegisteredNamesComeBackFromFiles) {
  register_keras_serializable("tests", "snake", snake);
  register_keras_serializable("tests", "cubic", cubic);
  Sequential model({Input({3}), Dense(4, kw::activation = snake), Activation(snake), Dense(1)});
  EXPECT_EQ(model.layers()[0]->get_config().at("activation").at("config"), "tests>snake");
  const std::string path = testing::TempDir() + "user_functions.keras";
  model.save(path);
  const Tensor x = random::normal({5, 3}, kw::seed = 1);
  EXPECT_EQ(load_model(path)(x).to_vector<float>(), model(x).to_vector<float>());
  const Loss loss = losses::get("tests>cubic");
  EXPECT_FLOAT_EQ(float(loss(ops::zeros({2, 1}), 2.0 * ops::ones({2, 1}))), 8.0F);
}

TEST(UserClasses, AModelFromJsonTakesClassesByKeyword) {
  struct Twice : LayerBase<Twice> {
    Tensor call(const Tensor& x) override { return 2.0 * x; }
    static Twice from_config(const Json&) { return {}; }
  };
  const Tensor inputs = Input({3});
  const Model model(inputs, Twice()(inputs));
  const Model copy =
      model_from_json(model.to_json(), kw::custom_objects = {{"Twice", Twice::from_config}});
  EXPECT_EQ(copy(ops::ones({1, 3})).to_vector<float>(), (std::vector<float>{2, 2, 2}));
  const Model other = model_from_config(Json::parse(model.to_json()),
                                        kw::custom_objects = {{"Twice", Twice::from_config}});
  EXPECT_EQ(other.layers().size(), 2U);
}

TEST(UserClasses, AModelQuantizesItself) {
  Sequential model({Input({8}), Dense(16, kw::name = "first"), Dense(4, kw::name = "second")});
  model.compile("sgd", "mse");
  const Tensor x = random::normal({6, 8}, kw::seed = 1);
  const Tensor before = model.predict(x, kw::verbose = 0);
  model.quantize("int8", kw::filters = {"first"});
  EXPECT_EQ(model.get_layer("first")->quantization_mode(), "int8");
  EXPECT_EQ(model.get_layer("second")->quantization_mode(), "");
  const Tensor after = model.predict(x, kw::verbose = 0);  // without compiling again
  EXPECT_EQ(after.to_vector<float>(), model(x).to_vector<float>());
  EXPECT_NE(after.to_vector<float>(), before.to_vector<float>());
  EXPECT_LT(float(ops::max(ops::abs(after - before))), 0.1F);
  model.get_layer("second")->quantize("int8");

  Sequential whole({Input({8}), Dense(4)});
  whole.quantize("int8");
  EXPECT_EQ(whole.layers()[0]->quantization_mode(), "int8");
  EXPECT_THROW(whole.quantize("int3"), ValueError);
}

TEST(UserClasses, SecondArgumentsByKeyword) {
  const Tensor x = ops::ones({2, 3, 4});
  EXPECT_EQ(MultiHeadAttention(2, kw::key_dim = 3)(x, x).shape(), Shape({2, 3, 4}));
  EXPECT_EQ(
      EinsumDense("abc,cd->abd", kw::output_shape = {None, 5}, kw::bias_axes = "d")(x).shape(),
      Shape({2, 3, 5}));
  EXPECT_EQ(metrics::IoU(2, kw::target_class_ids = {0}).name(), "io_u");
  EXPECT_THROW(Embedding(3, kw::input_dim = 4), TypeError);
}

TEST(UserClasses, AttentionScoresAreTheSecondResult) {
  const Tensor x = random::normal({2, 3, 4}, kw::seed = 1);
  MultiHeadAttention attention(2, 3);
  const auto [output, scores] = attention(x, x, kw::return_attention_scores = true);
  EXPECT_EQ(output.shape(), Shape({2, 3, 4}));
  EXPECT_EQ(scores.shape(), Shape({2, 2, 3, 3}));
  const Tensor alone = attention(x, x, kw::return_attention_scores = false);
  EXPECT_LT(float(ops::max(ops::abs(alone - output.tensor()))), 1e-5F);
}

class TemporalSoftmax : public LayerBase<TemporalSoftmax> {
 public:
  Tensor call(const Tensor& inputs, const Tensor& mask) override {
    const Tensor kept = ops::cast(ops::expand_dims(mask, -1), "float32");  // throws without a mask
    const Tensor exponentials = ops::exp(inputs) * kept;
    return exponentials / ops::sum(exponentials, kw::axis = 1, kw::keepdims = true);
  }
};

class KeepFirst : public LayerBase<KeepFirst> {
 public:
  explicit KeepFirst(int64_t steps) : steps_(steps) { set_supports_masking(true); }
  Tensor call(const Tensor& inputs) override { return inputs[{Slice(), Slice(steps_)}]; }
  Tensor compute_mask(const Tensor&, const Tensor& mask) override {
    return mask.defined() ? mask[{Slice(), Slice(steps_)}] : mask;
  }

 private:
  int64_t steps_;
};

TEST(UserClasses, PlaceholdersCarryMasks) {
  for (const int64_t steps : {int64_t{6}, Shape::kUnknown}) {
    const Tensor tokens = Input({steps}, kw::dtype = "int32");
    Tensor x = Embedding(10, 4, kw::mask_zero = true)(tokens);
    x = Dense(1)(KeepFirst(3)(x));
    const Model model(tokens, TemporalSoftmax()(x));
    const Tensor y = model(Tensor({{1, 2, 0, 0, 0, 0}, {1, 2, 3, 4, 5, 6}}));
    EXPECT_EQ(y.shape(), Shape({2, 3, 1}));
    EXPECT_EQ(y.to_vector<float>()[2], 0);
    EXPECT_GT(y.to_vector<float>()[5], 0);
  }
}

TEST(UserClasses, FScoresOfWeightedRows) {
  // As in Keras 3.15: a weight per row counts that row; micro does not broadcast it over others.
  Sequential model({Input({2}), Activation("linear")});
  model.compile(kw::loss = "mse", kw::weighted_metrics = {metrics::F1Score(kw::average = "micro",
                                                                           kw::threshold = 0.5)});
  const Tensor x = Tensor({{1.0, 0.0}, {1.0, 1.0}, {0.0, 1.0}});
  const Tensor y = Tensor({{1.0, 0.0}, {0.0, 1.0}, {1.0, 0.0}});
  const HostLogs logs =
      model.evaluate(x, y, kw::sample_weight = Tensor({1.0, 2.0, 3.0}), kw::verbose = 0);
  // True positives 1 + 2, false positives 2 + 3, false negatives 3.
  EXPECT_NEAR(logs.at("f1_score"), 2 * 3.0 / (2 * 3.0 + 5 + 3), 1e-6);
}

TEST(UserClasses, InputsByName) {
  const Tensor q = random::normal({2, 3, 4}, kw::seed = 1);
  const Tensor v = random::normal({2, 5, 4}, kw::seed = 2);
  MultiHeadAttention attention(2, 3);
  const auto expected = attention(q, v, v).to_vector<float>();
  EXPECT_EQ(attention(q, kw::value = v).to_vector<float>(), expected);
  EXPECT_EQ(attention(q, kw::key = v, kw::value = v).to_vector<float>(), expected);
  const Tensor placeholder = Input({3, 4});
  const Model model(placeholder, attention(placeholder, kw::value = placeholder));
  EXPECT_LT(float(ops::max(ops::abs(model(q) - attention(q, q)))), 1e-5F);
  const Tensor counts = CategoryEncoding(4, kw::output_mode = "count")(
      Tensor({{2, 2, 0}}), kw::count_weights = Tensor({{0.5, 1.0, 3.0}}));
  EXPECT_EQ(counts.to_vector<float>(), (std::vector<float>{3, 0, 1.5, 0}));
}

TEST(UserClasses, FunctionsReturnPairsAndTuples) {
  const auto both = tf::function([](const Tensor& x) { return std::pair(x + 1.0, 2.0 * x); });
  const auto [sum, product] = both(Tensor(3.0));
  EXPECT_EQ(sum.item(), 4);
  EXPECT_EQ(product.to_vector<float>(), (std::vector<float>{6}));
  const auto three = tf::function([](const Tensor& x) { return std::tuple(x, -x, Nest{x, x}); });
  const Nest results = three(Tensor(1.0));
  EXPECT_EQ(results.structure(), "[*, *, [*, *]]");
  EXPECT_EQ(results[1].item<int>(), -1);
  EXPECT_THROW(results.to_vector<float>(), TypeError);
}

TEST(UserClasses, SummariesGoToAFunction) {
  const Sequential model({Input({3}), Dense(1)});
  std::string text;
  model.summary(kw::print_fn = [&](const std::string& line) { text += line + "\n"; });
  EXPECT_NE(text.find("Total params: 4"), std::string::npos) << text;
}

TEST(UserClasses, TensorsAreConcatenatedWithoutANamespace) {
  const Tensor a = Input({2});
  const Tensor b = Input({3});
  const Model model(kw::inputs = {a, b}, kw::outputs = concatenate({a, b}));
  EXPECT_EQ(model.output_shape(), Shape({-1, 5}));
}

class AutocastProbe : public LayerBase<AutocastProbe> {
 public:
  explicit AutocastProbe(const LayerOptions& options = {}) : LayerBase(options) {}
  ANTLER_KEYWORD_CONSTRUCTOR(AutocastProbe, LayerOptions)
  void build(const Shape& input) override {
    scale_ = add_weight(kw::name = "scale", kw::shape = {input[-1]}, kw::initializer = "ones");
    exact_ = add_weight(kw::name = "exact", kw::shape = {}, kw::autocast = false);
  }
  Tensor call(const Tensor& x) override {
    dtypes_ = {x.dtype(), value_of(scale_).dtype(), value_of(exact_).dtype()};
    return x;
  }
  const std::vector<DType>& dtypes() const { return dtypes_; }

 private:
  Variable scale_;
  Variable exact_;
  std::vector<DType> dtypes_;
};

TEST(UserClasses, AutocastOfInputsAndWeights) {
  using enum DType;
  const Tensor x = ops::ones({4, 3});
  AutocastProbe casts(kw::dtype = "mixed_bfloat16");
  casts(x);
  EXPECT_EQ(casts.dtypes(), (std::vector<DType>{bfloat16, bfloat16, float32}));
  AutocastProbe keeps(kw::dtype = "mixed_bfloat16", kw::autocast = false);
  keeps(x);
  EXPECT_EQ(keeps.dtypes()[0], float32);
}

TEST(UserClasses, NoneInANoiseShapeIsTheInputsSize) {
  const Dropout dropout(0.5, kw::noise_shape = {None, 1}, kw::seed = 3);
  EXPECT_EQ(dropout.get_config()["noise_shape"].dump(), "[null,1]");
  const Tensor rows = dropout(ops::ones({16, 4}), kw::training = true);
  EXPECT_EQ(ops::min(rows, kw::axis = 1).to_vector<float>(),
            ops::max(rows, kw::axis = 1).to_vector<float>());
}

/// Not registered, so it can be cloned but not loaded.
class PlainShift : public LayerBase<PlainShift> {
 public:
  explicit PlainShift(double by, const LayerOptions& options = {}) : LayerBase(options), by_(by) {}
  Tensor call(const Tensor& x) override { return x + by_; }
  Json get_config() const override {
    Json config = LayerBase::get_config();
    config["by"] = by_;
    return config;
  }
  static PlainShift from_config(const Json& config) {
    return PlainShift(config.at("by").get<double>());
  }

 private:
  double by_;
};

/// Has the `from_config` of its base, which makes objects of the base.
class DoubledShift : public LayerBase<DoubledShift, PlainShift> {
 public:
  explicit DoubledShift(double by) : LayerBase(by) {}
  Tensor call(const Tensor& x) override { return PlainShift::call(x) * 2.0; }
};

TEST(UserClasses, ClonesAreNeverOfABaseClass) {
  const Sequential model({Input({2}), DoubledShift(3)});
  EXPECT_THROW(clone_model(model), TypeError);
}

TEST(UserClasses, ClonesUseTheClassesOwnFromConfig) {
  const Tensor x = Input({2});
  const Model functional({x}, Dense(1)(PlainShift(3)(x)));
  const Sequential sequential({Input({2}), PlainShift(3), Dense(1)});
  const Tensor data = ops::ones({4, 2});
  Model functional_copy = clone_model(functional);
  functional_copy.set_weights(functional.get_weights());
  EXPECT_EQ(functional_copy(data).to_vector<float>(), functional(data).to_vector<float>());
  Sequential sequential_copy = clone_model(sequential);
  sequential_copy.set_weights(sequential.get_weights());
  EXPECT_EQ(sequential_copy(data).to_vector<float>(), sequential(data).to_vector<float>());
  EXPECT_THROW(layers::deserialize(layers::serialize(PlainShift(3))), TypeError);
}

TEST(UserClasses, ClonesOfModels) {
  Sequential model({Input({4}), Dense(3, kw::activation = "relu", kw::name = "first"),
                    Dropout(0.5, kw::name = "drop"), Dense(1, kw::name = "last")});
  model.compile("sgd", "mse");
  const Tensor x = random::normal({6, 4}, kw::seed = 1);
  const Sequential copy = clone_model(model);
  EXPECT_TRUE(copy.compiled());  // as in Keras 3.15
  EXPECT_FALSE(copy.weights()[0] == model.weights()[0]);

  // Another rate; all other layers are shared.
  const Sequential gentle = clone_model(
      model, kw::clone_function = [](const Layer& layer) -> LayerHandle {
        if (dynamic_cast<const Dropout*>(&layer) != nullptr) return Dropout(0.1);
        return layer;
      });
  EXPECT_EQ(gentle.layers()[1]->get_config()["rate"], 0.1);
  EXPECT_TRUE(gentle.weights()[0] == model.weights()[0]);
  EXPECT_EQ(gentle(x).to_vector<float>(), model(x).to_vector<float>());
  EXPECT_THROW(clone_model(
                   model, kw::call_function =
                              [](const Layer& layer, const Nest& inputs,
                                 const CallOptions& options) { return layer(inputs, options); }),
               ValueError);
}

TEST(UserClasses, ClonesOfFunctionalModels) {
  const Tensor a = Input({4}, kw::name = "a");
  const Tensor b = Input({4}, kw::name = "b");
  Dense shared(3, kw::name = "shared");
  Sequential inner({Input({3}), Dense(2, kw::name = "deep")}, "inner");
  const Model model(kw::inputs = {a, b}, kw::outputs = inner(shared(a) + shared(b)));
  const Tensor x = random::normal({6, 4}, kw::seed = 1);

  // On other inputs, with all weights shared.
  const auto same = [](const Layer& layer) -> LayerHandle { return layer; };
  const Tensor c = Input({4});
  const Model on_one =
      clone_model(model, kw::input_tensors = {c, c * 2.0}, kw::clone_function = same);
  EXPECT_EQ(on_one(Nest{x, 2.0 * x}).tensor().to_vector<float>(),
            model(Nest{x, 2.0 * x}).tensor().to_vector<float>());
  EXPECT_THROW(clone_model(model, kw::input_tensors = c), ValueError);

  std::vector<std::string> cloned;
  const auto note = [&](const Layer& layer) -> LayerHandle {
    cloned.push_back(layer.name());
    return layers::deserialize(layers::serialize(layer));
  };
  clone_model(model, kw::clone_function = note);
  EXPECT_EQ(cloned, (std::vector<std::string>{"shared", "inner"}));
  cloned.clear();
  clone_model(model, kw::clone_function = note, kw::recursive = true);
  EXPECT_EQ(cloned, (std::vector<std::string>{"shared", "deep"}));

  // A layer after each Dense.
  const Model longer = clone_model(
      model, kw::clone_function = same,
      kw::call_function = [](const Layer& layer, const Nest& inputs, const CallOptions& options) {
        const Nest result = layer(inputs, options);
        return layer.class_name() == "Dense" ? Nest(Activation("tanh")(result.tensor())) : result;
      });
  const Tensor hidden = ops::tanh(shared(x)) + ops::tanh(shared(x));
  EXPECT_LT(float(ops::max(ops::abs(longer(Nest{x, x}).tensor() - inner(hidden)))), 1e-6F);
}

TEST(UserClasses, ArgumentsByTheirKerasNames) {
  const Variable v(Tensor(2.0));
  const Variable unused(Tensor(1.0));
  GradientTape tape;
  const Tensor y = v * v;
  EXPECT_EQ(tape.gradient(y, unused, kw::unconnected_gradients = UnconnectedGradients::zero).item(),
            0);
  const Tensor images = random::uniform({1, 8, 8, 3});
  EXPECT_EQ(
      ops::image::gaussian_blur(images, kw::kernel_size = {3, 5}, kw::sigma = {1.0, 0.5}).shape(),
      images.shape());
  EXPECT_EQ(utils::img_to_array(ops::ones({2, 3, 3}), kw::dtype = "float16").dtype(),
            DType::float16);
  const data::Dataset windows =
      utils::timeseries_dataset_from_array(ops::ones({10, 2}), None, kw::sequence_length = 4);
  for (const Nest& batch : windows) EXPECT_EQ(batch.tensor().shape(), Shape({7, 4, 2}));
  TextVectorization words(kw::output_sequence_length = 3);
  words.adapt({"a red fox", "a fox"});
  EXPECT_EQ(words({"fox a", "red"}).shape(), Shape({2, 3}));
  const auto [re, im] = ops::fft(std::pair(ops::ones({4}), ops::zeros({4})));
  EXPECT_EQ(re.tensor().to_vector<float>()[0], 4);
  EXPECT_EQ(im.to_vector<float>()[0], 0);
}

TEST(UserClasses, ProductsOfBooleansAreTraced) {
  const auto product =
      tf::function([](const Tensor& a, const Tensor& b) { return ops::matmul(a, b); });
  const Tensor a = Tensor({{true, false, true}, {false, false, false}});
  const Tensor b = Tensor({{true, false}, {true, true}, {true, false}});
  EXPECT_EQ(product(a, b).tensor().to_doubles(), (std::vector<double>{1, 0, 0, 0}));
}

TEST(UserClasses, SpectrogramsNeedAFrameStep) {
  EXPECT_THROW(STFTSpectrogram(kw::frame_length = 1, kw::padding = "same"), ValueError);
}

}  // namespace
}  // namespace antler

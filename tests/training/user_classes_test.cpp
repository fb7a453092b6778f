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

}  // namespace
}  // namespace antler

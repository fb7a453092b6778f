// The members that `build` and `call` of a user's layer set, seen through the user's variables.
#include <memory>

#include <gtest/gtest.h>

#include "antler/antler.h"

namespace antler {
namespace {

class Gain : public LayerBase<Gain> {
 public:
  explicit Gain(double start = 1) : start(start) {}
  void build(const Shape& input) override {
    factor = add_weight(
        {.shape = {input.back()}, .initializer = initializers::Constant(start), .name = "factor"});
  }
  Tensor call(const Tensor& x) override { return x * factor; }

  double start;
  Variable factor;
};

TEST(LayerMembers, OfAVariableInAList) {
  Gain gain(2);
  Sequential model({Input({3}), gain, Dense(1)});
  ASSERT_TRUE(gain.factor.defined());
  model.compile("sgd", "mse");
  model.fit(ops::ones({8, 3}), ops::zeros({8, 1}), kw::verbose = 0);
  EXPECT_NE(gain.factor.value().to_vector<float>(), (std::vector<float>{2, 2, 2}));
  EXPECT_EQ(gain.factor.value().to_vector<float>(), model.get_weights()[0].to_vector<float>());
}

TEST(LayerMembers, OfAVariableInAListThatIsBuiltLater) {
  Gain gain;
  Sequential model({gain, Dense(1)});
  EXPECT_FALSE(gain.factor.defined());
  gain.start = 3;  // not too late
  model(ops::ones({8, 3}));
  EXPECT_EQ(gain.factor.value().to_vector<float>(), (std::vector<float>{3, 3, 3}));
}

TEST(LayerMembers, OfAVariableInAFunctionalModel) {
  Gain gain;
  const Tensor x = Input({3});
  const Model model(x, gain(x));
  model.predict(ops::ones({2, 3}));
  EXPECT_EQ(gain.factor.shape(), Shape({3}));
}

TEST(LayerMembers, OfAPointerInAList) {
  const auto gain = std::make_shared<Gain>();
  const Sequential model({Input({3}), gain});
  EXPECT_EQ(gain->factor.shape(), Shape({3}));
}

TEST(LayerMembers, OfTheFirstVariableThatLives) {
  const auto model_of = [] {
    Gain gain;
    return Sequential({gain});
  };
  Sequential model = model_of();
  EXPECT_EQ(model(ops::ones({2, 3})).shape(), Shape({2, 3}));

  Gain first;
  Gain second = first;
  second(ops::ones({2, 3}));
  EXPECT_TRUE(second.factor.defined());
  EXPECT_EQ(first(ops::ones({2, 3})).shape(), Shape({2, 3}));

  const Gain constant;
  constant(ops::ones({2, 3}));
  EXPECT_FALSE(constant.factor.defined());
  EXPECT_EQ(constant.weights().size(), 1u);
}

TEST(LayerMembers, OfAVariableThatGetsAnotherLayer) {
  Gain gain(2);
  Sequential model({gain});
  gain = Gain(5);
  model(ops::ones({2, 3}));
  EXPECT_FALSE(gain.factor.defined());
  gain(ops::ones({2, 3}));
  EXPECT_EQ(gain.factor.value().to_vector<float>(), (std::vector<float>{5, 5, 5}));
  EXPECT_EQ(model.get_weights()[0].to_vector<float>(), (std::vector<float>{2, 2, 2}));
}

/// Makes a layer in build() and uses it in train_step().
class Headed : public LayerBase<Headed, Model> {
 public:
  void build(const Shape&) override { head = track("head", Dense(1)); }
  Tensor call(const Tensor& x) override { return head(gain(x)); }
  Logs train_step(const Batch& batch) override {
    GradientTape tape;
    const Tensor output = (*this)(batch.x.tensor(), {.training = true});
    const Tensor loss = compute_loss(batch.x, batch.y, output) + ops::sum(head.kernel()) * 0;
    optimizer().apply_gradients(tape.gradient(loss, trainable_variables()), trainable_variables());
    return {{"loss", loss}};
  }

  Gain gain = track("gain", Gain());
  Dense head;
};

TEST(LayerMembers, OfAModelThatMakesLayersInBuild) {
  Headed model;
  model.compile("sgd", "mse");
  model.fit(ops::ones({8, 3}), ops::zeros({8, 1}), kw::verbose = 0);
  EXPECT_EQ(model.head.kernel().shape(), Shape({3, 1}));
  EXPECT_EQ(model.gain.factor.value().to_vector<float>(),
            model.get_weights()[0].to_vector<float>());
}

/// Without a train_step of its own.
class Gained : public LayerBase<Gained, Model> {
 public:
  Tensor call(const Tensor& x) override { return head(gain(x)); }
  Gain gain;
  Dense head{1};
};

TEST(LayerMembers, OfALayerInAModel) {
  Gained model;
  model.compile("sgd", "mse");
  model.fit(ops::ones({8, 3}), ops::zeros({8, 1}), kw::verbose = 0);
  EXPECT_EQ(model.gain.factor.value().to_vector<float>(),
            model.get_weights()[0].to_vector<float>());

  Gained predicting;
  predicting.predict(ops::ones({8, 3}));
  EXPECT_EQ(predicting.gain.factor.shape(), Shape({3}));
}

TEST(LayerMembers, OfAVariableWhoseBuildIsCalledDirectly) {
  Dense dense(1);
  dense.build(Shape{Shape::kUnknown, 2});
  EXPECT_EQ(dense.count_params(), 3);
  dense.set_weights({ops::ones({2, 1}), ops::ones({1})});
  EXPECT_EQ(dense(ops::ones({1, 2})).item<float>(), 3);
  EXPECT_EQ(dense.weights().size(), 2u);

  Gain gain(2);
  gain.build(Shape{Shape::kUnknown, 1});
  gain.factor.assign(Tensor(std::vector<float>{4}));
  EXPECT_EQ(gain(ops::ones({1, 1})).item<float>(), 4);
  EXPECT_EQ(gain.weights().size(), 1u);
  EXPECT_EQ(gain.factor.id(), gain.weights()[0].id());

  Headed model;
  model.build(Shape{Shape::kUnknown, 3});
  EXPECT_EQ(model(ops::ones({2, 3})).shape(), Shape({2, 1}));
  EXPECT_EQ(model.sublayers().size(), 2u);
  EXPECT_EQ(model.weights().size(), 3u);
}

/// Makes a weight in its constructor and another one in build(), both without a name.
class Unnamed : public LayerBase<Unnamed> {
 public:
  void build(const Shape&) override { second = add_weight({.shape = {2}}); }
  Tensor call(const Tensor& x) override { return x * first + second; }
  Variable first = add_weight({.shape = {2}});
  Variable second;
};

TEST(LayerMembers, WeightsWithoutANameAreAllKept) {
  Unnamed layer;
  layer(ops::ones({1, 2}));
  EXPECT_EQ(layer.weights().size(), 2u);
}

}  // namespace
}  // namespace antler

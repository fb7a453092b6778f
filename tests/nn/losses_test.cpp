#include "antler/nn/losses.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/nn/activation.h"
#include "antler/nn/layers/activations.h"
#include "antler/nn/layers/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"

namespace antler {
namespace {

TEST(Losses, NamesAndAliases) {
  EXPECT_EQ(losses::get("mse").impl().class_name(), "MeanSquaredError");
  EXPECT_EQ(losses::get("MSE").name(), "mean_squared_error");
  EXPECT_EQ(losses::get("CategoricalCrossentropy").name(), "categorical_crossentropy");
  EXPECT_EQ(losses::get("kld").impl().class_name(), "KLDivergence");
  EXPECT_EQ(losses::Huber().name(), "huber_loss");
  EXPECT_EQ(losses::MeanAbsoluteError({.name = "mine"}).name(), "mine");
}

TEST(Losses, UnknownNamesListTheKnownOnes) {
  try {
    losses::get("mean_squared_terror");
    FAIL() << "no exception";
  } catch (const ValueError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("'mean_squared_terror'"), std::string::npos) << text;
    EXPECT_NE(text.find("'mean_squared_error'"), std::string::npos) << text;
  }
  EXPECT_THROW(losses::get(""), ValueError);
}

TEST(Losses, BadOptions) {
  EXPECT_THROW(losses::MeanSquaredError({.reduction = "average"}), ValueError);
  EXPECT_THROW(losses::BinaryCrossentropy({.label_smoothing = 1.5}), ValueError);
  EXPECT_THROW(losses::CategoricalGeneralizedCrossEntropy({.q = 1.0}), ValueError);
}

TEST(Losses, ConfigurationRoundTrip) {
  const Loss loss = losses::SparseCategoricalCrossentropy(
      {.from_logits = true, .ignore_class = 255, .reduction = "sum", .name = "s"});
  const Json json = losses::serialize(loss);
  EXPECT_EQ(json["class_name"], "SparseCategoricalCrossentropy");
  EXPECT_EQ(json["module"], "keras.losses");
  EXPECT_EQ(json["config"]["ignore_class"], 255);
  EXPECT_EQ(losses::serialize(losses::deserialize(json)), json);
  const Json huber = losses::serialize(losses::Huber({.delta = 2.5}));
  EXPECT_EQ(losses::serialize(losses::deserialize(huber))["config"]["delta"], 2.5);
  const Json focal = losses::serialize(losses::CategoricalFocalCrossentropy({.alpha = {0.2, 0.8}}));
  EXPECT_EQ(losses::serialize(losses::deserialize(focal)), focal);
}

// Keras 3.15: MeanSquaredError(dtype=...)(...).dtype.
TEST(Losses, AreComputedInTheirDtype) {
  const Tensor y_true = Tensor::of<double>({1, 2}, {2, 1});
  const Tensor y_pred = Tensor::of<float>({1.5F, 2}, {2, 1});
  const Tensor wide = losses::MeanSquaredError({.dtype = "float64"})(y_true, y_pred);
  EXPECT_EQ(wide.dtype(), DType::float64);
  EXPECT_EQ(wide.item(), 0.125);
  EXPECT_EQ(losses::Huber({.dtype = "mixed_float16"})(y_true, y_pred).dtype(), DType::float16);
  EXPECT_EQ(losses::MeanSquaredError()(y_true, y_pred).dtype(), DType::float32);
  EXPECT_THROW(losses::MeanSquaredError({.dtype = "floaty"}), ValueError);
  // Configurations may contain it, but it is not written.
  const Loss loaded = losses::deserialize(
      {{"class_name", "SparseCategoricalCrossentropy"}, {"config", {{"dtype", "float64"}}}});
  const Tensor probabilities = Tensor::of<float>({0.5F, 0.5F, 0.25F, 0.75F}, {2, 2});
  const Tensor value = loaded(Tensor::of<int32_t>({0, 1}), probabilities);
  EXPECT_EQ(value.dtype(), DType::float64);
  EXPECT_NEAR(value.item(), -(std::log(0.5) + std::log(0.75)) / 2, 1e-6);
  EXPECT_FALSE(losses::serialize(loaded)["config"].contains("dtype"));
}

TEST(Losses, WeightsMustFit) {
  const Loss loss = losses::MeanSquaredError();
  const Tensor y = Tensor::zeros(DType::float32, {4, 2});
  EXPECT_THROW(loss(y, y, Tensor::zeros(DType::float32, {3})), ValueError);
  EXPECT_THROW(loss(y, y, Tensor::zeros(DType::float32, {4, 2})), ValueError);
}

TEST(Losses, WeightPerSampleOfATimeSeries) {
  // Values [2, 2]: one weight per sample holds for all its steps.
  const Tensor y_true = Tensor::zeros(DType::float32, {2, 2, 1});
  const Tensor y_pred = Tensor::of<float>({1, 2, 3, 4}, {2, 2, 1});
  const Tensor value = losses::MeanSquaredError()(y_true, y_pred, Tensor::of<float>({1, 0}));
  EXPECT_NEAR(value.item(), (1.0 + 4.0) / 4, 1e-6);
}

// The values are Keras 3's.
TEST(Losses, RanksOfValuesAndWeightsAreMadeEqual) {
  const Tensor y_true = Tensor::of<float>({1, 0, 1});
  const Tensor y_pred = Tensor::of<float>({0.1F, 0.5F, 0.3F});
  // The loss of vectors is a scalar, which no reduction divides.
  for (const char* reduction : {"none", "sum", "mean_with_sample_weight", "sum_over_batch_size"}) {
    const Tensor value = losses::MeanSquaredError({.reduction = reduction})(
        y_true, y_pred, Tensor::of<float>({0.5F}));
    EXPECT_EQ(value.shape(), Shape()) << reduction;
    EXPECT_NEAR(value.item(), 0.258333, 1e-6) << reduction;
  }
  const Tensor dice = losses::Dice({.reduction = "mean_with_sample_weight", .axis = 0})(
      ops::expand_dims(y_true, -1), Tensor::of<float>({0.9F, 0.8F, 0.3F}, {3, 1}),
      Tensor::full(DType::float32, {}, 2.0));
  EXPECT_NEAR(dice.item(), 0.8, 1e-6);
  // Values [2, 2, 1] and weights [2, 2].
  const Tensor each = losses::MeanSquaredError({.reduction = "none"})(
      Tensor::zeros(DType::float32, {2, 2, 1, 1}), Tensor::of<float>({1, 2, 3, 4}, {2, 2, 1, 1}),
      Tensor::of<float>({1, 2, 0.5F, 3}, {2, 2}));
  EXPECT_EQ(each.shape(), (Shape{2, 2}));
  EXPECT_EQ(each.to_doubles(), (std::vector<double>{1, 8, 4.5, 48}));
}

// Figures of Keras 3, whose functions leave it to the classes to make ranks equal, with exceptions.
TEST(Losses, FunctionsBroadcastTargetsWithoutTheLastAxis) {
  const Tensor y_true = Tensor::of<float>({1, 0, 1});
  const Tensor y_pred = Tensor::of<float>({0.1F, 0.5F, 0.3F}, {3, 1});
  const auto expect = [&](const Tensor& value, const std::vector<double>& expected) {
    ASSERT_EQ(value.size(), std::ssize(expected));
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(value.to_doubles()[i], expected[i], 1e-5);
    }
  };
  expect(losses::hinge(y_true, y_pred), {0.966667, 0.833333, 0.9});
  expect(losses::squared_hinge(y_true, y_pred), {0.943333, 0.916667, 0.89});
  expect(losses::categorical_hinge(y_true, y_pred), {0.9, 0.5, 0.7});
  expect(losses::kl_divergence(y_true, y_pred), {4.605169, 1.386293, 2.407944});
  expect(losses::poisson(y_true, y_pred), {1.635056, 0.962098, 1.102648});
  expect(losses::dice(y_true, y_pred), {-0.241379});
  expect(losses::tversky(y_true, y_pred), {0.586207});
  expect(losses::mean_squared_error(y_true, y_pred), {0.81, 0.25, 0.49});
  expect(losses::Hinge()(y_true, y_pred), {1.033333});
  expect(losses::Poisson()(y_true, y_pred), {1.468852});
}

TEST(Losses, IntegerAndBooleanTargets) {
  const Tensor y_pred = Tensor::of<float>({0.5F, 0.25F}, {2, 1});
  EXPECT_NEAR(losses::MeanSquaredError()(Tensor::of<int32_t>({1, 0}), y_pred).item(),
              (0.25 + 0.0625) / 2, 1e-6);
  const Tensor labels = Tensor::empty(DType::boolean, {2, 1});
  labels.mutable_data<bool>()[0] = true;
  labels.mutable_data<bool>()[1] = false;
  EXPECT_NEAR(losses::MeanAbsoluteError()(labels, y_pred).item(), 0.375, 1e-6);
}

TEST(Losses, TargetsOfTheWrongShape) {
  const Tensor y_pred = Tensor::full(DType::float32, {4, 3}, 1.0 / 3);
  try {
    losses::CategoricalCrossentropy()(Tensor::of<int32_t>({0, 1, 2, 0}), y_pred);
    FAIL() << "no exception";
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("(4,)"), std::string::npos) << error.what();
  }
}

TEST(Losses, CirclesAndAlignments) {
  const Tensor labels = Tensor::of<int32_t>({0, 0, 1, 1});
  const Tensor embeddings = Tensor::of<float>({1, 0, 0.6F, 0.8F, 0, 1, 0.8F, 0.6F}, {4, 2});
  EXPECT_NEAR(losses::Circle()(labels, embeddings).item(), 49.664005, 1e-3);
  EXPECT_NEAR(losses::circle(labels, embeddings).to_doubles()[1], 60.928009, 1e-3);
  // A sample without a partner has loss 0 and does not count.
  const Tensor alone = Tensor::of<int32_t>({0, 0, 1, 2});
  EXPECT_EQ(losses::circle(alone, embeddings).to_doubles()[2], 0);
  EXPECT_EQ(losses::circle(labels, embeddings, {.ref_labels = labels, .ref_embeddings = embeddings})
                .to_doubles(),
            losses::circle(labels, embeddings).to_doubles());
  EXPECT_GT(losses::circle(alone, embeddings, {.remove_diagonal = false}).to_doubles()[2], 0);
  EXPECT_THROW(losses::circle(labels, embeddings, {.ref_labels = labels}), ValueError);
  std::vector<float> values;
  values.reserve(40);
  for (int i = 0; i < 40; ++i) values.push_back(static_cast<float>(i * 7 % 11) / 5);
  const Tensor logits = Tensor::of(values, {2, 5, 4});
  const std::vector<double> aligned =
      losses::ctc(Tensor::of<int32_t>({1, 2, 2, 3, 0, 0}, {2, 3}), logits).to_doubles();
  EXPECT_NEAR(aligned[0], 4.981809, 1e-4);
  EXPECT_NEAR(aligned[1], 3.891019, 1e-4);
  EXPECT_THROW(losses::ctc(Tensor::of<int32_t>({1}), logits), ValueError);
  // A blank between labels is a label itself. The value is from Keras's tests.
  std::vector<float> slope;
  slope.reserve(24);
  for (int i = 0; i < 24; ++i) slope.push_back(static_cast<float>(i - 12) / 100);
  const Tensor with_blank = Tensor::of<int32_t>({1, 2, 1, 0, 1, 2, 0, 2}, {2, 4});
  const std::vector<double> parts =
      losses::ctc(with_blank, Tensor::of(slope, {2, 4, 3})).to_doubles();
  EXPECT_NEAR((parts[0] + parts[1]) / 2, 2.448645, 1e-5);
}

TEST(Losses, DiceKeepsASingleAxisAsANumber) {
  EXPECT_EQ(losses::Dice({.axis = 1}).impl().get_config()["axis"], 1);
  EXPECT_EQ(losses::Tversky({.axis = AxisList({1, 2})}).impl().get_config()["axis"], Json({1, 2}));
}

TEST(Losses, DiceOfNothingIsOne) {
  const Tensor nothing = Tensor::zeros(DType::float32, {1, 3});
  EXPECT_EQ(losses::Dice()(nothing, nothing).item(), 1.0);
}

// Figures of Keras 3 and tf_keras on TensorFlow.
TEST(Losses, CrossEntropiesGoByTheLogitsOfActivations) {
  constexpr double kClipped = 16.118096;  // -log 1e-7
  const Tensor x = Tensor::of<float>({40, 0, 0}, {1, 3});
  const Tensor label = Tensor::of<int32_t>({1});
  const Tensor p = activations::softmax(x);
  EXPECT_NEAR(losses::sparse_categorical_crossentropy(label, p).item(), 40, 1e-4);
  EXPECT_NEAR(losses::SparseCategoricalCrossentropy()(label, p).item(), 40, 1e-4);
  EXPECT_NEAR(losses::sparse_categorical_crossentropy(label, ops::softmax(x)).item(), kClipped,
              1e-4);
  EXPECT_NEAR(losses::sparse_categorical_crossentropy(label, Softmax()(x)).item(), 40, 1e-4);
  const Tensor one_hot = Tensor::of<float>({0, 1, 0}, {1, 3});
  EXPECT_NEAR(losses::categorical_crossentropy(one_hot, p).item(), 40, 1e-4);
  // Even if probabilities are passed as logits.
  EXPECT_NEAR(losses::categorical_crossentropy(one_hot, p, {.from_logits = true}).item(), 40, 1e-4);

  const Tensor z = Tensor::of<float>({-60}, {1, 1});
  const Tensor yes = Tensor::of<float>({1}, {1, 1});
  const Tensor q = Activation("sigmoid")(z);
  EXPECT_NEAR(losses::binary_crossentropy(yes, q).item(), 60, 1e-4);
  EXPECT_NEAR(losses::BinaryCrossentropy()(Tensor::of<float>({1}), q).item(), 60, 1e-4);
  EXPECT_NEAR(losses::BinaryFocalCrossentropy()(yes, q).item(), 60, 1e-4);
  EXPECT_NEAR(losses::BinaryFocalCrossentropy({.from_logits = true})(yes, z).item(), 60, 1e-4);
  EXPECT_NEAR(losses::binary_crossentropy(yes, ops::sigmoid(z)).item(), kClipped, 1e-4);
}

TEST(Losses, FunctionsTakeTheirArgumentsByName) {
  const double right = -std::log(0.75);
  const double wrong = -std::log(0.25);
  const double smooth = 0.9 * right + 0.1 * wrong;
  const Tensor p = Tensor::of({{0.75F, 0.25F}});
  const Tensor z = ops::log(p);
  const Tensor first = Tensor::of({{1.F, 0.F}});
  const Tensor both = Tensor::of({{1.F}, {0.F}});
  const Tensor odds = Tensor::of({{0.75F}, {0.25F}});

  EXPECT_NEAR(losses::binary_crossentropy(first, p, {.label_smoothing = 0.2}).item(), smooth, 1e-5);
  EXPECT_NEAR(losses::binary_crossentropy(Tensor::of({{1.F}}), Tensor::of({{std::log(3.F)}}),
                                          {.from_logits = true})
                  .item(),
              right, 1e-5);
  EXPECT_NEAR(
      losses::categorical_crossentropy(first, z, {.from_logits = true, .label_smoothing = 0.2})
          .item(),
      smooth, 1e-5);
  EXPECT_NEAR(losses::categorical_crossentropy(both, odds, {.axis = 0}).item(), right, 1e-5);
  EXPECT_EQ(losses::binary_crossentropy(both, odds, {.axis = 0}).shape(), Shape({1}));

  const Tensor labels = Tensor::of<int32_t>({0, 1});
  const Tensor rows = Tensor::of({{0.75F, 0.25F}, {0.75F, 0.25F}});
  const std::vector<double> kept =
      losses::sparse_categorical_crossentropy(labels, rows, {.ignore_class = 1}).to_doubles();
  EXPECT_NEAR(kept[0], right, 1e-5);
  EXPECT_EQ(kept[1], 0);

  // (1 - p)^gamma makes the certain cheap; alpha weighs the ones.
  EXPECT_NEAR(losses::binary_focal_crossentropy(first, p, {.gamma = 1}).item(), 0.25 * right, 1e-5);
  EXPECT_NEAR(
      losses::binary_focal_crossentropy(Tensor::of({{1.F}}), Tensor::of({{0.75F}}),
                                        {.apply_class_balancing = true, .alpha = 0.5, .gamma = 1})
          .item(),
      0.125 * right, 1e-5);
  EXPECT_NEAR(losses::categorical_focal_crossentropy(
                  first, z, {.alpha = 0.5, .gamma = 1, .from_logits = true})
                  .item(),
              0.125 * right, 1e-5);
}

template <class T>
concept TakesLogitsByPosition = requires(const T& x) {
  losses::binary_crossentropy(x, x, true);
}
|| requires(const T& x) { losses::categorical_crossentropy(x, x, true); }
|| requires(const T& x) { losses::sparse_categorical_crossentropy(x, x, true); };
static_assert(!TakesLogitsByPosition<Tensor>);

TEST(Losses, ASampleThatIsFarOffHasAGradient) {
  const Tensor x = Tensor::of<float>({40, 0, 0}, {1, 3});
  GradientTape tape;
  tape.watch(x);
  const Tensor loss =
      losses::SparseCategoricalCrossentropy()(Tensor::of<int32_t>({1}), activations::softmax(x));
  const std::vector<double> gradient = tape.gradient(loss, x).to_doubles();
  EXPECT_NEAR(gradient[0], 1, 1e-6);
  EXPECT_NEAR(gradient[1], -1, 1e-6);
}

TEST(Losses, FunctionAsLoss) {
  const Loss loss = losses::from_function("twice", [](const Tensor& y_true, const Tensor& y_pred) {
    return losses::mean_squared_error(y_true, y_pred) + losses::mean_squared_error(y_true, y_pred);
  });
  EXPECT_EQ(loss.name(), "twice");
  const Tensor one = Tensor::full(DType::float32, {3, 1}, 1.0);
  EXPECT_NEAR(loss(Tensor::zeros(DType::float32, {3, 1}), one).item(), 2.0, 1e-6);
}

}  // namespace
}  // namespace antler

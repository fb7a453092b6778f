#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "antler/antler.h"

// fit on data sets, generators and sequences.

namespace antler {
namespace {

class FitOn : public ::testing::Test {
 protected:
  FitOn() : model({Input({1}), Dense(1, {.use_bias = false})}) {
    model.set_weights({Tensor::of(std::vector<float>{1}, {1, 1})});
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
  }
  static Tensor column(const std::vector<float>& values) {
    return Tensor::of(values, {static_cast<int64_t>(values.size()), 1});
  }
  double weight() const { return model.get_weights()[0].item(); }

  Sequential model;
  Tensor x = column({1, 2, 3, 4, 5});
  Tensor y = column({0, 0, 0, 0, 0});
};

TEST_F(FitOn, ADatasetGivesWhatItsArraysGive) {
  const History arrays =
      model.fit(x, y, {.batch_size = 2, .epochs = 2, .verbose = 0, .shuffle = false});
  const double expected = weight();
  model.set_weights({column({1})});
  const auto dataset = data::Dataset::from_tensor_slices({x, y}).batch(2).prefetch(2);
  const History h = model.fit(dataset, {.epochs = 2, .verbose = 0});
  EXPECT_EQ(weight(), expected);
  EXPECT_EQ(*h.history.find("loss"), *arrays.history.find("loss"));
  EXPECT_EQ(h.params.steps, 3);
}

TEST_F(FitOn, AGeneratorFeedsStepsPerEpoch) {
  int64_t made = 0;
  const data::Generator generator([&]() -> std::optional<Batch> {
    ++made;
    return Batch{column({1}), column({0})};
  });
  const History h = model.fit(generator, {.epochs = 3, .verbose = 0, .steps_per_epoch = 4});
  EXPECT_EQ(h.epoch.size(), 3U);
  EXPECT_EQ(model.optimizer().iterations().stored().item(), 12);
  EXPECT_GE(made, 12);
}

class Halves : public data::Sequence {
 public:
  int64_t size() const override { return 2; }
  Nest item(int64_t index) override {
    const Tensor x = Tensor::full(DType::float32, {1, 1}, static_cast<double>(index));
    return Nest{x, x};
  }
  void on_epoch_end() override { ++epochs; }
  int64_t epochs = 0;
};

TEST_F(FitOn, ASequenceIsToldOfTheEndOfEpochs) {
  const auto halves = std::make_shared<Halves>();
  const History h = model.fit(halves, {.epochs = 3, .verbose = 0, .workers = 2});
  EXPECT_EQ(h.params.steps, 2);
  EXPECT_EQ(halves->epochs, 3);
  EXPECT_EQ(model.predict(halves, {.verbose = 0}).tensor().shape(), (Shape{2, 1}));
}

TEST_F(FitOn, ADatasetCreatorNeedsTheNumberOfSteps) {
  const data::DatasetCreator creator([&](const data::InputContext&) {
    return data::Dataset::from_tensor_slices({x, y}).repeat().batch(2);
  });
  EXPECT_THROW(model.fit(creator, FitOptions{.verbose = 0}), ValueError);
  EXPECT_EQ(model.fit(creator, {.epochs = 2, .verbose = 0, .steps_per_epoch = 3}).epoch.size(), 2U);
}

}  // namespace
}  // namespace antler

#include "antler/estimator/losses.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/ops/numpy/elementwise.h"

/// The expected numbers come from TensorFlow 2.15's tf.compat.v1.losses.
namespace antler::estimator {
namespace {

const Tensor kLabels = Tensor::of<float>({{1, 0, 1}, {0, 1, 1}});
const Tensor kPredictions = Tensor::of<float>({{0.8F, 0.3F, 0.6F}, {0.1F, 0.4F, 0.9F}});
const Tensor kLogits = Tensor::of<float>({{1.5F, -2, 0.25F}, {-0.5F, 3, -1}});
const Tensor kRowWeights = Tensor::of<float>({{2}, {0.5F}});
const Tensor kElementWeights = Tensor::of<float>({{1, 0, 2}, {0, 0, 3}});

void expect_loss(const Tensor& loss, const std::vector<double>& expected) {
  const std::vector<double> values = loss.to_doubles();
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 2e-6);
}

TEST(EstimatorLosses, EqualTensorFlowsWithAnyWeights) {
  using LossOf = std::function<Tensor(const Tensor& weights)>;
  const std::vector<std::pair<LossOf, std::vector<double>>> cases = {
      {[](const Tensor& w) {
         return losses::absolute_difference(kLabels, kPredictions, {.weights = w});
       },
       {0.283333331, 0.366666645, 0.433333308}},
      {[](const Tensor& w) {
         return losses::mean_squared_error(kLabels, kPredictions, {.weights = w});
       },
       {0.111666657, 0.128333315, 0.12999998}},
      {[](const Tensor& w) { return losses::log_loss(kLabels, kPredictions, {.weights = w}); },
       {0.369609207, 0.457465529, 0.520291805}},
      {[](const Tensor& w) {
         return losses::huber_loss(kLabels, kPredictions, {.weights = w, .delta = 0.3});
       },
       {0.0474999957, 0.0587499924, 0.0616666563}},
      {[](const Tensor& w) { return losses::hinge_loss(kLabels, kLogits, {.weights = w}); },
       {0.541666687, 0.458333343, 2.5}},
      {[](const Tensor& w) {
         return losses::sigmoid_cross_entropy(kLabels, kLogits,
                                              {.weights = w, .label_smoothing = 0.1});
       },
       {0.508784473, 0.527337372, 1.74769247}},
  };
  for (const auto& [loss, expected] : cases) {
    expect_loss(loss(1.0), {expected[0]});
    expect_loss(loss(kRowWeights), {expected[1]});
    expect_loss(loss(kElementWeights), {expected[2]});
  }
}

TEST(EstimatorLosses, Reductions) {
  using losses::Reduction;
  const std::map<Reduction, std::vector<double>> expected = {
      {Reduction::none, {0.0399999954, 0, 0.319999963, 0, 0, 0.0300000124}},
      {Reduction::sum, {0.389999956}},
      {Reduction::mean, {0.0649999902}},
      {Reduction::sum_over_batch_size, {0.0649999902}},
      {Reduction::sum_by_nonzero_weights, {0.12999998}},
  };
  for (const auto& [reduction, values] : expected) {
    expect_loss(losses::mean_squared_error(kLabels, kPredictions,
                                           {.weights = kElementWeights, .reduction = reduction}),
                values);
  }
  expect_loss(losses::mean_squared_error(kLabels, kPredictions, {.weights = 0.0}), {0});
  expect_loss(losses::mean_squared_error(kLabels, kPredictions,
                                         {.weights = 2.5, .reduction = Reduction::mean}),
              {0.111666657});
}

TEST(EstimatorLosses, DistancesOfRows) {
  expect_loss(losses::cosine_distance(kLabels, kPredictions, 1), {-0.350000024});
  expect_loss(losses::cosine_distance(kLabels, kPredictions, 1, {.weights = kRowWeights}),
              {-0.475000083});
  expect_loss(losses::mean_pairwise_squared_error(kLabels, kPredictions), {0.519999981});
  expect_loss(losses::mean_pairwise_squared_error(kLabels, kPredictions, kRowWeights),
              {0.649999917});
  expect_loss(losses::mean_pairwise_squared_error(kLabels, kPredictions, kElementWeights),
              {1.46999979});
}

TEST(EstimatorLosses, SoftmaxCrossEntropies) {
  const Tensor one_hot = Tensor::of<float>({{0, 0, 1}, {1, 0, 0}});
  expect_loss(losses::softmax_cross_entropy(one_hot, kLogits), {2.53625154});
  expect_loss(
      losses::softmax_cross_entropy(
          one_hot, kLogits, {.weights = Tensor::of<float>({2, 0.5F}), .label_smoothing = 0.2}),
      {2.42864037});
  const Tensor classes = Tensor::of<int64_t>({2, 0});
  expect_loss(losses::sparse_softmax_cross_entropy(classes, kLogits), {2.53625154});
  // A last dimension of 1 is left out.
  expect_loss(losses::sparse_softmax_cross_entropy(Tensor::of<int64_t>({{2}, {0}}), kLogits,
                                                   {.weights = kRowWeights}),
              {2.41197348});
}

TEST(EstimatorLosses, AreDifferentiable) {
  GradientTape tape;
  tape.watch(kPredictions);
  const Tensor loss =
      losses::mean_squared_error(kLabels, kPredictions, {.weights = kElementWeights});
  // 2 w (p - y) / 3, as three weights are not 0.
  const std::vector<double> gradient = tape.gradient(loss, kPredictions).to_doubles();
  const std::vector<double> expected = {2 * -0.2 / 3, 0, 4 * -0.4 / 3, 0, 0, 6 * -0.1 / 3};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(gradient[i], expected[i], 1e-6);
}

TEST(EstimatorLosses, RefuseShapesThatDoNotFit) {
  EXPECT_THROW(losses::mean_squared_error(kLabels, kRowWeights), ValueError);
  EXPECT_THROW(
      losses::mean_squared_error(kLabels, kPredictions, {.weights = Tensor::of<float>({1, 2})}),
      ValueError);
  EXPECT_THROW(losses::softmax_cross_entropy(Tensor::of<float>({1, 0}), kLogits), ValueError);
  EXPECT_THROW(losses::sparse_softmax_cross_entropy(Tensor::of<int64_t>({{1, 2}, {0, 1}}), kLogits),
               ValueError);
}

}  // namespace
}  // namespace antler::estimator

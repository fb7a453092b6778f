#include "antler/distribute/losses.h"

#include <gtest/gtest.h>

#include <functional>

#include "antler/base/error.h"
#include "antler/distribute/mirrored_strategy.h"
#include "antler/nn/losses.h"

namespace antler::distribute {
namespace {

/// The sum of the results of `loss` for the rows of two replicas.
double total(const Tensor& rows, const std::function<Tensor(const Tensor&)>& loss,
             UnevenBatches uneven = UnevenBatches::exact) {
  const MirroredStrategy strategy(2, {.uneven_batches = uneven});
  const PerReplica parts =
      strategy.run([&](const Nest& x) -> Nest { return loss(x.tensor()); }, strategy.split(rows));
  return strategy.reduce("SUM", parts).tensor().item();
}

TEST(ComputeAverageLoss, IsTheMeanOverTheGlobalBatch) {
  const auto average = [](const Tensor& x) { return compute_average_loss(x); };
  EXPECT_NEAR(total(Tensor::of<float>({1, 2, 3, 6}), average), 3, 1e-6);
  const Tensor uneven = Tensor::of<float>({1, 2, 6});
  EXPECT_NEAR(total(uneven, average), 3, 1e-6);
  // The mean of the means of the replicas.
  EXPECT_NEAR(total(uneven, average, UnevenBatches::tensorflow), 3.0 / 4 + 6.0 / 2, 1e-6);
}

TEST(ComputeAverageLoss, TakesWeightsAndASize) {
  const auto average = [](const Tensor& x) { return compute_average_loss(x, x, 8); };
  EXPECT_NEAR(total(Tensor::of<float>({1, 2, 3, 4}), average), 30.0 / 8, 1e-6);
  EXPECT_THROW(compute_average_loss(Tensor::of<float>({1}), {}, 0), ValueError);
  EXPECT_THROW(compute_average_loss(Tensor(1.0F)), ValueError);
  EXPECT_EQ(compute_average_loss(Tensor::of<float>({1, 3})).item(), 2);
}

TEST(ScaleRegularizationLoss, CountsThePenaltyOnce) {
  const auto penalty = [](const Tensor&) {
    return scale_regularization_loss(Tensor::of<float>({2, 3}));
  };
  for (const UnevenBatches uneven : {UnevenBatches::exact, UnevenBatches::tensorflow}) {
    EXPECT_NEAR(total(Tensor::of<float>({1, 2, 6}), penalty, uneven), 5, 1e-6);
    EXPECT_NEAR(total(Tensor::of<float>({1}), penalty, uneven), 5, 1e-6);
  }
  const MirroredStrategy strategy(2);
  const auto scope = strategy.scope();
  EXPECT_THROW(scale_regularization_loss(Tensor(1.0F)), RuntimeError);
  EXPECT_THROW(compute_average_loss(Tensor::of<float>({1})), RuntimeError);
}

TEST(Losses, AveragesAreRefusedUnderSeveralReplicas) {
  const Tensor x = Tensor::of<float>({1, 2}, {2, 1});
  const auto call = [&](const char* reduction) {
    return losses::MeanSquaredError({.reduction = reduction})(x, x);
  };
  call("auto");
  {
    const MirroredStrategy one(1);
    const auto scope = one.scope();
    call("auto");
  }
  const MirroredStrategy two(2);
  const auto scope = two.scope();
  EXPECT_THROW(call("auto"), ValueError);
  EXPECT_THROW(call("sum_over_batch_size"), ValueError);
  EXPECT_EQ(call("sum").item(), 0);
  EXPECT_EQ(call("none").shape(), (Shape{2}));
}

}  // namespace
}  // namespace antler::distribute

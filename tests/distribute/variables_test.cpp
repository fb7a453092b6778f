#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "antler/base/error.h"
#include "antler/core/variable.h"
#include "antler/distribute/mirrored_strategy.h"
#include "antler/nn/layer.h"
#include "antler/nn/metrics.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/runtime/function.h"

namespace antler::distribute {
namespace {

using Values = std::vector<double>;
constexpr auto kOnRead = VariableSynchronization::on_read;
constexpr auto kOnWrite = VariableSynchronization::on_write;

/// Replica r adds or assigns r + 1.
class VariablesTest : public ::testing::Test {
 protected:
  static Variable make(VariableSynchronization synchronization, VariableAggregation aggregation,
                       double initial = 0) {
    return Variable(Tensor::full(DType::float32, {}, initial), {.name = "v",
                                                                .trainable = false,
                                                                .synchronization = synchronization,
                                                                .aggregation = aggregation});
  }
  /// The values that the replicas read after `change`.
  Values run(const Variable& v, void (*change)(const Variable&, const Tensor&)) const {
    Values read;
    const PerReplica ones = {Tensor::of<float>({1}), Tensor::of<float>({2})};
    const auto function = [&](const Nest& x) -> Nest {
      if (change != nullptr) change(v, ops::reshape(x.tensor(), {}));
      return v.value();
    };
    for (const Nest& part : strategy_.run(function, ones)) read.push_back(part.tensor().item());
    return read;
  }
  static void add(const Variable& v, const Tensor& x) { v.assign_add(x); }
  static void set(const Variable& v, const Tensor& x) { v.assign(x); }

  const MirroredStrategy strategy_ = MirroredStrategy(2);
  const StrategyScope scope_ = StrategyScope(strategy_);
};

TEST_F(VariablesTest, MirroredOnesNeedAnAggregationToBeAssignedByReplicas) {
  for (const auto synchronization : {VariableSynchronization::automatic, kOnWrite}) {
    const Variable v = make(synchronization, VariableAggregation::none, 5);
    EXPECT_THROW(run(v, add), ValueError);
    EXPECT_THROW(run(v, set), ValueError);
    v.assign_add(Tensor(1.0F));
    EXPECT_EQ(run(v, nullptr), (Values{6, 6}));
  }
}

TEST_F(VariablesTest, MirroredOnesGetTheCombinedValue) {
  const Variable sum = make(kOnWrite, VariableAggregation::sum, 10);
  EXPECT_EQ(run(sum, add), (Values{13, 13}));
  EXPECT_EQ(run(sum, set), (Values{3, 3}));
  EXPECT_EQ(sum.value().item(), 3);
  const Variable mean = make(kOnWrite, VariableAggregation::mean, 10);
  EXPECT_EQ(run(mean, add), (Values{11.5, 11.5}));
  EXPECT_EQ(run(mean, set), (Values{1.5, 1.5}));
  const Variable first = make(kOnWrite, VariableAggregation::only_first_replica, 10);
  run(first, add);
  EXPECT_EQ(first.value().item(), 11);
  run(first, set);
  EXPECT_EQ(first.value().item(), 1);
}

TEST_F(VariablesTest, OnReadOnesHaveAValueOnEachReplica) {
  const Variable sum = make(kOnRead, VariableAggregation::sum);
  EXPECT_EQ(run(sum, add), (Values{1, 2}));
  EXPECT_EQ(run(sum, add), (Values{2, 4}));
  EXPECT_EQ(run(sum, nullptr), (Values{2, 4}));
  EXPECT_EQ(sum.value().item(), 6);
  const Variable mean = make(kOnRead, VariableAggregation::mean);
  EXPECT_EQ(run(mean, add), (Values{1, 2}));
  EXPECT_EQ(mean.value().item(), 1.5);
  const Variable first = make(kOnRead, VariableAggregation::only_first_replica);
  EXPECT_EQ(run(first, add), (Values{1, 2}));
  EXPECT_EQ(first.value().item(), 1);
  const Variable none = make(kOnRead, VariableAggregation::none);
  EXPECT_THROW(run(none, add), ValueError);
}

TEST_F(VariablesTest, OnReadOnesShareWhatIsAssignedOutsideOfReplicas) {
  const Variable sum = make(kOnRead, VariableAggregation::sum);
  run(sum, add);
  sum.assign(Tensor(10.0F));
  EXPECT_EQ(sum.value().item(), 10);
  EXPECT_EQ(run(sum, nullptr), (Values{5, 5}));
  EXPECT_THROW(sum.assign_add(Tensor(1.0F)), ValueError);
  EXPECT_THROW(sum.assign_sub(Tensor(1.0F)), ValueError);
  const Variable mean = make(kOnRead, VariableAggregation::mean);
  run(mean, add);
  mean.assign(Tensor(10.0F));
  EXPECT_EQ(run(mean, nullptr), (Values{10, 10}));
  mean.assign_add(Tensor(1.0F));
  EXPECT_EQ(run(mean, nullptr), (Values{11, 11}));
}

TEST_F(VariablesTest, OnReadOnesKeepTheirValuesInCompiledFunctions) {
  const Variable sum = make(kOnRead, VariableAggregation::sum);
  const Function step = tf::function([&](const Nest& x) -> Nest {
    sum.assign(Tensor(4.0F));
    const PerReplica read = strategy_.run(
        [&](const Nest& part) -> Nest {
          sum.assign_add(ops::reshape(part.tensor(), {}));
          return sum.value();
        },
        strategy_.split(x));
    return Nest{read[0], read[1], sum.value()};
  });
  for (int i = 0; i < 2; ++i) {
    const Nest result = step(Nest(Tensor::of<float>({1, 2})));
    EXPECT_EQ(result[0].tensor().item(), 3);
    EXPECT_EQ(result[1].tensor().item(), 4);
    EXPECT_EQ(result[2].tensor().item(), 7);
  }
  EXPECT_EQ(sum.value().item(), 7);
  EXPECT_EQ(run(sum, nullptr), (Values{3, 4}));
}

TEST_F(VariablesTest, WrongOptions) {
  EXPECT_THROW(Variable(Tensor(1.0F), {.name = "v", .trainable = true, .synchronization = kOnRead}),
               ValueError);
  EXPECT_THROW(make(VariableSynchronization::none, VariableAggregation::none), ValueError);
}

class Weights : public LayerBase<Weights> {
 public:
  using LayerBase::call;
  Weights() {
    trainable = add_weight({.shape = {1}, .name = "trainable"});
    state = add_weight({.shape = {1}, .trainable = false, .name = "state"});
    count = add_weight({.shape = {1},
                        .initializer = "zeros",
                        .dtype = "int32",
                        .trainable = false,
                        .name = "count"});
  }
  Tensor call(const Tensor& x) override { return x; }
  Variable trainable;
  Variable state;
  Variable count;
};

TEST_F(VariablesTest, DefaultsOfLayersAndMetrics) {
  const Weights layer;
  EXPECT_EQ(layer.trainable.aggregation(), VariableAggregation::none);
  EXPECT_EQ(layer.state.aggregation(), VariableAggregation::mean);
  EXPECT_EQ(layer.count.aggregation(), VariableAggregation::only_first_replica);
  for (const Variable& v : metrics::Mean().variables()) {
    EXPECT_EQ(v.synchronization(), kOnRead);
    EXPECT_EQ(v.aggregation(), VariableAggregation::sum);
  }
}

TEST_F(VariablesTest, MetricsCountTheRowsOfAllReplicas) {
  metrics::Mean mean;
  const PerReplica parts = strategy_.split(Tensor::of<float>({1, 2, 6}));
  strategy_.run(
      [&](const Nest& x) -> Nest {
        mean.update_state(x.tensor());
        return x;
      },
      parts);
  EXPECT_EQ(mean.result().tensor().item(), 3);
}

}  // namespace
}  // namespace antler::distribute

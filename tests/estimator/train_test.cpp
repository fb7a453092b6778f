#include "antler/estimator/train.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "estimator/batch_list.h"

/// The expected numbers come from TensorFlow 2.15's tf.compat.v1.train.
namespace antler::estimator {
namespace {

TEST(LearningRates, EqualTensorFlows) {
  using Rate = std::function<Tensor(const Tensor& step)>;
  const train::DecayOptions stairs{.staircase = true};
  const std::vector<int64_t> steps = {0, 1, 2, 3, 5, 6, 7, 12};
  const std::vector<std::pair<Rate, std::vector<double>>> cases = {
      {[](const Tensor& s) { return train::exponential_decay(0.2, s, 3, 0.5); },
       {0.200000003, 0.158740103, 0.125992104, 0.100000001, 0.0629960522, 0.0500000007,
        0.0396850221, 0.0125000002}},
      {[&](const Tensor& s) { return train::exponential_decay(0.2, s, 3, 0.5, stairs); },
       {0.200000003, 0.200000003, 0.200000003, 0.100000001, 0.100000001, 0.0500000007, 0.0500000007,
        0.0125000002}},
      {[](const Tensor& s) { return train::natural_exp_decay(0.2, s, 3, 0.5); },
       {0.200000003, 0.169296354, 0.14330627, 0.121306136, 0.086919643, 0.0735758916, 0.0622806437,
        0.0270670597}},
      {[&](const Tensor& s) { return train::natural_exp_decay(0.2, s, 3, 0.5, stairs); },
       {0.200000003, 0.200000003, 0.200000003, 0.121306136, 0.121306136, 0.0735758916, 0.0735758916,
        0.0270670597}},
      {[](const Tensor& s) { return train::inverse_time_decay(0.2, s, 3, 0.5); },
       {0.200000003, 0.171428576, 0.149999991, 0.13333334, 0.109090909, 0.100000001, 0.0923076868,
        0.0666666701}},
      {[](const Tensor& s) {
         return train::polynomial_decay(0.2, s, 5, {.end_learning_rate = 0.05, .power = 2});
       },
       {0.200000003, 0.146000013, 0.104000002, 0.074000001, 0.0500000007, 0.0500000007,
        0.0500000007, 0.0500000007}},
      {[](const Tensor& s) {
         return train::polynomial_decay(0.2, s, 5, {.end_learning_rate = 0.05, .cycle = true});
       },
       {0.200000003, 0.170000002, 0.140000001, 0.109999999, 0.0500000007, 0.109999999, 0.0949999988,
        0.0799999982}},
      {[](const Tensor& s) { return train::cosine_decay(0.2, s, 6, 0.1); },
       {0.200000003, 0.187942296, 0.155000001, 0.109999992, 0.0320577137, 0.0200000014,
        0.0200000014, 0.0200000014}},
      {[](const Tensor& s) {
         return train::piecewise_constant(s, {2, 5}, {1, 0.5, 0.25});
       },
       {1, 1, 1, 0.5, 0.5, 0.25, 0.25, 0.25}},
  };
  for (const auto& [rate, expected] : cases) {
    for (size_t i = 0; i < steps.size(); ++i)
      EXPECT_NEAR(rate(steps[i]).item(), expected[i], 1e-7) << expected[1] << " " << steps[i];
  }
  EXPECT_THROW(train::piecewise_constant(Tensor(1), {2, 5}, {1, 0.5}), ValueError);
}

using MakeOptimizer = std::function<train::OptimizerPtr()>;

/// Minimizes (w - (0.3, 0.2, 0.6))^2 with factors 1, 2, 3 from w = (1, -2, 0.5).
ModelFn quadratic(const MakeOptimizer& make_optimizer) {
  return [make_optimizer](const ModelFnArgs& args) -> EstimatorSpec {
    const Variable w = get_variable("w", Tensor::of<float>({1, -2, 0.5F}));
    const Tensor error = w.value() - Tensor::of<float>({0.3F, 0.2F, 0.6F});
    const Tensor loss = ops::sum(ops::square(error) * Tensor::of<float>({1, 2, 3}) *
                                 ops::mean(args.features.tensor()));
    return {.mode = args.mode,
            .loss = loss,
            .train_op = make_optimizer()->minimize(loss, {.global_step = get_global_step()})};
  };
}

const Nest kOnes = Nest(std::vector<Nest>{Tensor::of<float>({1, 1}), Nest()});

TEST(Optimizers, EqualTensorFlowsAfterThreeSteps) {
  using Values = std::map<std::string, std::vector<double>>;
  const std::vector<std::pair<MakeOptimizer, Values>> cases = {
      {[] { return train::GradientDescentOptimizer(0.1); },
       {{"w", {0.658399999, -0.27519992, 0.593600035}}}},
      {[] { return train::MomentumOptimizer(0.1, 0.9); },
       {{"w", {0.343400002, 1.38800001, 0.685400009}},
        {"w/Momentum", {2.78599977, -11.8799982, -0.474000275}}}},
      {[] { return train::MomentumOptimizer(0.1, 0.9, {.use_nesterov = true}); },
       {{"w", {0.224153638, 1.15325117, 0.630406439}},
        {"w/Momentum", {2.22655964, -6.68447971, -0.130559891}}}},
      {[] { return train::AdamOptimizer(0.05, {.beta1 = 0.8, .epsilon = 1e-3}); },
       {{"beta1_power", {0.409600019}},
        {"beta2_power", {0.996006072}},
        {"w", {0.853473902, -1.85065877, 0.625821412}},
        {"w/Adam", {0.628412306, -4.18281317, -0.137362927}},
        {"w/Adam_1", {0.00510039367, 0.221765786, 0.000460993469}}}},
      {[] { return train::AdagradOptimizer(0.2); },
       {{"w", {0.608628392, -1.55936432, 0.614790678}},
        {"w/Adagrad", {3.68762302, 197.237885, 0.718671799}}}},
      {[] { return train::RMSPropOptimizer(0.02, {.decay = 0.8, .momentum = 0.5}); },
       {{"w", {0.898139417, -1.84685707, 0.550908864}},
        {"w/RMSProp", {1.37958765, 36.4663544, 0.635776222}},
        {"w/RMSProp_1", {0.0398903936, -0.0550752059, -0.0195755251}}}},
      {[] {
         return train::RMSPropOptimizer(0.02, {.decay = 0.8, .momentum = 0.5, .centered = true});
       },
       {{"w", {0.888592362, -1.81592178, 0.552020609}},
        {"w/RMSProp", {1.3749181, 36.2099991, 0.635192931}},
        {"w/RMSProp_1", {0.648386836, -4.17282391, -0.242181271}},
        {"w/RMSProp_2", {0.045601517, -0.0708762035, -0.0202047173}}}},
      {[] {
         return train::FtrlOptimizer(
             0.2, {.l1_regularization_strength = 0.01, .l2_regularization_strength = 0.02});
       },
       {{"w", {0.455854237, -1.49035513, 0.599997699}},
        {"w/Ftrl", {2.5459888, 188.469025, 1.43162704}},
        {"w/Ftrl_1", {-3.66507483, 102.370583, -3.6235044}}}},
      {[] {
         return train::FtrlOptimizer(0.2, {.learning_rate_power = -0.3,
                                           .l1_regularization_strength = 0.01,
                                           .l2_shrinkage_regularization_strength = 0.05,
                                           .beta = 0.1});
       },
       {{"w", {0.305229872, -0.722516418, 0.57039094}},
        {"w/Ftrl", {2.06372094, 129.732712, 4.31572008}},
        {"w/Ftrl_1", {-2.05928731, 15.9213371, -4.71760178}}}},
      {[] { return train::AdadeltaOptimizer(1.0, {.rho = 0.9, .epsilon = 1e-4}); },
       {{"w", {0.905400515, -1.90368497, 0.575769603}},
        {"w/Adadelta", {0.481725037, 20.344389, 0.0507710613}},
        {"w/Adadelta_1", {0.000269263808, 0.000279876462, 0.000174828514}}}},
      {[] {
         return train::ProximalGradientDescentOptimizer(
             0.1, {.l1_regularization_strength = 0.3, .l2_regularization_strength = 0.2});
       },
       {{"w", {0.553041458, -0.198486954, 0.530312717}}}},
      {[] {
         return train::ProximalAdagradOptimizer(
             0.2, {.l1_regularization_strength = 0.3, .l2_regularization_strength = 0.2});
       },
       {{"w", {0.478864044, -1.52649534, 0.537270844}},
        {"w/ProximalAdagrad", {3.17455745, 194.805878, 0.773452878}}}},
  };
  for (const auto& [make, expected] : cases) {
    GraphRun run(quadratic(make), ModeKeys::train, {kOnes, kOnes, kOnes});
    run.run(3);
    Values actual;
    for (const auto& [name, variable] : run.graph().variables())
      actual[name] = variable.stored().to_doubles();
    EXPECT_EQ(actual.at("global_step"), std::vector<double>{3});
    actual.erase("global_step");
    ASSERT_EQ(actual.size(), expected.size());
    for (const auto& [name, values] : expected) {
      ASSERT_TRUE(actual.contains(name)) << name;
      for (size_t i = 0; i < values.size(); ++i)
        EXPECT_NEAR(actual[name][i], values[i], 2e-6 * std::max(1.0, std::abs(values[i]))) << name;
    }
  }
}

TEST(Optimizers, KeepTheirSlotsForBatchesOfAnotherShape) {
  const Nest three = Nest(std::vector<Nest>{Tensor::of<float>({1, 1, 1}), Nest()});
  const MakeOptimizer adam = [] { return train::AdamOptimizer(0.05); };
  GraphRun even(quadratic(adam), ModeKeys::train, {kOnes, kOnes, kOnes});
  GraphRun uneven(quadratic(adam), ModeKeys::train, {kOnes, three, kOnes});
  even.run(3);
  uneven.run(3);
  ASSERT_EQ(uneven.graph().variables().size(), even.graph().variables().size());
  EXPECT_EQ(uneven.graph().find("w/Adam_1").stored().to_doubles(),
            even.graph().find("w/Adam_1").stored().to_doubles());
  EXPECT_EQ(uneven.graph().find("w").stored().to_doubles(),
            even.graph().find("w").stored().to_doubles());
}

TEST(Optimizers, TwoOfThemHaveNamesOfTheirOwn) {
  const ModelFn model_fn = [](const ModelFnArgs& args) -> EstimatorSpec {
    const Variable w = get_variable("w", Tensor::of<float>({1}));
    const Tensor loss = ops::sum(ops::square(w.value())) * ops::mean(args.features.tensor());
    const TrainOp both = TrainOp::group(
        {train::AdamOptimizer(0.1).minimize(loss), train::AdamOptimizer(0.2).minimize(loss)});
    return {.mode = args.mode, .loss = loss, .train_op = both};
  };
  const GraphRun run(model_fn, ModeKeys::train, {kOnes});
  for (const char* name : {"w/Adam", "w/Adam_1", "w/Adam_2", "w/Adam_3", "beta1_power",
                           "beta2_power", "beta1_power_1", "beta2_power_1"})
    EXPECT_TRUE(run.graph().find(name).defined()) << name;
  EXPECT_EQ(run.graph().trainable_variables().size(), 1U);
}

TEST(Optimizers, UpdateOnlyTheVariablesThatAreAsked) {
  const ModelFn model_fn = [](const ModelFnArgs& args) -> EstimatorSpec {
    const Variable a = get_variable("a", Tensor::of<float>({1}));
    const Variable b = get_variable("b", Tensor::of<float>({1}));
    const Tensor loss =
        ops::sum(ops::square(a.value() + b.value())) * ops::mean(args.features.tensor());
    return {.mode = args.mode,
            .loss = loss,
            .train_op =
                train::GradientDescentOptimizer(0.1).minimize(loss, {.var_list = Variables{b}})};
  };
  GraphRun run(model_fn, ModeKeys::train, {kOnes});
  run.run(1);
  EXPECT_EQ(run.graph().find("a").stored().item(), 1);
  EXPECT_NEAR(run.graph().find("b").stored().item(), 1 - 0.1 * 4, 1e-6);
  EXPECT_EQ(run.graph().global_step().stored().item(), 0);
}

TEST(Optimizers, LeaveRowsAloneThatAStepDoesNotGather) {
  const ModelFn model_fn = [](const ModelFnArgs& args) -> EstimatorSpec {
    const Variable w = get_variable("w", Tensor::of<float>({1, 1, 1}));
    const Tensor rows = ops::take(w.value(), args.features.tensor());
    const Tensor loss = ops::sum(ops::square(rows)) + ops::sum(rows);
    return {.mode = args.mode,
            .loss = loss,
            .train_op = train::MomentumOptimizer(0.1, 0.9).minimize(loss)};
  };
  const auto batch = [](int row) { return Nest(std::vector<Nest>{Tensor::of({row}), Nest()}); };
  GraphRun run(model_fn, ModeKeys::train, {batch(0), batch(2)});
  run.run(2);
  const std::vector<double> w = run.graph().find("w").stored().to_doubles();
  EXPECT_NEAR(w[0], 0.7, 1e-6);  // its momentum does not move it in the second step
  EXPECT_NEAR(w[1], 1, 1e-6);
  EXPECT_NEAR(w[2], 0.7, 1e-6);
}

TEST(Optimizers, UpdateAllRowsThatAWriteLeavesAlone) {
  const ModelFn model_fn = [](const ModelFnArgs& args) -> EstimatorSpec {
    const Variable w = get_variable("w", Tensor::of<float>({1, 1, 1}));
    const Tensor written =
        ops::scatter(w.value(), Tensor::of({1}), Tensor::of<float>({5}), ops::ScatterMode::set);
    const Tensor loss = ops::sum(ops::square(written)) * ops::mean(args.features.tensor());
    return {.mode = args.mode,
            .loss = loss,
            .train_op = train::MomentumOptimizer(0.1, 0.9).minimize(loss)};
  };
  GraphRun run(model_fn, ModeKeys::train, {kOnes});
  run.run(1);
  const std::vector<double> w = run.graph().find("w").stored().to_doubles();
  EXPECT_NEAR(w[0], 0.8, 1e-6);
  EXPECT_NEAR(w[1], 1, 1e-6);
  EXPECT_NEAR(w[2], 0.8, 1e-6);
}

TEST(Optimizers, RefuseWhatTheyCannotMinimize) {
  const auto minimizing = [](bool any_variable) -> ModelFn {
    return [=](const ModelFnArgs& args) -> EstimatorSpec {
      if (any_variable) get_variable("w", Tensor::of<float>({1}));
      const Tensor loss = ops::mean(args.features.tensor());
      return {
          .mode = args.mode, .loss = loss, .train_op = train::AdagradOptimizer(0.1).minimize(loss)};
    };
  };
  EXPECT_THROW(GraphRun(minimizing(false), ModeKeys::train, {kOnes}), ValueError);
  EXPECT_THROW(GraphRun(minimizing(true), ModeKeys::train, {kOnes}), ValueError);
  EXPECT_THROW(train::AdagradOptimizer(0.1, {.initial_accumulator_value = 0}), ValueError);
  EXPECT_THROW(train::FtrlOptimizer(0.1, {.learning_rate_power = 1}), ValueError);
  EXPECT_THROW(train::FtrlOptimizer(0.1, {.l1_regularization_strength = -1}), ValueError);
  EXPECT_THROW(tpu::CrossShardOptimizer(nullptr), TypeError);
}

TEST(CrossShardOptimizer, PassesThroughWithOneReplica) {
  const MakeOptimizer plain = [] { return train::AdamOptimizer(0.05); };
  const MakeOptimizer wrapped = [] { return tpu::CrossShardOptimizer(train::AdamOptimizer(0.05)); };
  GraphRun a(quadratic(plain), ModeKeys::train, {kOnes, kOnes});
  GraphRun b(quadratic(wrapped), ModeKeys::train, {kOnes, kOnes});
  a.run(2);
  b.run(2);
  ASSERT_EQ(a.graph().variables().size(), b.graph().variables().size());
  for (const auto& [name, variable] : a.graph().variables())
    EXPECT_EQ(b.graph().find(name).stored().to_doubles(), variable.stored().to_doubles()) << name;
}

}  // namespace
}  // namespace antler::estimator

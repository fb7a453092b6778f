#include "antler/autodiff/gradient_tape.h"

#include <gtest/gtest.h>

#include <cmath>

#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/ops/ops.h"

namespace antler {
namespace {

Tensor vec(const std::vector<double>& values) { return Tensor::of(values); }

TEST(GradientTape, DifferentiatesWhatIsWatched) {
  const Tensor x = vec({1, 2, 3});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = ops::sum(ops::square(x));
  EXPECT_EQ(tape.gradient(y, x).to_doubles(), (std::vector<double>{2, 4, 6}));
}

TEST(GradientTape, ReadsOfTrainableVariablesAreWatched) {
  const Variable v(vec({2, 3}), {.name = "v"});
  const Variable frozen(vec({5, 7}), {.name = "frozen", .trainable = false});
  GradientTape tape;
  const Tensor y = ops::sum(v.value() * frozen.value());
  EXPECT_EQ(tape.watched_variables().size(), 1U);
  const Tensors gradients = tape.gradient(y, Variables{v, frozen});
  EXPECT_EQ(gradients[0].to_doubles(), (std::vector<double>{5, 7}));
  EXPECT_FALSE(gradients[1].defined());
}

TEST(GradientTape, VariableReadTwiceWithAnAssignmentBetween) {
  const Variable v(vec({2}), {.name = "v"});
  GradientTape tape;
  const Tensor a = v.value() * 3.0;
  v.assign(vec({10}));
  const Tensor b = v.value() * v.value();
  EXPECT_EQ(tape.gradient(ops::sum(a + b), Variables{v})[0].item(), 3 + 20);
}

TEST(GradientTape, NestedTapesGiveSecondDerivatives) {
  const Tensor x = vec({2});
  GradientTape outer;
  outer.watch(x);
  Tensor first;
  {
    GradientTape inner;
    inner.watch(x);
    first = inner.gradient(ops::power(x, 3.0), x);
  }
  EXPECT_NEAR(first.item(), 12, 1e-12);
  EXPECT_NEAR(outer.gradient(first, x).item(), 12, 1e-12);
}

TEST(GradientTape, NumbersMayBeWatched) {
  const Tensor x = 2.0;
  const Tensor y(3.0F);
  GradientTape tape;
  tape.watch(x);
  tape.watch(y);
  const Tensors gradients = tape.gradient(x * x * y + 1.0, Tensors{x, y});
  EXPECT_EQ(gradients[0].item(), 12);
  EXPECT_EQ(gradients[1].item(), 4);

  const Tensor z = 2.0;
  GradientTape outer;
  outer.watch(z);
  Tensor first;
  {
    GradientTape inner;
    inner.watch(z);
    first = inner.gradient(z * z * z, z);
  }
  EXPECT_EQ(first.item(), 12);
  EXPECT_EQ(outer.gradient(first, z).item(), 12);
}

TEST(GradientTape, PersistentTapeMayBeAskedAgain) {
  const Tensor x = vec({3});
  GradientTape tape({.persistent = true});
  tape.watch(x);
  const Tensor y = x * x;
  EXPECT_EQ(tape.gradient(y, x).item(), 6);
  EXPECT_EQ(tape.gradient(y * x, x).item(), 27);
}

TEST(GradientTape, NonPersistentTapeRefusesASecondCall) {
  const Tensor x = vec({3});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = x * x;
  tape.gradient(y, x);
  EXPECT_THROW(tape.gradient(y, x), RuntimeError);
}

TEST(GradientTape, UnconnectedSources) {
  const Tensor x = vec({3});
  const Tensor z = vec({1, 2});
  GradientTape tape({.persistent = true});
  tape.watch(x);
  tape.watch(z);
  const Tensor y = x * x;
  EXPECT_FALSE(tape.gradient(y, z).defined());
  EXPECT_EQ(tape.gradient(y, z, {.unconnected_gradients = UnconnectedGradients::zero}).to_doubles(),
            (std::vector<double>{0, 0}));
}

TEST(GradientTape, StopGradientAndStopRecording) {
  const Tensor x = vec({3});
  GradientTape tape;
  tape.watch(x);
  Tensor unseen;
  {
    const GradientTape::StopRecording pause(tape);
    unseen = x * x;
  }
  const Tensor y = x * ops::stop_gradient(x * 2.0) + unseen;
  EXPECT_EQ(tape.gradient(y, x).item(), 6);
}

TEST(GradientTape, WatchingIntegersIsAnError) {
  GradientTape tape;
  EXPECT_THROW(tape.watch(Tensor::of(std::vector<int32_t>{1})), ValueError);
}

TEST(GradientTape, TargetThatIsTheSource) {
  const Tensor x = vec({3, 4});
  GradientTape tape;
  tape.watch(x);
  EXPECT_EQ(tape.gradient(x, x).to_doubles(), (std::vector<double>{1, 1}));
}

TEST(GradientTape, OutputGradientsWeighTheTargets) {
  const Tensor x = vec({1, 2});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = x * x;
  EXPECT_EQ(tape.gradient(Tensors{y}, Tensors{x}, Tensors{vec({10, 100})})[0].to_doubles(),
            (std::vector<double>{20, 400}));
}

TEST(GradientTape, Jacobian) {
  const Tensor x = vec({1, 2, 3});
  GradientTape tape;
  tape.watch(x);
  const Tensor j = tape.jacobian(ops::square(x), x);
  EXPECT_EQ(j.shape(), (Shape{3, 3}));
  EXPECT_EQ(j.to_doubles(), (std::vector<double>{2, 0, 0, 0, 4, 0, 0, 0, 6}));
}

TEST(GradientTape, AnExceptionInTheForwardPassLeavesNoTapeBehind) {
  const Tensor x = vec({1, 2});
  try {
    GradientTape tape;
    tape.watch(x);
    ops::add(x, vec({1, 2, 3}));
    FAIL() << "shapes do not fit";
  } catch (const ValueError&) {
  }
  GradientTape tape;
  tape.watch(x);
  EXPECT_EQ(tape.gradient(ops::sum(x), x).to_doubles(), (std::vector<double>{1, 1}));
}

TEST(CustomGradient, ReplacesTheRule) {
  const Tensor x = vec({2});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = custom_gradient([](const Tensors& in) { return Tensors{in[0] * in[0]}; },
                                   [](const Tensors& in, const Tensors&, const Tensors& grads) {
                                     return Tensors{grads[0] * in[0] * 100.0};
                                   },
                                   {x})[0];
  EXPECT_EQ(tape.gradient(y * 3.0, x).item(), 600);
}

TEST(CustomGradient, AnIdentityIsNotCountedTwice) {
  const Tensor x = vec({2});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = custom_gradient(
      [](const Tensors& in) { return in; },
      [](const Tensors&, const Tensors&, const Tensors& grads) { return Tensors{-grads[0]}; },
      {x})[0];
  EXPECT_EQ(tape.gradient(y, x).item(), -1);
}

TEST(ValueAndGradFunction, GivesBoth) {
  const Variable w(vec({3}), {.name = "w"});
  const auto [value, gradients] =
      value_and_grad([&] { return ops::sum(w.value() * w.value()); }, {w});
  EXPECT_EQ(value.item(), 9);
  EXPECT_EQ(gradients[0].item(), 6);
}

TEST(GradientTape, TracesLikeItRuns) {
  ir::Tracer tracer;
  const Tensor x = tracer.input({DType::float64, {3}});
  GradientTape tape;
  tape.watch(x);
  const Tensor g = tape.gradient(ops::sum(ops::exp(x)), x);
  EXPECT_TRUE(g.is_traced());
  const auto traced = tracer.finish(std::vector<Tensor>{g});
  ir::verify(traced.graph);
}

}  // namespace
}  // namespace antler

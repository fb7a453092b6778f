#include "antler/nn/call_options.h"

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/nn/functional_graph.h"
#include "antler/nn/layer.h"
#include "antler/nn/layers.h"
#include "antler/nn/mask.h"
#include "antler/ops/numpy/elementwise.h"

namespace antler {
namespace {

Tensor vector(const std::vector<float>& values) { return Tensor::of<float>(values); }

/// x * scale + sum of the extra tensors; with "minus" the negative of it.
class Affine : public LayerBase<Affine> {
 public:
  Affine() : LayerBase("Affine") {}
  Tensor call(const Tensor& x, const CallOptions& options) override {
    Tensor y = x;
    for (const Tensor& t : options.tensors("extra").flatten()) {
      if (t.defined()) y = y + t;
    }
    return options.flag("minus") ? -y : y;
  }
};

/// Takes its inputs one by one, and gives the masks that it was given.
class Masks : public LayerBase<Masks> {
 public:
  Masks() : LayerBase("Masks") {}
  CallSignature call_signature() const override {
    return {{"query", "value", "key"}, {"query_mask", "value_mask", "key_mask"}};
  }
  Nest call(const Nest&, const CallOptions& options) override {
    return Nest(Tensors{options.tensors("query_mask"), options.tensors("value_mask")});
  }
};

TEST(CallOptions, FindSetAndTypes) {
  CallOptions options{.arguments = {{"flag", true}, {"n", int64_t{3}}}};
  EXPECT_TRUE(options.flag("flag"));
  EXPECT_FALSE(options.flag("other"));
  EXPECT_TRUE(options.flag("other", true));
  EXPECT_THROW(options.flag("n"), TypeError);
  EXPECT_THROW(options.tensors("flag"), TypeError);
  EXPECT_TRUE(options.tensors("other").is_none());
  options.set("flag", false);
  EXPECT_FALSE(options.flag("flag"));
  EXPECT_EQ(options.arguments.size(), 2U);
  options.set("training", true);
  EXPECT_EQ(options.training, true);
  options.set("mask", Nest(vector({1})));
  EXPECT_TRUE(options.mask.defined());
  options.set("mask", Nest{vector({1}), Tensor()});
  EXPECT_EQ(options.tensors("mask").size(), 2U);
  options.set("initial_state", Nest{vector({2}), vector({3})});
  EXPECT_EQ(options.initial_state.size(), 2U);
  EXPECT_EQ(options.tensors("initial_state").size(), 2U);
  // By sorted names: "initial_state", then "mask".
  EXPECT_EQ(options.leaves().size(), 5U);
  EXPECT_EQ(options.leaves()[0].item(), 2);
  const CallOptions same = options.with_leaves(options.leaves());
  EXPECT_EQ(same.initial_state[1].tensor().item(), 3);
}

TEST(CallOptions, InitialStateOfALayerOfAGraph) {
  const Tensor x = Input({4, 2});
  const Tensor state = Input({3});
  GRU gru(3, {.return_sequences = true});
  const Tensor y = gru(x, {.initial_state = state});
  EXPECT_EQ(y.shape(), (Shape{Shape::kUnknown, 4, 3}));
  const FunctionalGraph graph(Nest{x, state}, y);
  const Tensor a = Tensor::full(DType::float32, {2, 4, 2}, 0.5);
  const Tensor s = Tensor::full(DType::float32, {2, 3}, 0.25);
  const std::vector<double> expected = gru(a, {.initial_state = s}).to_doubles();
  EXPECT_EQ(graph.run(Nest{a, s}).tensor().to_doubles(), expected);
  EXPECT_EQ(gru(a, {.arguments = {{"initial_state", s}}}).to_doubles(), expected);
  EXPECT_NE(gru(a).to_doubles(), expected);
}

TEST(CallOptions, LeavesByNameAndBack) {
  const Tensor a = vector({1});
  const Tensor b = vector({2});
  const Tensor m = vector({3});
  const Tensor z = vector({4});
  const CallOptions options{.mask = m,
                            .arguments = {{"z", Nest(z)}, {"f", true}, {"a", Nest{a, b}}}};
  const Tensors leaves = options.leaves();
  ASSERT_EQ(leaves.size(), 4U);
  EXPECT_EQ(leaves[0].id(), a.id());
  EXPECT_EQ(leaves[1].id(), b.id());
  EXPECT_EQ(leaves[2].id(), m.id());
  EXPECT_EQ(leaves[3].id(), z.id());
  const CallOptions other = options.with_leaves({z, m, a, b});
  EXPECT_EQ(other.mask.id(), a.id());
  EXPECT_EQ(other.tensors("a")[0].tensor().id(), z.id());
  EXPECT_EQ(other.tensors("z").tensor().id(), b.id());
  EXPECT_TRUE(other.flag("f"));
  EXPECT_THROW(options.with_leaves({a}), InternalError);
}

TEST(CallOptions, TensorsOfArgumentsArePartOfTheGraph) {
  const Tensor x = Input({2});
  const Tensor e = Input({2});
  const Tensor constant = Tensor::of<float>({10, 20}, {1, 2});
  const Tensor y =
      Affine()(x, {.arguments = {{"extra", Nest{e, Tensor(), constant}}, {"minus", true}}});
  const FunctionalGraph graph(Nest{x, e}, y);
  const Tensor a = Tensor::of<float>({1, 2}, {1, 2});
  const Tensor b = Tensor::of<float>({3, 4}, {1, 2});
  EXPECT_EQ(graph.run(Nest{a, b}).tensor().to_vector<float>(), (std::vector<float>{-14, -26}));
  EXPECT_THROW(FunctionalGraph(x, y), ValueError);  // disconnected
}

TEST(CallOptions, MasksOfSeveralInputs) {
  const Tensor mask = Tensor::of<float>({1}, {1, 1});
  const Tensor plain = Tensor::zeros(DType::float32, {1, 1, 2});
  const Nest got = Masks()(Nest{plain, with_keras_mask(plain, mask)}, {});
  EXPECT_FALSE(got[0].tensor().defined());
  EXPECT_EQ(got[1].tensor().id(), mask.id());
}

TEST(CallOptions, TrainingIsAConditionAsInPython) {
  const auto taken = [](const CallOptions& options) {
    if (options.training) return true;
    return false;
  };
  EXPECT_TRUE(taken({.training = true}));
  EXPECT_FALSE(taken({.training = false}));
  EXPECT_FALSE(taken({}));
  EXPECT_FALSE(taken({.training = None}));
  EXPECT_TRUE(CallOptions{.training = false}.training.given());
  EXPECT_FALSE(CallOptions{}.training.given());
}

}  // namespace
}  // namespace antler

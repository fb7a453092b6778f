#include "antler/nn/remat_scope.h"

#include <gtest/gtest.h>

#include "antler/antler.h"

namespace antler {
namespace {

using Scope = std::optional<RematScopeOptions>;

/// Layers of 64 and 8 elements per sample.
Sequential deep_model(const Scope& scope) {
  utils::set_random_seed(7);
  std::optional<RematScope> guard;
  if (scope) guard.emplace(*scope);
  Sequential model({Input({16})});
  for (int i = 0; i < 6; ++i) {
    model.add(Dense(64, {.activation = "gelu", .name = format("wide_{}", i)}));
    model.add(Dropout(0.1));
    model.add(Dense(8, {.activation = "tanh", .name = format("narrow_{}", i)}));
  }
  model.compile({.optimizer = "sgd", .loss = "mse"});
  return model;
}

Tensor inputs() { return ops::sin(ops::reshape(ops::arange(int64_t{512} * 16), {512, 16})); }

int64_t arena(const Scope& scope) {
  return deep_model(scope)
      .memory_plan(
          {Tensor::zeros(DType::float32, {4096, 16}), Tensor::zeros(DType::float32, {4096, 8})})
      .arena;
}

std::vector<double> losses_of(const Scope& scope) {
  Sequential model = deep_model(scope);
  const Tensor x = inputs();
  const History history =
      model.fit(x, ops::slice_axis(x, 1, 0, 8), {.batch_size = 64, .epochs = 2, .verbose = 0});
  return history.history.at("loss");
}

TEST(RematScope, TrainsAsWithout) {
  const std::vector<double> expected = losses_of({});
  for (const char* mode : {"full", "activations", "larger_than", "list_of_layers"}) {
    SCOPED_TRACE(mode);
    const std::vector<double> losses =
        losses_of(RematScopeOptions{.mode = mode, .layer_names = {"wide_0", "wide_3"}});
    ASSERT_EQ(losses.size(), expected.size());
    for (size_t i = 0; i < losses.size(); ++i) EXPECT_NEAR(losses[i], expected[i], 1e-6);
  }
}

/// Wide layers in blocks whose inputs and outputs are small.
struct Block : LayerBase<Block> {
  Block() {
    track("wide", wide);
    track("narrow", narrow);
  }
  Tensor call(const Tensor& x) override { return x + narrow(ops::gelu(wide(x))); }
  Dense wide{256};
  Dense narrow{16, {.activation = "tanh"}};
};

int64_t arena_of_blocks(bool again) {
  Sequential model({Input({16})});
  std::optional<RematScope> scope;
  if (again) scope.emplace();
  for (int i = 0; i < 8; ++i) model.add(Block());
  scope.reset();
  model.compile({.optimizer = "sgd", .loss = "mse"});
  return model
      .memory_plan(
          {Tensor::zeros(DType::float32, {1024, 16}), Tensor::zeros(DType::float32, {1024, 16})})
      .arena;
}

TEST(RematScope, NeedsLessMemory) {
  const int64_t kept = arena_of_blocks(false);
  const int64_t again = arena_of_blocks(true);
  EXPECT_LT(again, kept / 3) << "of " << kept;
}

TEST(RematScope, ThresholdCountsTheBatch) {
  const int64_t kept = arena({});
  // 4096 rows of 64: none is larger than this.
  EXPECT_EQ(
      arena(RematScopeOptions{.mode = "larger_than", .output_size_threshold = int64_t{4096} * 64}),
      kept);
  EXPECT_NE(
      arena(RematScopeOptions{.mode = "larger_than", .output_size_threshold = int64_t{4096} * 63}),
      kept);
}

TEST(RematScope, ScopesNest) {
  EXPECT_EQ(RematScope::current(), nullptr);
  const RematScope outer;
  EXPECT_EQ(RematScope::current()->mode, "full");
  {
    const RematScope inner({.mode = "activations"});
    EXPECT_EQ(RematScope::current()->mode, "activations");
    const RematScope none({.mode = None});
    EXPECT_EQ(RematScope::current(), nullptr);
  }
  EXPECT_EQ(RematScope::current()->mode, "full");
}

TEST(RematScope, UnknownModesAreErrors) {
  try {
    const RematScope scope({.mode = "invalid"});
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_EQ(std::string(error.what()),
              "RematScope: invalid mode 'invalid'. Supported modes are: 'full', 'activations', "
              "'larger_than', 'list_of_layers', or None.");
  }
  EXPECT_EQ(RematScope::current(), nullptr);
}

}  // namespace
}  // namespace antler

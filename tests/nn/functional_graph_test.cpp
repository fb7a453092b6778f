#include "antler/nn/functional_graph.h"

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/nn/layer_handle.h"
#include "antler/nn/layers.h"
#include "antler/nn/registry.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"

namespace antler {
namespace {

std::vector<std::string> names(const std::vector<LayerPtr>& layers) {
  std::vector<std::string> result;
  result.reserve(layers.size());
  for (const LayerPtr& layer : layers) result.push_back(layer->name());
  return result;
}

TEST(FunctionalGraph, ShapesWithUnknownBatch) {
  Tensor x = Input({28, 28, 1});
  EXPECT_EQ(x.shape(), (Shape{Shape::kUnknown, 28, 28, 1}));
  x = Conv2D(8, {3, 3}, {.activation = "relu"})(x);
  EXPECT_EQ(x.shape(), (Shape{Shape::kUnknown, 26, 26, 8}));
  x = MaxPooling2D()(x);
  x = Flatten()(x);
  EXPECT_EQ(x.shape(), (Shape{Shape::kUnknown, 1352}));
  x = Dense(10)(x);
  EXPECT_EQ(x.shape(), (Shape{Shape::kUnknown, 10}));
  EXPECT_TRUE(x.is_placeholder());
  EXPECT_EQ(Input({3}, {.batch_size = 5}).shape(), (Shape{5, 3}));
  EXPECT_EQ(Dense(2)(Input({Shape::kUnknown, 3})).shape(),
            (Shape{Shape::kUnknown, Shape::kUnknown, 2}));
}

// An unknown dimension takes the size that another tensor or a weight asks for, as in Keras.
TEST(FunctionalGraph, UnknownSizesBesideKnownOnes) {
  const Tensor unknown = Input({Shape::kUnknown, 4});
  const Tensor known = Input({3, 4});
  EXPECT_EQ(Add()({unknown, known}).shape(), (Shape{Shape::kUnknown, 3, 4}));
  EXPECT_EQ((Input({Shape::kUnknown}) * Input({4})).shape(), (Shape{Shape::kUnknown, 4}));
  EXPECT_EQ(Concatenate()({unknown, Input({3, 2})}).shape()[2], 6);
  EXPECT_EQ(ops::matmul(Input({2, Shape::kUnknown}), known).shape(),
            (Shape{Shape::kUnknown, 2, 4}));
  const Tensor mask = Input({3, 3}, {.dtype = "bool"});
  const Tensor attended =
      MultiHeadAttention(2, 2)(unknown, unknown, {.arguments = {{"attention_mask", Nest(mask)}}});
  EXPECT_EQ(attended.shape()[2], 4);
  const Tensor state = Input({Shape::kUnknown});
  EXPECT_EQ(LSTM(5)(known, {.initial_state = Nest{state, state}}).shape(),
            (Shape{Shape::kUnknown, 5}));

  const FunctionalGraph graph(Nest{unknown, known}, Add()({unknown, known}));
  EXPECT_EQ(graph.run(Nest{ops::ones({2, 3, 4}), ops::ones({2, 3, 4})}).tensor().shape(),
            (Shape{2, 3, 4}));
  EXPECT_THROW(Add()({unknown, Input({3, 5})}), ValueError);
}

TEST(FunctionalGraph, TemporaryLayersLiveOn) {
  const Tensor x = Input({4});
  const Tensor y = Dense(2)(Dense(3, {.activation = "relu"})(x));
  const FunctionalGraph graph(x, y);
  EXPECT_EQ(graph.run(Tensor::zeros(DType::float32, {5, 4})).tensor().shape(), (Shape{5, 2}));
  EXPECT_EQ(graph.layers().size(), 3U);
}

// Order of Keras 3.15: model.layers of the same graph.
TEST(FunctionalGraph, LayersByDepth) {
  const Tensor a = Input({4}, {.name = "in_a"});
  const Tensor b = Input({4}, {.name = "in_b"});
  const Tensor h = Dense(4, {.name = "h"})(a);
  const Tensor g = Dense(4, {.name = "g"})(h);
  const Tensor s = Add({.name = "sum"})({g, b});
  const Tensor out = Dense(1, {.name = "out"})(s);
  const FunctionalGraph graph(Nest{a, b}, out);
  EXPECT_EQ(names(graph.layers()),
            (std::vector<std::string>{"in_a", "h", "g", "in_b", "sum", "out"}));
}

TEST(FunctionalGraph, SharedLayersAreCalledTwice) {
  const Tensor a = Input({2});
  const Tensor b = Input({2});
  Dense shared(3, {.name = "shared"});
  const Tensor both = Concatenate()({shared(a), shared(b)});
  const FunctionalGraph graph(Nest{a, b}, both);
  EXPECT_EQ(graph.layers().size(), 4U);
  EXPECT_EQ(graph.nodes_of(shared).size(), 2U);
  const Tensor x = Tensor::of<float>({1, 2}, {1, 2});
  const std::vector<double> y = graph.run(Nest{x, x}).tensor().to_doubles();
  EXPECT_EQ(std::vector<double>(y.begin(), y.begin() + 3),
            std::vector<double>(y.begin() + 3, y.end()));
}

TEST(FunctionalGraph, OpsOnPlaceholders) {
  const Tensor x = Input({3});
  const Tensor z = Input({1});
  const Tensor y = ops::relu(x * 2.0 - z) + Tensor::of<float>({1, 2, 3});
  EXPECT_EQ(y.shape(), (Shape{Shape::kUnknown, 3}));
  const Tensor joined = ops::concatenate({y, ops::mean(x, {-1}, {.keepdims = true})}, 1);
  EXPECT_EQ(joined.shape(), (Shape{Shape::kUnknown, 4}));
  const Tensor folded = ops::reshape(joined, {-1, 2, 2});
  EXPECT_EQ(folded.shape(), (Shape{Shape::kUnknown, 2, 2}));
  const FunctionalGraph graph(Nest{x, z}, folded);
  EXPECT_EQ(graph.layers().size(), 2U);  // the inputs; ops are operations only
  EXPECT_GT(graph.operations().size(), 5U);
  const Tensor out = graph
                         .run(Nest{Tensor::of<float>({1, 2, 3, -1, 0, 4}, {2, 3}),
                                   Tensor::of<float>({1, 2}, {2, 1})})
                         .tensor();
  EXPECT_EQ(out.shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(out.to_doubles(), (std::vector<double>{2, 5, 8, 2, 1, 2, 9, 1}));
}

TEST(FunctionalGraph, OpsThatNeedTheBatchSayso) {
  const Tensor x = Input({3});
  EXPECT_THROW(ops::mean(x), ValueError);
  EXPECT_THROW(ops::broadcast_to(x, {4, Shape::kUnknown, 3}), ValueError);
}

// As in Keras 3.15.
TEST(FunctionalGraph, ReshapesOfUnknownCounts) {
  constexpr int64_t kNone = Shape::kUnknown;
  const Tensor row = Input({None});
  const Tensor image = Reshape({3, 4})(row);
  EXPECT_EQ(image.shape(), (Shape{kNone, 3, 4}));
  EXPECT_EQ(Reshape({-1, 4})(row).shape(), (Shape{kNone, kNone, 4}));
  EXPECT_EQ(Reshape({-1, 100})(row).shape(), (Shape{kNone, kNone, 100}));
  EXPECT_EQ(Dense(2)(image).shape(), (Shape{kNone, 3, 2}));
  const Tensor pair = Input({2});
  const Tensor triples = ops::reshape(pair, {-1, 3});
  EXPECT_EQ(triples.shape(), (Shape{kNone, 3}));
  EXPECT_EQ(ops::reshape(pair, {4, 3}).shape(), (Shape{4, 3}));
  EXPECT_EQ(ops::reshape(Input({None, 2}), {-1, 3, 2}).shape(), (Shape{kNone, 3, 2}));

  const FunctionalGraph images(row, image);
  EXPECT_EQ(images.run(Tensor::zeros(DType::float32, {2, 12})).tensor().shape(), (Shape{2, 3, 4}));
  EXPECT_THROW(images.run(Tensor::zeros(DType::float32, {2, 13})), ValueError);
  const FunctionalGraph rows(pair, triples);
  EXPECT_EQ(rows.run(Tensor::zeros(DType::float32, {3, 2})).tensor().shape(), (Shape{2, 3}));
  EXPECT_THROW(rows.run(Tensor::zeros(DType::float32, {2, 2})), ValueError);

  // What no batch can make right.
  EXPECT_THROW(Reshape({-1, 3})(Input({5})), ValueError);
  EXPECT_THROW(Reshape({3, 4})(Input({5})), ValueError);
  EXPECT_THROW(ops::reshape(Input({5}, {.batch_size = 1}), {-1, 3}), ValueError);
  EXPECT_THROW(Reshape({3, 4})(Input({13}, {.batch_size = 1})), ValueError);
}

TEST(FunctionalGraph, DisconnectedInput) {
  const Tensor a = Input({2}, {.name = "used"});
  const Tensor b = Input({2}, {.name = "forgotten"});
  const Tensor y = Add({.name = "add"})({a, b});
  try {
    FunctionalGraph graph(a, y);
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("Graph disconnected"), std::string::npos)
        << error.what();
  }
  EXPECT_THROW(FunctionalGraph(a, Tensor::zeros(DType::float32, {2, 2})), ValueError);
}

TEST(FunctionalGraph, NamesMustBeUnique) {
  const Tensor x = Input({2});
  const Tensor y = Dense(2, {.name = "twice"})(Dense(2, {.name = "twice"})(x));
  EXPECT_THROW(FunctionalGraph(x, y), ValueError);
}

TEST(FunctionalGraph, StartsAtAnyPlaceholder) {
  const Tensor x = Input({2});
  const Tensor h = Dense(3)(x);
  const Tensor y = Dense(1)(h);
  const FunctionalGraph tail(h, y);
  EXPECT_EQ(tail.layers().size(), 1U);
  EXPECT_EQ(tail.run(Tensor::zeros(DType::float32, {4, 3})).tensor().shape(), (Shape{4, 1}));
}

TEST(FunctionalGraph, OutputsOfALayer) {
  const Tensor x = Input({2});
  Dense hidden(3);
  const Tensor y = Dense(1)(hidden(x));
  const FunctionalGraph all(x, y);
  const FunctionalGraph features(x, hidden.output());
  EXPECT_EQ(features.run(Tensor::zeros(DType::float32, {4, 2})).tensor().shape(), (Shape{4, 3}));
  EXPECT_EQ(hidden.input().tensor().shape(), x.shape());
  EXPECT_THROW(Dense(1).output(), AttributeError);
}

TEST(FunctionalGraph, MatchesInputs) {
  const Tensor a = Input({1}, {.name = "a"});
  const Tensor b = Input({1}, {.name = "b"});
  const FunctionalGraph graph(Nest{a, b}, Subtract()({a, b}));
  const Tensor two = Tensor::of<int32_t>({2, 3});  // int32, without the last dimension
  const Tensor one = Tensor::of<float>({1, 1}, {2, 1});
  EXPECT_EQ(graph.run(Nest{two, one}).tensor().to_doubles(), (std::vector<double>{1, 2}));
  EXPECT_EQ(graph.run(Nest::dict({{"b", one}, {"a", two}, {"c", one}})).tensor().to_doubles(),
            (std::vector<double>{1, 2}));
  EXPECT_THROW(graph.run(one), ValueError);
  EXPECT_THROW(graph.run(Nest{one, Tensor::zeros(DType::float32, {2, 7})}), ValueError);
}

TEST(FunctionalGraph, RunsOnPlaceholders) {
  const Tensor x = Input({2});
  const FunctionalGraph inner(x, Dense(3)(x));
  const Tensor z = Input({2});
  const Tensor y = inner.run(z).tensor();
  EXPECT_TRUE(y.is_placeholder());
  const FunctionalGraph outer(z, y);
  const Tensor v = Tensor::of<float>({1, 2}, {1, 2});
  EXPECT_EQ(outer.run(v).tensor().to_doubles(), inner.run(v).tensor().to_doubles());
}

TEST(FunctionalGraph, CallOptionsStayInForce) {
  const Tensor x = Input({64});
  const FunctionalGraph always(x, Dropout(0.5)(x, {.training = true}));
  const FunctionalGraph follows(x, Dropout(0.5)(x));
  const Tensor ones = Tensor::full(DType::float32, {1, 64}, 1);
  EXPECT_NE(always.run(ones).tensor().to_doubles(), ones.to_doubles());
  EXPECT_EQ(follows.run(ones).tensor().to_doubles(), ones.to_doubles());
  EXPECT_NE(follows.run(ones, {.training = true}).tensor().to_doubles(), ones.to_doubles());
}

TEST(LayerHandle, TakesLayersAndInputs) {
  const std::vector<LayerHandle> list = {Input({2}, {.name = "in"}), Dense(3), Flatten()};
  EXPECT_EQ(list[0]->class_name(), "InputLayer");
  EXPECT_EQ(list[0]->name(), "in");
  EXPECT_EQ(list[1]->class_name(), "Dense");
  EXPECT_THROW(LayerHandle(Tensor(1.0)), TypeError);
  EXPECT_THROW(LayerHandle(Dense(2)(Input({2}))), TypeError);
}

TEST(Layer, AbstractCallsLeaveNoTrace) {
  BatchNormalization norm;
  norm(Input({2}), {.training = true});
  EXPECT_EQ(norm.weights()[2].stored().to_doubles(), (std::vector<double>{0, 0}));
  EXPECT_EQ(norm.compute_output_shape({Shape::kUnknown, 2}), (Shape{Shape::kUnknown, 2}));
  EXPECT_TRUE(norm.losses().empty());
}

}  // namespace
}  // namespace antler

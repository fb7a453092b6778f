// DynamicLookup and DynamicEmbedding, compared with the results of tf_keras 2.21.
#include "antler/nn/layers/dynamic_embedding.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/core/string_handles.h"
#include "antler/nn/layers/input.h"
#include "antler/nn/layers/reshaping.h"
#include "antler/nn/optimizers.h"
#include "antler/nn/registry.h"
#include "antler/training/callbacks/update_embedding.h"
#include "antler/training/sequential.h"

namespace antler {
namespace {

using Strings = std::vector<std::string>;

Tensor row_of_strings(const Strings& strings) {
  return string_handles(StringTensor(strings, Shape{1, std::ssize(strings)}));
}

TEST(DynamicLookup, CountsWhatItIsCalledWith) {
  DynamicLookup layer(3, Strings{"apple", "banana", "cherry"});
  struct Step {
    Strings input;
    std::vector<int64_t> output;
    Strings top;
  };
  const std::vector<Step> steps = {
      {{"apple", "zoo"}, {0, 3}, {"zoo", "banana", "cherry"}},
      {{"zoo", "bee", "ant"}, {3, 3, 3}, {"zoo", "ant", "bee"}},
      {{"cherry", "zoo"}, {2, 3}, {"zoo", "bee", "cherry"}},
      {{"q", "r", "zoo", "ant"}, {3, 3, 3, 3}, {"ant", "q", "r"}},
      {{"q", "q", "apple"}, {3, 3, 0}, {"q", "r", "apple"}},
  };
  for (const Step& step : steps) {
    EXPECT_EQ(layer(row_of_strings(step.input)).to_vector<int64_t>(), step.output);
    EXPECT_EQ(layer.get_top_vocabulary(3), step.top);
  }
  layer(row_of_strings({"new"}), {.arguments = {{"learn_vocab", false}}});
  EXPECT_EQ(layer.get_top_vocabulary(3), steps.back().top);
  EXPECT_EQ(layer.get_vocabulary(), (Strings{"apple", "banana", "cherry"}));
  const Json config = layer.get_config();
  EXPECT_EQ(layer_from_config("DynamicLookup", config)->get_config(), config);
  EXPECT_EQ(serialize_layer(layer)["module"], "keras.layers.experimental");
}

TEST(DynamicLookup, OfIntegers) {
  DynamicLookup layer(5, std::vector<int64_t>{10, 20, 30, 40, 50});
  const auto call = [&](std::vector<int64_t> numbers) {
    return layer(Tensor::of(numbers, {1, 2})).to_vector<int64_t>();
  };
  EXPECT_EQ(call({10, 7}), (std::vector<int64_t>{0, 5}));
  EXPECT_EQ(call({7, 8}), (std::vector<int64_t>{5, 5}));
  EXPECT_EQ(call({9, 10}), (std::vector<int64_t>{5, 0}));
  EXPECT_EQ(call({1, 2}), (std::vector<int64_t>{5, 5}));
  EXPECT_EQ(layer.get_top_vocabulary(6), (Strings{"10", "7", "8", "9", "1", "2"}));
  EXPECT_THROW(layer(row_of_strings({"a"})), TypeError);
  EXPECT_THROW(DynamicLookup(3, Strings{"a"}, {.eviction_policy = "LRU"}), ValueError);
  EXPECT_THROW(DynamicLookup(1, Strings{"a", "b"}), ValueError);
  EXPECT_THROW(DynamicLookup(3, Strings{}), ValueError);
}

TEST(DynamicEmbedding, KeepsTheRowsOfTokensThatStay) {
  DynamicEmbedding layer(2, 3, Strings{"a", "b"});
  const Tensor x = row_of_strings({"a", "z", "z", "b"});
  EXPECT_EQ(layer(x).shape(), (Shape{1, 4, 3}));
  ASSERT_EQ(layer.weights().size(), 1U);
  const Variable embeddings = layer.weights()[0];
  EXPECT_EQ(embeddings.shape(), (Shape{3, 3}));
  embeddings.assign(Tensor::of<float>({0, 1, 2, 3, 4, 5, 6, 7, 8}, {3, 3}));
  EXPECT_EQ(layer(x).to_doubles(), (std::vector<double>{0, 1, 2, 6, 7, 8, 6, 7, 8, 3, 4, 5}));
  layer.update_embeddings();
  EXPECT_EQ(layer.get_vocabulary(), (Strings{"z", "a"}));
  const std::vector<double> rows = embeddings.stored().to_doubles();
  EXPECT_EQ(std::vector<double>(rows.begin() + 3, rows.begin() + 6),
            (std::vector<double>{0, 1, 2}));
  EXPECT_LT(std::abs(rows[0]), 0.05);  // drawn anew
  EXPECT_LT(std::abs(rows[8]), 0.05);
  const Json config = layer.get_config();
  EXPECT_EQ(config["input_dim"], 2);
  EXPECT_EQ(layer_from_config("DynamicEmbedding", config)->get_config(), config);
}

TEST(DynamicEmbedding, IsUpdatedWhileItTrains) {
  const DynamicEmbedding layer(2, 2, Strings{"a", "b"});
  Sequential model({Input({2}, {.dtype = "string"}), layer, Flatten(), Dense(1)});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.1}), .loss = "mse"});
  model.fit(
      string_handles(StringTensor({"c", "d", "d", "c"}, {2, 2})), Tensor::of<float>({1, 0}, {2, 1}),
      {.epochs = 2, .verbose = 0, .callbacks = {callbacks::UpdateEmbeddingCallback(layer, 0)}});
  EXPECT_EQ(layer.get_vocabulary(), (Strings{"c", "d"}));
  bool found = false;
  for (const Variable& slot : model.optimizer().variables()) {
    if (slot.name().find("embeddings") == std::string::npos) continue;
    found = true;
    for (const double v : slot.stored().to_doubles()) EXPECT_EQ(v, 0) << slot.name();
  }
  EXPECT_TRUE(found);
  EXPECT_THROW(callbacks::UpdateEmbeddingCallback(layer, -1), ValueError);
}

}  // namespace
}  // namespace antler

// Models whose input is text: handles in data sets and programs, layers that look them up.
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/core/string_handles.h"
#include "antler/nn/layers.h"
#include "antler/nn/optimizers.h"
#include "antler/runtime/function.h"
#include "antler/training/adapt.h"
#include "antler/training/saving.h"
#include "antler/training/sequential.h"

namespace antler {
namespace {

const StringTensor kTexts({"a good film", "bad, bad!", "good good", "a bad one", "so good", "bad"},
                          {6, 1});
const Tensor kLabels = Tensor::of<float>({1, 0, 1, 0, 1, 0}, {6, 1});

TextVectorization adapted(const TextVectorizationOptions& options) {
  TextVectorization layer(options);
  adapt(layer, data::Dataset::from_tensor_slices(string_handles(kTexts)).batch(4));
  return layer;
}

TEST(StringHandles, HandlesNameStrings) {
  const Tensor handles = string_handles({{"a", "b", "a", ""}, {2, 2}});
  EXPECT_EQ(handles.to_vector<uint64_t>()[0], handles.to_vector<uint64_t>()[2]);
  EXPECT_EQ(strings_of(handles), StringTensor({"a", "b", "a", ""}, {2, 2}));
  EXPECT_THROW(strings_of(Tensor::of<uint64_t>({7})), TypeError);
  EXPECT_THROW(strings_of(Tensor::of<float>({7})), TypeError);
}

TEST(TextModel, TrainsAndComesBackFromItsFile) {
  const TextVectorization vectorize = adapted({.output_sequence_length = 3});
  EXPECT_EQ(vectorize.get_vocabulary(),
            (std::vector<std::string>{"", "[UNK]", "good", "bad", "a", "so", "one", "film"}));
  const Tensor input = Input({1}, {.dtype = "string"});
  Tensor x = Embedding(8, 4)(TextVectorization(vectorize)(input));
  x = Dense(1, {.activation = "sigmoid"})(GlobalAveragePooling1D()(x));
  Model model(input, x);
  model.compile(
      {.optimizer = optimizers::Adam({.learning_rate = 0.05}), .loss = "binary_crossentropy"});
  const auto data =
      data::Dataset::from_tensor_slices({string_handles(kTexts), kLabels}).shuffle(6).batch(4);
  History history = model.fit(data, {.epochs = 40, .verbose = 0});
  EXPECT_LT(history.history["loss"].back(), 0.7 * history.history["loss"].front());

  const Tensor unseen = string_handles({{"a good one", "what?"}, {2, 1}});
  const std::vector<double> before = model.predict(unseen, {.verbose = 0}).tensor().to_doubles();
  const std::string path =
      (std::filesystem::temp_directory_path() / "antler_text_model.keras").string();
  model.save(path);
  Model loaded = load_model(path);
  std::filesystem::remove(path);
  EXPECT_EQ(loaded.predict(unseen, {.verbose = 0}).tensor().to_doubles(), before);
  EXPECT_EQ(loaded.layers()[0]->get_config()["dtype"], "string");
}

TEST(TextModel, CountsInsideOfPrograms) {
  const StringTensor texts({"bad bad film", "", "new good"}, {3, 1});
  for (const char* mode : {"multi_hot", "count", "tf_idf"}) {
    const TextVectorization layer = adapted({.ngrams = 2, .output_mode = mode});
    const Tensor direct = TextVectorization(layer).call_strings(texts);
    auto program = tf::function([layer](const Tensor& x) { return TextVectorization(layer)(x); });
    EXPECT_EQ(program(string_handles(texts)).tensor().to_doubles(), direct.to_doubles()) << mode;
  }
}

TEST(TextModel, WhatCannotBe) {
  const Tensor input = Input({1}, {.dtype = "string"});
  EXPECT_THROW(adapted({})(input), ValueError);  // a length that depends on the texts
  EXPECT_THROW(adapted({})(Input({1})), TypeError);
  EXPECT_THROW(StringLookup({.vocabulary = {{"a"}}})(Input({1}, {.dtype = "int64"})), TypeError);
  StringLookup strict({.num_oov_indices = 0, .vocabulary = {{"a"}}});
  EXPECT_THROW(strict(string_handles({{"b"}})), ValueError);
  IntegerLookup lookup;
  EXPECT_THROW(adapt(lookup, data::Dataset::range(4).repeat()), ValueError);
  EXPECT_THROW(adapt(lookup, data::Dataset::range(4).take(0).batch(2)), ValueError);
}

}  // namespace
}  // namespace antler

// Expected numbers are from Keras 3.15 (from its legacy functions for those of Keras 2) and Pillow.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/data/utils/arrays.h"
#include "antler/data/utils/datasets.h"
#include "antler/data/utils/images.h"
#include "antler/data/utils/tokenizer.h"
#include "data/utils/pillow_resize.h"

namespace antler::utils {
namespace {

using Doubles = std::vector<double>;
using Strings = std::vector<std::string>;

void expect_near(const Tensor& x, const Doubles& expected) {
  const Doubles values = x.to_doubles();
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-6) << i;
}

TEST(Utils, Classes) {
  const Tensor hot = to_categorical(Tensor::of<int64_t>({1, 2}, {2, 1}));
  EXPECT_EQ(hot.shape(), (Shape{2, 3}));
  EXPECT_EQ(hot.to_doubles(), (Doubles{0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(to_categorical(Tensor::of<int32_t>({0, -1}), 3).to_doubles(),
            (Doubles{1, 0, 0, 0, 0, 1}));
  EXPECT_EQ(to_ordinal(Tensor::of<int32_t>({0, 2, 1}), 3).to_doubles(),
            (Doubles{0, 0, 1, 1, 1, 0}));
  EXPECT_THROW(to_categorical(Tensor::of<int32_t>({3}), 3), IndexError);
}

TEST(Utils, Norms) {
  const Tensor x = Tensor::of<double>({3, 4, 0, 0, 1, -2}, {3, 2});
  expect_near(normalize(x), {0.6, 0.8, 0, 0, 0.4472136, -0.8944272});
  expect_near(normalize(x, 0, 1), {0.75, 2.0 / 3, 0, 0, 0.25, -1.0 / 3});
  expect_near(normalize(x, 1, std::numeric_limits<double>::infinity()), {0.75, 1, 0, 0, 0.5, -1});
  EXPECT_THROW(normalize(x, 2), ValueError);
}

TEST(Utils, Sequences) {
  using Lists = std::vector<Doubles>;
  EXPECT_EQ(pad_sequences(Lists{{1}, {1, 2, 3}}, {.maxlen = 2}).to_doubles(),
            (Doubles{0, 1, 2, 3}));
  const Tensor post = pad_sequences(
      Lists{{1}, {1, 2, 3}},
      {.maxlen = 2, .dtype = DType::float32, .padding = "post", .truncating = "post", .value = -1});
  EXPECT_EQ(post.to_doubles(), (Doubles{1, -1, 1, 2}));
  EXPECT_EQ(post.dtype(), DType::float32);
  const Tensor rows = pad_sequences(
      Tensors{Tensor::of<float>({1, 2}, {1, 2}), Tensor::of<float>({3, 4, 5, 6}, {2, 2})});
  EXPECT_EQ(rows.shape(), (Shape{2, 2, 2}));
  EXPECT_EQ(rows.to_doubles(), (Doubles{0, 0, 1, 2, 3, 4, 5, 6}));
  EXPECT_THROW(pad_sequences(Lists{{1}}, {.padding = "middle"}), ValueError);
  EXPECT_THROW(pad_sequences(Tensors{Tensor::of<float>({1}, {1}), Tensor::of<float>({1}, {1, 1})}),
               ValueError);
  expect_near(make_sampling_table(4, 1e-2), {0.09968283, 0.09968283, 0.17316546, 0.23450073});
}

TEST(Utils, WordPairs) {
  const Skipgrams pairs =
      skipgrams({1, 0, 2, 3}, 9, {.window_size = 1, .negative_samples = 2, .shuffle = false});
  ASSERT_EQ(pairs.couples.size(), 6U);
  EXPECT_EQ(pairs.couples[0], (std::pair<int64_t, int64_t>(2, 3)));
  EXPECT_EQ(pairs.couples[1], (std::pair<int64_t, int64_t>(3, 2)));
  EXPECT_EQ(pairs.labels, (std::vector<int64_t>{1, 1, 0, 0, 0, 0}));
  for (const auto& [word, other] : pairs.couples) EXPECT_TRUE(other >= 1 && other < 9);
  EXPECT_EQ(skipgrams({1, 2}, 9, {.categorical = true, .seed = 3}).categorical_labels.size(), 4U);
  EXPECT_TRUE(skipgrams({1, 2}, 9, {.sampling_table = Doubles{0, 0, 0}}).couples.empty());
  EXPECT_EQ(skipgrams({1, 2}, 9, {.negative_samples = -1}).couples.size(), 2U);
}

TEST(Utils, Words) {
  EXPECT_EQ(text_to_word_sequence("Hello, World!  a-b"), (Strings{"hello", "world", "a", "b"}));
  EXPECT_EQ(hashing_trick("the cat the dog", 20, "md5"), (std::vector<int64_t>{17, 4, 17, 17}));
  EXPECT_EQ(one_hot("the cat the", 20)[0], one_hot("the cat the", 20)[2]);
  EXPECT_THROW(hashing_trick("a", 20, "sha1"), ValueError);
  const Strings corpus = {"the cat the dog", "a Cat ate", "the"};
  Tokenizer plain;
  plain.fit_on_texts(corpus);
  EXPECT_EQ(plain.texts_to_sequences({"the bird cat ate a dog"}),
            (Tokenizer::Sequences{{1, 2, 5, 4, 3}}));
  const Strings query = {"the cat the"};
  expect_near(plain.texts_to_matrix(query, "count"), {0, 2, 1, 0, 0, 0});
  expect_near(plain.texts_to_matrix(query, "freq"), {0, 2.0 / 3, 1.0 / 3, 0, 0, 0});
  expect_near(plain.texts_to_matrix(query, "tfidf"), {0, 1.17360019, 0.69314718, 0, 0, 0});
  const Tokenizer copy = tokenizer_from_json(plain.to_json());
  EXPECT_EQ(copy.to_json(), plain.to_json());
  EXPECT_EQ(copy.texts_to_sequences(query), plain.texts_to_sequences(query));
  EXPECT_THROW(tokenizer_from_json("{}"), ValueError);

  Tokenizer few({.num_words = 4, .oov_token = "<o>"});
  few.fit_on_texts(corpus);
  EXPECT_EQ(few.texts_to_sequences({"the bird cat ate"}), (Tokenizer::Sequences{{2, 1, 3, 1}}));
  EXPECT_EQ(few.sequences_to_texts({{1, 2, 9}}), Strings{"<o> the <o>"});
  Tokenizer letters({.char_level = true});
  letters.fit_on_texts(corpus);
  EXPECT_EQ(letters.texts_to_sequences({"dog t"}), (Tokenizer::Sequences{{7, 8, 9, 2, 1}}));
}

Tensor counted_rows(int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0.0F);
  return Tensor::of(values);
}

TEST(Utils, Timeseries) {
  std::vector<Doubles> xs;
  std::vector<Doubles> ys;
  for (const Nest& batch : timeseries_dataset_from_array(
           counted_rows(10), counted_rows(10), 3, {.sequence_stride = 2, .sampling_rate = 2})) {
    xs.push_back(batch[0].tensor().to_doubles());
    ys.push_back(batch[1].tensor().to_doubles());
  }
  EXPECT_EQ(xs, (std::vector<Doubles>{{0, 2, 4, 2, 4, 6, 4, 6, 8}}));
  EXPECT_EQ(ys, (std::vector<Doubles>{{0, 2, 4}}));
  xs.clear();
  for (const Nest& x : timeseries_dataset_from_array(
           counted_rows(10), {}, 2, {.batch_size = {}, .start_index = 2, .end_index = 7})) {
    xs.push_back(x.tensor().to_doubles());
  }
  EXPECT_EQ(xs, (std::vector<Doubles>{{2, 3}, {3, 4}, {4, 5}, {5, 6}}));
  EXPECT_THROW(timeseries_dataset_from_array(counted_rows(5), {}, 2, {.end_index = 5}), ValueError);
  EXPECT_EQ(
      timeseries_dataset_from_array(counted_rows(5), {}, {.sequence_length = 2}).cardinality(),
      timeseries_dataset_from_array(counted_rows(5), {}, 2).cardinality());
  EXPECT_THROW(timeseries_dataset_from_array(counted_rows(5), {}, TimeseriesOptions()), ValueError);
  // The last window starts at row 8.
  const TimeseriesOptions late{.start_index = 4};
  EXPECT_THROW(timeseries_dataset_from_array(counted_rows(10), counted_rows(8), 2, late),
               ValueError);
  EXPECT_EQ(timeseries_dataset_from_array(counted_rows(10), counted_rows(9), 2, late).cardinality(),
            1);
  EXPECT_THROW(timeseries_dataset_from_array(counted_rows(5), {}, 2, {.sampling_rate = 0}),
               ValueError);
}

TEST(Utils, Split) {
  const auto parts = [](const SplitDatasetOptions& options) {
    const auto [left, right] = split_dataset(Nest(counted_rows(10)), options);
    std::vector<Doubles> values(2);
    for (const Nest& x : left) values[0].push_back(x.tensor().item());
    for (const Nest& x : right) values[1].push_back(x.tensor().item());
    return values;
  };
  EXPECT_EQ(parts({.left_size = 0.25, .right_size = 0.5}),
            (std::vector<Doubles>{{0, 1}, {5, 6, 7, 8, 9}}));
  EXPECT_EQ(parts({.right_size = int64_t{3}}),
            (std::vector<Doubles>{{0, 1, 2, 3, 4, 5, 6}, {7, 8, 9}}));
  std::vector<Doubles> mixed = parts({.left_size = 0.45, .shuffle = true, .seed = 5});
  EXPECT_EQ(mixed[0].size(), 4U);
  mixed[0].insert(mixed[0].end(), mixed[1].begin(), mixed[1].end());
  EXPECT_NE(mixed[0], counted_rows(10).to_doubles());
  std::sort(mixed[0].begin(), mixed[0].end());
  EXPECT_EQ(mixed[0], counted_rows(10).to_doubles());
  EXPECT_THROW(parts({}), ValueError);
  EXPECT_THROW(parts({.left_size = 0.8, .right_size = 0.8}), ValueError);
}

struct Resized {
  const char* interpolation;
  double small_sum;
  double large_sum;
  Doubles small_first;
};

TEST(Utils, Images) {
  std::vector<uint8_t> pixels;
  pixels.reserve(105);
  for (int i = 0; i < 5 * 7 * 3; ++i) pixels.push_back(static_cast<uint8_t>(i * 37 % 256));
  const Tensor image = Tensor::of(pixels, {5, 7, 3});
  const auto path = (std::filesystem::temp_directory_path() / "antler_utils_image.png").string();
  save_img(path, image, {.scale = false});
  EXPECT_EQ(load_img(path).to_vector<uint8_t>(), pixels);
  const auto sum = [](const Doubles& x) { return std::accumulate(x.begin(), x.end(), 0.0); };
  for (const Resized& r : std::vector<Resized>{{"nearest", 3984, 26976, {0, 37, 74, 222}},
                                               {"bilinear", 4510, 26948, {62, 87, 124, 163}},
                                               {"bicubic", 4519, 26917, {57, 87, 124, 169}},
                                               {"lanczos", 4523, 26875, {60, 87, 122, 172}},
                                               {"box", 4637, 26976, {61, 98, 135, 155}},
                                               {"hamming", 4445, 26874, {50, 86, 123, 180}}}) {
    const auto sized = [&](int64_t height, int64_t width) {
      return load_img(path, {.target_size = {height, width}, .interpolation = r.interpolation})
          .to_doubles();
    };
    const Doubles small = sized(3, 4);
    EXPECT_EQ(Doubles(small.begin(), small.begin() + 4), r.small_first) << r.interpolation;
    EXPECT_EQ(sum(small), r.small_sum) << r.interpolation;
    EXPECT_EQ(sum(sized(9, 8)), r.large_sum) << r.interpolation;
  }
  EXPECT_EQ(
      sum(load_img(path,
                   {.target_size = {4, 4}, .interpolation = "bilinear", .keep_aspect_ratio = true})
              .to_doubles()),
      6007);
  std::filesystem::remove(path);

  const Tensor scaled = array_to_img(Tensor::of<float>({0, 1, 2, 3, 4, 5}, {1, 2, 3}));
  EXPECT_EQ(scaled.to_doubles(), (Doubles{0, 51, 102, 153, 204, 255}));
  const Tensor first = img_to_array(scaled, {.data_format = "channels_first"});
  EXPECT_EQ(first.to_doubles(), (Doubles{0, 153, 51, 204, 102, 255}));
  EXPECT_EQ(array_to_img(first, {.data_format = "channels_first", .scale = false}).to_doubles(),
            scaled.to_doubles());
  EXPECT_THROW(array_to_img(counted_rows(4)), ValueError);
  EXPECT_THROW(save_img("image.jpg", scaled), ValueError);
  EXPECT_THROW(pillow_resize(image, {0, 0, 5, 7}, 2, 2, "area"), ValueError);
}

}  // namespace
}  // namespace antler::utils

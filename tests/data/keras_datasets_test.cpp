// keras.datasets on small files, against what Keras 3.15 reads from them (tools/keras_datasets.py).
#include "antler/data/keras_datasets.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/json.h"
#include "support/environment.h"
#include "support/paths.h"

namespace antler::datasets {
namespace {

namespace fs = std::filesystem;

const fs::path& files() {
  static const fs::path folder = test::data_dir() / "keras_datasets";
  return folder;
}

class KerasDatasets : public testing::Test {
 protected:
  test::Environment datasets_{"ANTLER_DATASETS", files().string()};
  Json expected_ = Json::parse(read_file((files() / "expected.json").string()));

  void expect_words(const std::string& name, const SequenceTrainTest& sets) const {
    const Json& expected = expected_.at(name);
    EXPECT_EQ(Json(sets.train.x), expected["x"]) << name;
    EXPECT_EQ(Json(sets.test.x), expected["x_test"]) << name;
    EXPECT_EQ(Json(sets.train.y.to_vector<int64_t>()), expected["y"]) << name;
    EXPECT_EQ(Json(sets.test.y.to_vector<int64_t>()), expected["y_test"]) << name;
  }
  void expect_numbers(const std::string& name, const TrainTest& sets) const {
    const Json& expected = expected_.at(name);
    EXPECT_EQ(Json(sets.train.x.to_doubles()), expected["x"]) << name;
    EXPECT_EQ(Json(sets.test.x.to_doubles()), expected["x_test"]) << name;
    EXPECT_EQ(Json(sets.train.y.to_doubles()), expected["y"]) << name;
    EXPECT_EQ(Json(sets.test.y.to_doubles()), expected["y_test"]) << name;
  }
};

TEST_F(KerasDatasets, Words) {
  expect_words("imdb", imdb::load_data());
  expect_words(
      "imdb of few words",
      imdb::load_data(
          {.num_words = 15, .skip_top = 4, .maxlen = 9, .seed = 3, .oov_char = std::nullopt}));
  expect_words("imdb without start",
               imdb::load_data(
                   {.num_words = 20, .start_char = std::nullopt, .oov_char = 1, .index_from = 1}));
  expect_words("reuters", reuters::load_data({.test_split = 0.4}));
  expect_words("reuters of few words", reuters::load_data({.num_words = 15, .maxlen = 8}));
  EXPECT_THROW(imdb::load_data({.maxlen = 1}), ValueError);
  EXPECT_THROW(reuters::load_data({.test_split = 1.5}), ValueError);
  EXPECT_THROW(reuters::load_data({.index_from = int64_t{1} << 31}), ValueError);
  EXPECT_EQ(imdb::get_word_index().at("word7"), 7);
  EXPECT_EQ(reuters::get_word_index().size(), 29U);
  EXPECT_EQ(reuters::get_label_names().size(), 46U);
  EXPECT_EQ(reuters::get_label_names()[3], "earn");
}

TEST_F(KerasDatasets, Houses) {
  expect_numbers("boston", boston_housing::load_data());
  expect_numbers("california",
                 california_housing::load_data("small", {.test_split = 0.1, .seed = 1}));
  EXPECT_EQ(california_housing::load_data().train.x.shape(), Shape({484, 2}));
  EXPECT_THROW(california_housing::load_data("tiny"), ValueError);
  EXPECT_THROW(boston_housing::load_data({.test_split = 1}), ValueError);
}

TEST_F(KerasDatasets, Images) {
  const TrainTest digits = mnist::load_data();
  EXPECT_EQ(digits.train.x.spec(), (TensorSpec{DType::uint8, {4, 4, 4}}));
  EXPECT_EQ(digits.test.y.spec(), (TensorSpec{DType::uint8, {2}}));
  const TrainTest clothes = fashion_mnist::load_data();
  EXPECT_EQ(clothes.train.x.spec(), (TensorSpec{DType::uint8, {4, 4, 4}}));
  EXPECT_EQ(clothes.test.y.spec(), (TensorSpec{DType::uint8, {2}}));
  const TrainTest small = cifar10::load_data();
  EXPECT_EQ(small.train.x.spec(), (TensorSpec{DType::uint8, {5, 32, 32, 3}}));
  EXPECT_EQ(small.train.y.spec(), (TensorSpec{DType::uint8, {5, 1}}));
  // Keras's load_batch gives these labels and pixels.
  EXPECT_EQ(small.test.y.to_vector<uint8_t>(), (std::vector<uint8_t>{9, 9}));
  const std::vector<uint8_t> pixels = small.test.x.to_vector<uint8_t>();
  EXPECT_EQ(std::vector<uint8_t>(pixels.begin(), pixels.begin() + 3),
            (std::vector<uint8_t>{162, 65, 40}));
  EXPECT_EQ(std::vector<uint8_t>(pixels.end() - 3, pixels.end()),
            (std::vector<uint8_t>{213, 193, 164}));
  int64_t sum = 0;
  for (const uint8_t pixel : pixels) sum += pixel;
  EXPECT_EQ(sum, 887808);
  const TrainTest fine = cifar100::load_data();
  const TrainTest coarse = cifar100::load_data("coarse");
  EXPECT_EQ(fine.train.x.shape(), Shape({3, 32, 32, 3}));
  EXPECT_NE(fine.train.y.to_vector<uint8_t>(), coarse.train.y.to_vector<uint8_t>());
  EXPECT_THROW(cifar100::load_data("medium"), ValueError);
}

TEST_F(KerasDatasets, SaysWhereToPutAFile) {
  const fs::path cache = fs::temp_directory_path() / "antler_keras_datasets_test";
  fs::remove_all(cache);
  fs::create_directories(cache);
  const test::Environment none("ANTLER_DATASETS", (cache / "none").string());
  const test::Environment home("KERAS_HOME", cache.string());
  // Nothing answers there, so this does not depend on the network.
  const test::Environment proxy("https_proxy", "http://127.0.0.1:1");
  try {
    mnist::load_data();
    ADD_FAILURE() << "there is no file";
  } catch (const NotFoundError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find((cache / "datasets/mnist.npz").string()), std::string::npos) << text;
    EXPECT_NE(text.find("tf-keras-datasets/mnist.npz"), std::string::npos) << text;
    EXPECT_NE(text.find("ANTLER_DATASETS"), std::string::npos) << text;
  }
  // Fashion-MNIST has no hashes: the cache is used as it is.
  fs::create_directories(cache / "datasets");
  fs::copy(files() / "fashion-mnist", cache / "datasets/fashion-mnist");
  EXPECT_EQ(fashion_mnist::load_data().train.x.shape(), Shape({4, 4, 4}));
  fs::remove_all(cache);
}

TEST_F(KerasDatasets, RefusesWrongFiles) {
  const fs::path folder = fs::temp_directory_path() / "antler_keras_datasets_wrong";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const test::Environment own("ANTLER_DATASETS", folder.string());
  fs::copy(files() / "boston_housing.npz", folder / "mnist.npz");
  fs::copy(files() / "boston_housing.npz", folder / "imdb.npz");
  fs::copy(files() / "mnist.npz", folder / "boston_housing.npz");
  fs::copy(files() / "cifar-100-python.tar.gz", folder / "cifar-10-python.tar.gz");
  fs::copy(files() / "expected.json", folder / "imdb_word_index.json");
  EXPECT_THROW(mnist::load_data(), IOError);
  EXPECT_THROW(imdb::load_data(), IOError);
  EXPECT_THROW(boston_housing::load_data(), IOError);
  EXPECT_THROW(cifar10::load_data(), IOError);
  EXPECT_THROW(imdb::get_word_index(), IOError);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace antler::datasets

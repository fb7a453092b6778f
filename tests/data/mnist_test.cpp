#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/data/datasets.h"
#include "support/environment.h"
#include "support/paths.h"

namespace antler::data {
namespace {

namespace fs = std::filesystem;

class MnistTest : public ::testing::Test {
 protected:
  MnistTest()
      : folder_(fs::temp_directory_path() /
                (std::string("antler_mnist_") +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~MnistTest() override { fs::remove_all(folder_); }

  /// `count` images of 1x2 pixels; image i is [i, 255] and has label i.
  void write(const fs::path& to, const std::string& set, char count) const {
    fs::create_directories(to);
    std::string images =
        std::string("\0\0\x08\x03\0\0\0", 7) + count + std::string("\0\0\0\1\0\0\0\2", 8);
    std::string labels = std::string("\0\0\x08\x01\0\0\0", 7) + count;
    for (char i = 0; i < count; ++i) {
      images += {i, '\xff'};
      labels += i;
    }
    write_file_atomically((to / (set + "-images-idx3-ubyte")).string(), images);
    write_file_atomically((to / (set + "-labels-idx1-ubyte")).string(), labels);
  }
  void write_all(const fs::path& to, char count) const {
    write(to, "train", count);
    write(to, "t10k", 2);
  }

  fs::path folder_;
};

TEST_F(MnistTest, ReadsTheNamedFolder) {
  write_all(folder_, 3);
  const auto [train, test] = mnist({.directory = folder_.string(), .download = false});
  EXPECT_EQ(train.x.spec(), (TensorSpec{DType::float32, {3, 1, 2, 1}}));
  EXPECT_EQ(train.x.to_vector<float>(), (std::vector<float>{0, 1, 1.0F / 255, 1, 2.0F / 255, 1}));
  EXPECT_EQ(train.y.to_vector<int32_t>(), (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(test.y.size(), 2);
}

TEST_F(MnistTest, LooksInTheEnvironmentThenInTheCache) {
  const test::Environment cache("XDG_CACHE_HOME", (folder_ / "cache").string());
  const test::Environment datasets("ANTLER_DATASETS", (folder_ / "sets").string());
  const auto found = [] { return mnist({.download = false}).train.y.size(); };
  EXPECT_THROW(found(), NotFoundError);
  write_all(folder_ / "cache/antler/mnist", 3);
  EXPECT_EQ(found(), 3);
  write_all(folder_ / "sets", 4);
  EXPECT_EQ(found(), 4);
  write(folder_ / "sets/mnist", "train", 5);  // not all files
  EXPECT_EQ(found(), 4);
  write(folder_ / "sets/mnist", "t10k", 5);
  EXPECT_EQ(found(), 5);
}

TEST_F(MnistTest, SaysWhereItLookedAndWhatToDo) {
  try {
    mnist({.directory = folder_.string(), .download = false});
    FAIL();
  } catch (const NotFoundError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(folder_.string()), std::string::npos);
    EXPECT_NE(text.find("ANTLER_DATASETS"), std::string::npos);
    EXPECT_NE(text.find("t10k-labels-idx1-ubyte"), std::string::npos);
  }
}

TEST_F(MnistTest, RefusesFilesThatDoNotFit) {
  const MnistOptions options = {.directory = folder_.string(), .download = false};
  write_all(folder_, 3);
  const std::string labels = (folder_ / "train-labels-idx1-ubyte").string();
  write_file_atomically(labels, std::string("\0\0\x08\x01\0\0\0\2\1\1", 10));
  EXPECT_THROW(mnist(options), IOError);  // two labels for three images
  write_file_atomically(labels, std::string("\0\0\x08\x01\0\0\0\3\1\1\x0a", 11));
  EXPECT_THROW(mnist(options), IOError);  // label 10
  write_file_atomically(labels, "x");
  EXPECT_THROW(mnist(options), IOError);
}

TEST_F(MnistTest, HasTheFiguresOfTheOriginal) {
  const fs::path original = test::shared_dir() / "datasets/mnist";
  if (!fs::exists(original)) GTEST_SKIP() << "no files in " << original;
  const auto [train, test] = mnist({.directory = original.string(), .download = false});
  EXPECT_EQ(train.x.shape(), Shape({60000, 28, 28, 1}));
  EXPECT_EQ(test.x.shape(), Shape({10000, 28, 28, 1}));
  const std::vector<int32_t> labels = train.y.to_vector<int32_t>();
  EXPECT_EQ(std::count(labels.begin(), labels.end(), 1), 6742);
  double sum = 0;
  const float* pixels = train.x.data<float>();
  for (int64_t i = 0; i < train.x.size(); ++i) sum += pixels[i];
  EXPECT_NEAR(sum / static_cast<double>(train.x.size()), 0.1307, 1e-4);  // the known mean
}

}  // namespace
}  // namespace antler::data

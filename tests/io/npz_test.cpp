#include "antler/io/npy.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/core/dispatch.h"
#include "support/paths.h"

namespace antler::io {
namespace {

namespace fs = std::filesystem;

class NpzTest : public ::testing::Test {
 protected:
  NpzTest()
      : folder_(fs::temp_directory_path() /
                (std::string("antler_npz_") +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~NpzTest() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

void expect_equal(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.spec(), b.spec());
  EXPECT_EQ(std::string_view(static_cast<const char*>(a.data()), a.bytes()),
            std::string_view(static_cast<const char*>(b.data()), b.bytes()));
}

NamedTensors samples() {
  NamedTensors result;
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    Tensor t = Tensor::empty(dtype, {2, 3});
    dispatch(dtype, [&]<class T>() {
      for (int j = 0; j < 6; ++j)
        t.mutable_data<T>()[j] = static_cast<T>(static_cast<float>(j % 5));
    });
    result.emplace_back(std::string("group/") + dtype_name(dtype), t);
  }
  result.emplace_back("scalar", Tensor::full(DType::float32, {}, 2.5));
  result.emplace_back("empty", Tensor::zeros(DType::int64, {4, 0, 2}));
  return result;
}

TEST_F(NpzTest, KeepsEveryDtypeNameAndOrder) {
  for (const bool compressed : {false, true}) {
    save_npz(path("a.npz"), samples(), {.compressed = compressed});
    const NamedTensors loaded = load_npz(path("a.npz"));
    const NamedTensors want = samples();
    ASSERT_EQ(loaded.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_EQ(loaded[i].first, want[i].first);
      expect_equal(loaded[i].second, want[i].second);
    }
  }
}

TEST_F(NpzTest, CompressionMakesItSmaller) {
  const NamedTensors zeros = {{"zeros", Tensor::zeros(DType::float32, {10000})}};
  save_npz(path("plain.npz"), zeros);
  save_npz(path("small.npz"), zeros, {.compressed = true});
  EXPECT_GT(fs::file_size(path("plain.npz")), 40000U);
  EXPECT_LT(fs::file_size(path("small.npz")), 1000U);
  expect_equal(load_npz(path("small.npz"))[0].second, zeros[0].second);
}

TEST_F(NpzTest, EqualArraysGiveEqualBytes) {
  save_npz(path("a.npz"), samples());
  save_npz(path("b.npz"), samples());
  EXPECT_EQ(read_file(path("a.npz")), read_file(path("b.npz")));
}

TEST_F(NpzTest, NoArraysAtAll) {
  save_npz(path("none.npz"), {});
  EXPECT_TRUE(load_npz(path("none.npz")).empty());
}

TEST_F(NpzTest, ReplacesAFileAndLeavesNothingElse) {
  save_npz(path("a.npz"), {{"x", Tensor::of<float>({1, 2})}});
  save_npz(path("a.npz"), {{"y", Tensor::of<float>({3})}});
  const NamedTensors loaded = load_npz(path("a.npz"));
  ASSERT_EQ(loaded.size(), 1U);
  EXPECT_EQ(loaded[0].first, "y");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(NpzTest, AFailedSaveKeepsTheOldFile) {
  save_npz(path("a.npz"), {{"x", Tensor::of<float>({1, 2})}});
  const std::string before = read_file(path("a.npz"));
  const Tensor t = Tensor::of<float>({1});
  EXPECT_THROW(save_npz(path("a.npz"), {{"x", t}, {"x", t}}), ValueError);
  EXPECT_THROW(save_npz(path("a.npz"), {{"", t}}), ValueError);
  EXPECT_THROW(save_npz(path("a.npz"), {{"x", Tensor()}}), RuntimeError);
  EXPECT_EQ(read_file(path("a.npz")), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(NpzTest, SaysWhatIsWrongWithAFile) {
  EXPECT_THROW(load_npz(path("absent.npz")), NotFoundError);
  write_file_atomically(path("text.npz"), "this is no archive");
  EXPECT_THROW(load_npz(path("text.npz")), IOError);
  EXPECT_THROW(load_npz(folder_.string()), IOError);
  EXPECT_THROW(save_npz(path("no/folder.npz"), samples()), NotFoundError);
}

TEST_F(NpzTest, AFlippedElementIsFoundByItsChecksum) {
  save_npz(path("a.npz"), {{"x", Tensor::zeros(DType::float32, {64})}});
  std::string bytes = read_file(path("a.npz"));
  bytes[300] = '\x01';
  EXPECT_THROW(parse_npz(bytes), IOError);
}

TEST_F(NpzTest, ReadsEveryGoldenFile) {
  const fs::path golden = test::shared_dir() / "golden";
  if (!fs::exists(golden)) GTEST_SKIP() << "no golden files in " << golden;
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(golden)) {
    if (entry.path().extension() != ".npz") continue;
    ++files;
    for (const auto& [name, tensor] : load_npz(entry.path().string())) {
      EXPECT_FALSE(name.empty()) << entry.path();
      EXPECT_TRUE(tensor.is_value()) << entry.path() << " " << name;
    }
  }
  EXPECT_GT(files, 100);
}

}  // namespace
}  // namespace antler::io

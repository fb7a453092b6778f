#include "antler/io/hdf5.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/base/file.h"

namespace antler::io {
namespace {

std::string small_file() {
  Hdf5Writer writer;
  writer.write("a/b/x", Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3}));
  writer.write("a/10", Tensor::of<int64_t>({7}, {}));
  writer.write("a/9", Tensor::zeros(DType::float32, {0, 4}));
  writer.group("a/empty/group");
  writer.text_attribute("a", "name", "dense_\xc3\xa9");
  writer.text_list_attribute("", "weights", {"kernel", "bias"});
  return writer.bytes();
}

TEST(Hdf5, GroupsArraysAndAttributes) {
  const Hdf5Reader file = Hdf5Reader::parse(small_file());
  EXPECT_EQ(file.children("a"), (std::vector<std::string>{"9", "10", "b", "empty"}));
  EXPECT_TRUE(file.is_group("a/empty/group"));
  EXPECT_FALSE(file.is_group("a/b/x"));
  EXPECT_FALSE(file.contains("a/none/x"));
  EXPECT_TRUE(file.children("nowhere").empty());
  const Tensor x = file.read("a/b/x");
  EXPECT_EQ(x.shape(), Shape({2, 3}));
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(file.read("a/10").item(), 7);
  EXPECT_EQ(file.read("a/10").rank(), 0);
  EXPECT_EQ(file.read("a/9").shape(), Shape({0, 4}));
  EXPECT_EQ(file.text_attribute("a", "name"), "dense_\xc3\xa9");
  EXPECT_EQ(file.text_attribute("a", "title"), std::nullopt);
  EXPECT_EQ(file.text_list_attribute("", "weights"), (std::vector<std::string>{"kernel", "bias"}));
  EXPECT_THROW(file.read("a/b"), KeyError);
  EXPECT_THROW(file.read("a/b/y"), KeyError);
}

TEST(Hdf5, EveryDtype) {
  Hdf5Writer writer;
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    writer.write(dtype_name(dtype), Tensor::full(dtype, {3}, 1));
  }
  const Hdf5Reader file = Hdf5Reader::parse(writer.bytes());
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    const Tensor x = file.read(dtype_name(dtype));
    EXPECT_EQ(x.dtype(), dtype);
    EXPECT_EQ(x.to_doubles(), std::vector<double>(3, 1.0)) << dtype_name(dtype);
  }
}

TEST(Hdf5, LargeListsAreSplit) {
  std::vector<std::string> names;
  for (int i = 0; i < 3000; ++i)
    names.push_back("layer_with_a_rather_long_name_" + std::to_string(i));
  Hdf5Writer writer;
  writer.group("model_weights");
  writer.text_list_attribute("model_weights", "layer_names", names);
  writer.text_list_attribute("model_weights", "none", {});
  const Hdf5Reader file = Hdf5Reader::parse(writer.bytes());
  EXPECT_EQ(file.text_list_attribute("model_weights", "layer_names"), names);
  EXPECT_EQ(file.text_list_attribute("model_weights", "none"), std::vector<std::string>());
}

TEST(Hdf5, PathsThatAreTaken) {
  Hdf5Writer writer;
  writer.write("x", Tensor::of<float>({1}));
  EXPECT_THROW(writer.write("x", Tensor::of<float>({1})), ValueError);
  EXPECT_THROW(writer.write("x/y", Tensor::of<float>({1})), IOError);
}

TEST(Hdf5, OpensFiles) {
  const std::string path = testing::TempDir() + "antler_hdf5_test.h5";
  write_file_atomically(path, small_file());
  EXPECT_EQ(Hdf5Reader::open(path).read("a/10").item(), 7);
  std::filesystem::remove(path);
  EXPECT_THROW(Hdf5Reader::open(path), NotFoundError);
}

TEST(Hdf5, DamagedFilesAreRefused) {
  EXPECT_THROW(Hdf5Reader::parse(""), IOError);
  EXPECT_THROW(Hdf5Reader::parse("no HDF5 at all"), IOError);
  const std::string whole = small_file();
  for (size_t size = 0; size < whole.size(); size += 97) {
    try {
      const Hdf5Reader file = Hdf5Reader::parse(whole.substr(0, size));
      file.read("a/b/x");
    } catch (const Error&) {
      continue;  // refused; anything but a crash or a foreign exception
    }
  }
}

}  // namespace
}  // namespace antler::io

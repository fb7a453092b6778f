#include "antler/io/hdf5.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "support/paths.h"

namespace antler::io {
namespace {

std::string small_file() {
  Hdf5Writer writer;
  writer.write("a/b/x", Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3}));
  writer.write("a/10", Tensor::of<int64_t>({7}, {}));
  writer.write("a/9", Tensor::zeros(DType::float32, {0, 4}));
  writer.group("a/empty/group");
  writer.string_attribute("a", "name", "dense_\xc3\xa9");
  writer.string_list_attribute("", "weights", {"kernel", "bias"});
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
  EXPECT_EQ(file.string_attribute("a", "name"), "dense_\xc3\xa9");
  EXPECT_EQ(file.string_attribute("a", "title"), std::nullopt);
  EXPECT_EQ(file.string_list_attribute("", "weights"),
            (std::vector<std::string>{"kernel", "bias"}));
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
  names.reserve(3000);
  for (int i = 0; i < 3000; ++i)
    names.push_back("layer_with_a_rather_long_name_" + std::to_string(i));
  Hdf5Writer writer;
  writer.group("model_weights");
  writer.string_list_attribute("model_weights", "layer_names", names);
  writer.string_list_attribute("model_weights", "none", {});
  const Hdf5Reader file = Hdf5Reader::parse(writer.bytes());
  EXPECT_EQ(file.string_list_attribute("model_weights", "layer_names"), names);
  EXPECT_EQ(file.string_list_attribute("model_weights", "none"), std::vector<std::string>());
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
      continue;  // rejected; only crashes and other exceptions are failures
    }
  }
}

/// Files that h5py wrote, with each kind of header and group, chunks and filters.
Hdf5Reader file_of_h5py(const std::string& name) {
  return Hdf5Reader::open((test::data_dir() / "hdf5" / name).string());
}

class Hdf5OfH5py : public testing::TestWithParam<const char*> {};

TEST_P(Hdf5OfH5py, Arrays) {
  const Hdf5Reader file = file_of_h5py(GetParam());
  std::vector<double> expected(size_t{5} * 7 * 3);
  for (size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<double>(i);
  const std::vector<std::pair<const char*, DType>> arrays = {
      {"a/plain", DType::float32},        {"a/gzip", DType::float32},
      {"a/all_filters", DType::int64},    {"a/checked", DType::uint16},
      {"a/odd_bytes", DType::uint8},      {"b/big", DType::float64},
      {"b/half", DType::float16},         {"nested/deeper/soft", DType::float32},
      {"nested/relative", DType::float32}};
  for (const auto& [name, dtype] : arrays) {
    const Tensor x = file.read(name);
    EXPECT_EQ(x.dtype(), dtype) << name;
    EXPECT_EQ(x.shape(), Shape({5, 7, 3})) << name;
    EXPECT_EQ(x.to_doubles(), expected) << name;
  }
  const std::vector<double> flags = file.read("a/chunks").to_doubles();
  EXPECT_EQ(file.read("a/chunks").dtype(), DType::boolean);
  for (size_t i = 0; i < flags.size(); ++i) EXPECT_EQ(flags[i], i % 2) << i;
  EXPECT_EQ(file.read("b/big_int").to_doubles()[0], -50);
  EXPECT_EQ(file.read("b/scalar").item(), 2.5);
  EXPECT_EQ(file.read("b/empty").shape(), Shape({0, 3}));
}

TEST_P(Hdf5OfH5py, LinksAndAttributes) {
  const Hdf5Reader file = file_of_h5py(GetParam());
  EXPECT_EQ(file.children("nested"),
            (std::vector<std::string>{"dangling", "deeper", "loop", "outside", "relative"}));
  for (const char* nowhere : {"nested/dangling", "nested/loop", "nested/outside", "a/plain/x"}) {
    EXPECT_FALSE(file.contains(nowhere)) << nowhere;
    EXPECT_THROW(file.read(nowhere), KeyError) << nowhere;
  }
  EXPECT_EQ(file.string_attribute("", "text"),
            "Gr\xc3\xb6\xc3\x9f"
            "e");
  EXPECT_EQ(file.string_attribute("", "fixed"), "abc");
  EXPECT_EQ(file.string_list_attribute("", "list"), (std::vector<std::string>{"a", "bcd", ""}));
  EXPECT_EQ(file.string_list_attribute("", "fixed_list"), (std::vector<std::string>{"x", "yz"}));
  EXPECT_EQ(file.string_list_attribute("", "none"), std::vector<std::string>());
  EXPECT_THROW(file.string_attribute("", "number"), ValueError);
}

INSTANTIATE_TEST_SUITE_P(Files, Hdf5OfH5py,
                         testing::Values("earliest.h5", "latest.h5", "user_block.h5"),
                         [](const auto& info) {
                           return std::filesystem::path(info.param).stem().string();
                         });

TEST(Hdf5, WhatIsNoArrayOfNumbers) {
  const Hdf5Reader file = file_of_h5py("earliest.h5");
  EXPECT_THROW(file.read("strings"), ValueError);
  EXPECT_THROW(file.read("pair"), ValueError);
  EXPECT_EQ(file.read("unwritten").to_doubles(), std::vector<double>(3, 0.0));
  EXPECT_EQ(file.read("sparse").to_doubles()[2 * 6 + 2], 1);
  EXPECT_EQ(file.read("sparse").to_doubles()[0], 0);
}

TEST(Hdf5, GroupsOfManyEntries) {
  const Hdf5Reader file = file_of_h5py("wide.h5");
  EXPECT_EQ(file.children("").size(), 260U);
  EXPECT_EQ(file.read("g100/x").to_doubles(), (std::vector<double>{0, 1, 2}));
}

std::vector<double> counts(int64_t count) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<double>(i));
  return numbers;
}

// The files of tools/hdf5_files.py.
TEST(Hdf5, LargeGroupsAndManyAttributes) {
  const Hdf5Reader file = file_of_h5py("many.h5");
  EXPECT_EQ(file.children("wide").size(), 1300U);
  for (const char* path : {"wide/n0", "wide/n1299", "deep/soft11"}) {
    EXPECT_EQ(file.read(path).to_doubles(), counts(3)) << path;
  }
  EXPECT_FALSE(file.contains("wide/n1300"));
  for (int i = 0; i < 10; ++i) {
    const std::string number = std::to_string(i);
    EXPECT_EQ(file.string_attribute("deep", "text" + number), "value " + number);
    EXPECT_EQ(file.string_attribute("ordered", "a" + number), "b" + number);
  }
  EXPECT_EQ(file.string_attribute("deep", "text10"), std::nullopt);
  const auto names = file.string_list_attribute("deep", "long");
  ASSERT_TRUE(names && names->size() == 300);
  EXPECT_EQ(names->back(), "layer_with_a_name_299");
  EXPECT_EQ(file.read("named").to_doubles(), std::vector<double>(4, 1.5));
  EXPECT_EQ(file.string_attribute("", "named"), "of a named type");
}

TEST(Hdf5, EveryIndexOfChunks) {
  const Hdf5Reader file = file_of_h5py("chunks.h5");
  const std::vector<std::pair<const char*, Shape>> arrays = {
      {"single", {5, 7}},         {"single_gzip", {5, 7}},       {"fixed", {5, 7}},
      {"fixed_gzip", {5, 7}},     {"fixed_may_grow", {5, 7}},    {"implicit", {5, 7}},
      {"plain_edges", {5, 7}},    {"growing_rows", {50, 7}},     {"growing_columns", {7, 50}},
      {"growing_both", {15, 22}}, {"growing_both_gzip", {5, 7}}, {"lzf", {20, 30}}};
  for (const auto& [name, shape] : arrays) {
    const Tensor x = file.read(name);
    EXPECT_EQ(x.shape(), shape) << name;
    EXPECT_EQ(x.to_doubles(), counts(x.size())) << name;
  }
  EXPECT_EQ(file.read("shrunk").to_doubles(),
            (std::vector<double>{0, 1, 2, 3, 9, 10, 11, 12, 18, 19, 20, 21}));
  const std::vector<double> repeats = file.read("lzf_repeats").to_doubles();
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(repeats[i], i % 5);
  EXPECT_EQ(file.read("enum").to_doubles(), (std::vector<double>{0, 200, 1}));
  // Longer indexes are split into pages.
  std::vector<double> pages(1500, 0.0);
  pages[1234] = 5;
  EXPECT_EQ(file.read("pages").to_doubles(), pages);
  std::vector<double> sparse(140000, 3.0);
  for (const size_t i : {0, 3, 4, 20, 100, 1000, 5000, 136000}) {
    sparse[i] = static_cast<double>(i % 100);
  }
  EXPECT_EQ(file.read("super_blocks").to_doubles(), sparse);
}

TEST(Hdf5, WhatWasNeverWrittenHasTheValueThatTheFileNames) {
  for (const char* name : {"chunks.h5", "unwritten.h5"}) {
    const Hdf5Reader file = file_of_h5py(name);
    EXPECT_EQ(file.read("never").to_doubles(), std::vector<double>(12, 0.0)) << name;
    EXPECT_EQ(file.read("never_filled").to_doubles(), std::vector<double>(12, 2.5)) << name;
    EXPECT_EQ(file.read("never_chunks").to_doubles(), std::vector<double>(12, -7.0)) << name;
    std::vector<double> some(12, 0.5);
    some[0] = 9;
    EXPECT_EQ(file.read("some_chunks").to_doubles(), some) << name;
  }
}

// HDF5 2 has new version numbers of layouts.
TEST(Hdf5, FilesOfHdf5Version2) {
  const Hdf5Reader file = file_of_h5py("hdf5_2.h5");
  EXPECT_EQ(file.children("g").size(), 12U);
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(file.read("g/array" + std::to_string(i)).to_doubles(), counts(12)) << i;
  }
  EXPECT_EQ(file.string_attribute("g", "text11"), "value 11");
  EXPECT_EQ(file.read("single_gzip").to_doubles(), counts(35));
  EXPECT_EQ(file.read("growing_rows").to_doubles(), counts(63));
  EXPECT_EQ(file.read("growing_both").to_doubles(), counts(63));
}

// One wrong byte in the address of a string made HDF5's library loop forever.
TEST(Hdf5, AnyChangedByteEnds) {
  const std::string whole = read_file((test::data_dir() / "hdf5" / "earliest.h5").string());
  for (size_t at = 0; at < whole.size(); at += 5) {
    std::string changed = whole;
    changed[at] = static_cast<char>(~changed[at]);
    try {
      const Hdf5Reader file = Hdf5Reader::parse(changed);
      (void)file.string_list_attribute("", "list");
      for (const std::string& name : file.children("a")) (void)file.read("a/" + name);
    } catch (const Error&) {
      continue;
    }
  }
}

}  // namespace
}  // namespace antler::io

#include "antler/io/tensor_bundle.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "io/snappy.h"
#include "io/sorted_table.h"

namespace antler::io {
namespace {

namespace fs = std::filesystem;

std::string temporary(const std::string& name) {
  return (fs::path(::testing::TempDir()) / name).string();
}

BundleEntries some_entries() {
  BundleEntries entries;
  entries["b/matrix"] = Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  entries["a/count"] = Tensor::of<int64_t>({-7}, {});
  entries["flags"] = Tensor::of<bool>({true, false}, {2});
  entries["none"] = Tensor::of<float>({}, {0, 4});
  entries["text"] = StringTensor({"", "one", std::string(300, 'x')}, {3, 1});
  return entries;
}

TEST(TensorBundle, ArraysAndTextsComeBack) {
  const std::string prefix = temporary("bundle");
  save_tensor_bundle(prefix, some_entries());
  const TensorBundle bundle = TensorBundle::open(prefix);
  EXPECT_EQ(bundle.keys(),
            (std::vector<std::string>{"a/count", "b/matrix", "flags", "none", "text"}));
  EXPECT_EQ(bundle.read("b/matrix").to_vector<float>(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(bundle.read("b/matrix").shape(), (Shape{2, 3}));
  EXPECT_EQ(bundle.read("a/count").item(), -7);
  EXPECT_EQ(bundle.read("flags").dtype(), DType::boolean);
  EXPECT_EQ(bundle.read("none").size(), 0);
  EXPECT_TRUE(bundle.is_string("text"));
  EXPECT_EQ(bundle.read_text("text"), std::get<StringTensor>(some_entries()["text"]));
  EXPECT_THROW(bundle.read("other"), KeyError);
  EXPECT_THROW(bundle.read("text"), ValueError);
  EXPECT_THROW(bundle.read_text("flags"), ValueError);
}

TEST(TensorBundle, EveryFlippedByteOfTheIndexOrTheDataIsNoticed) {
  const std::string prefix = temporary("flipped");
  save_tensor_bundle(prefix, some_entries());
  const std::string index = read_file(prefix + ".index");
  const std::string data = read_file(prefix + ".data-00000-of-00001");
  const auto read_all = [](const std::string& table, const std::string& shard) {
    const TensorBundle bundle = TensorBundle::parse(table, {shard});
    for (const std::string& key : bundle.keys()) {
      if (bundle.is_string(key)) {
        bundle.read_text(key);
      } else {
        bundle.read(key);
      }
    }
    return bundle.keys().size();
  };
  EXPECT_EQ(read_all(index, data), 5U);
  for (size_t i = 0; i < data.size(); ++i) {
    std::string bad = data;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    EXPECT_THROW(read_all(index, bad), IOError) << i;
  }
  // The last 48 bytes are offsets, padded with zeros that are not read.
  for (size_t i = 0; i + 48 < index.size(); ++i) {
    std::string bad = index;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    try {
      // The meta-index is not read.
      EXPECT_EQ(read_all(bad, data), 5U) << i;
      EXPECT_GT(i, index.size() - 48 - 120) << i;
    } catch (const IOError&) {
    }
  }
  EXPECT_THROW(read_all(index, data.substr(1)), IOError);
  EXPECT_THROW(read_all(index.substr(1), data), IOError);
  EXPECT_THROW(TensorBundle::open(temporary("nothing")), NotFoundError);
}

TEST(SortedTable, ManyKeysShareTheirBeginningsAndFillSeveralBlocks) {
  TableEntries entries;
  for (int i = 10000; i < 12000; ++i) {
    entries.emplace_back("layer/" + std::to_string(i),
                         std::string(static_cast<size_t>(i) / 40, 'v'));
  }
  EXPECT_EQ(parse_table(format_table(entries)), entries);
  EXPECT_TRUE(parse_table(format_table({})).empty());
}

TEST(Snappy, LiteralsAndCopiesOfAllKinds) {
  // Length 10; literal "ab"; 8 bytes from 2 back, with one byte of offset.
  EXPECT_EQ(uncompress_snappy(std::string("\x0a\x04"
                                          "ab"
                                          "\x11\x02",
                                          6)),
            "ababababab");
  // The same with two and with four bytes of offset.
  EXPECT_EQ(uncompress_snappy(std::string("\x0a\x04"
                                          "ab"
                                          "\x1e\x02\x00",
                                          7)),
            "ababababab");
  EXPECT_EQ(uncompress_snappy(std::string("\x0a\x04"
                                          "ab"
                                          "\x1f\x02\x00\x00\x00",
                                          9)),
            "ababababab");
  // A literal whose length is in an extra byte.
  EXPECT_EQ(uncompress_snappy(std::string("\x46\xf0\x45", 3) + std::string(70, 'z')),
            std::string(70, 'z'));
  for (const std::string& bad : {std::string("\x0a\x04"
                                             "ab"
                                             "\x11\x03",
                                             6),  // before the start
                                 std::string("\x09\x04"
                                             "ab"
                                             "\x11\x02",
                                             6),  // longer than it says
                                 std::string("\xff\xff\xff\xff\x0f\x00"
                                             "a",
                                             7),
                                 std::string("\x0a")}) {
    EXPECT_THROW(uncompress_snappy(bad), IOError);
  }
}

}  // namespace
}  // namespace antler::io

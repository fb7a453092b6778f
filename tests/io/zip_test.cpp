#include "antler/io/zip.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/base/file.h"

namespace antler::io {
namespace {

class Zip : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::string path_ = testing::TempDir() + "antler_zip_" +
                      testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(Zip, RoundTrip) {
  const std::string binary("a\0b", 3);
  save_zip(path_, {{"metadata.json", "{}"}, {"assets/layers/x", binary}, {"empty", ""}});
  const ZipReader archive = ZipReader::open(path_);
  EXPECT_EQ(archive.names(),
            (std::vector<std::string>{"metadata.json", "assets/layers/x", "empty"}));
  EXPECT_EQ(archive.read("metadata.json"), "{}");
  EXPECT_EQ(archive.read("assets/layers/x"), binary);
  EXPECT_EQ(archive.read("empty"), "");
  EXPECT_TRUE(archive.contains("empty"));
  EXPECT_FALSE(archive.contains("config.json"));
  EXPECT_THROW(archive.read("config.json"), KeyError);
}

TEST_F(Zip, EqualContentsGiveEqualBytes) {
  save_zip(path_, {{"a", "1"}, {"b", "2"}});
  const std::string first = read_file(path_);
  save_zip(path_, {{"a", "1"}, {"b", "2"}});
  EXPECT_EQ(read_file(path_), first);
}

TEST_F(Zip, NamesMustBeUnique) {
  EXPECT_THROW(save_zip(path_, {{"a", "1"}, {"a", "2"}}), ValueError);
  EXPECT_THROW(save_zip(path_, {{"", "1"}}), ValueError);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(Zip, DamageIsFound) {
  EXPECT_THROW(ZipReader::open(path_), NotFoundError);
  write_file_atomically(path_, "no archive");
  EXPECT_THROW(ZipReader::open(path_), IOError);
  save_zip(path_, {{"a", std::string(1000, 'x')}});
  std::string bytes = read_file(path_);
  bytes[500] = 'y';  // the checksum no longer matches
  write_file_atomically(path_, bytes);
  EXPECT_THROW(ZipReader::open(path_).read("a"), IOError);
}

}  // namespace
}  // namespace antler::io

#include "antler/io/tfrecord.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "io/crc32c.h"

namespace antler::io {
namespace {

class TFRecord : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = (std::filesystem::path(::testing::TempDir()) /
             (std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) +
              ".tfrecord"))
                .string();
  }
  void TearDown() override { std::filesystem::remove(path_); }

  void put(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  /// All records, each followed by "|".
  static std::string read_all(const std::string& path) {
    std::string all;
    TFRecordReader reader(path);
    while (auto record = reader.next()) all += *record + "|";
    return all;
  }

  std::string path_;
};

TEST(Crc32c, KnownValues) {
  // RFC 3720, B.4: 32 bytes of zeros, of ones, and the ASCII digits.
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
}

TEST(Crc32c, PartsOfAnyLengthAddUp) {
  std::string bytes;
  for (int i = 0; i < 70; ++i) bytes += static_cast<char>(i * 37 + 200);
  for (size_t end = 0; end <= bytes.size(); ++end) {
    // The definition: a division of polynomials, bit by bit.
    uint32_t right = 0xFFFFFFFF;
    for (size_t i = 0; i < end; ++i) {
      right ^= static_cast<uint8_t>(bytes[i]);
      for (int bit = 0; bit < 8; ++bit) right = (right >> 1) ^ ((right & 1) != 0 ? 0x82F63B78U : 0);
    }
    for (size_t cut = 0; cut <= end; ++cut) {
      const uint32_t first = crc32c(bytes.substr(0, cut));
      EXPECT_EQ(extend_crc32c(first, bytes.substr(cut, end - cut)), ~right) << cut << " " << end;
    }
  }
}

TEST_F(TFRecord, RecordsComeBackInOrder) {
  {
    TFRecordWriter writer(path_);
    writer.write("first");
    writer.write("");
    writer.write(std::string("\0\1\2", 3));
  }
  EXPECT_EQ(read_all(path_), std::string("first||\0\1\2|", 11));
}

TEST_F(TFRecord, LayoutIsTensorFlows) {
  {
    TFRecordWriter writer(path_);
    writer.write("abc");
  }
  const std::string bytes = read_file(path_);
  ASSERT_EQ(bytes.size(), 8U + 4 + 3 + 4);
  EXPECT_EQ(bytes.substr(0, 8), std::string("\3\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(bytes.substr(12, 3), "abc");
}

TEST_F(TFRecord, EveryFlippedByteAndEveryCutIsRefused) {
  {
    TFRecordWriter writer(path_);
    writer.write("some bytes");
    writer.write("and more");
  }
  const std::string good = read_file(path_);
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    put(bad);
    EXPECT_THROW(read_all(path_), IOError) << i;
  }
  const size_t first = 8 + 4 + 10 + 4;
  for (size_t size = 1; size < good.size(); ++size) {
    put(good.substr(0, size));
    if (size == first) {
      EXPECT_EQ(read_all(path_), "some bytes|");
    } else {
      EXPECT_THROW(read_all(path_), IOError) << size;
    }
  }
}

TEST_F(TFRecord, AnHonestButHugeLengthIsRefused) {
  {
    TFRecordWriter writer(path_);
    writer.write(std::string(100, 'x'));
  }
  TFRecordReader reader(path_, 99);
  EXPECT_THROW(reader.next(), IOError);
}

TEST_F(TFRecord, MissingFile) {
  EXPECT_THROW(TFRecordReader("/no/such/file"), NotFoundError);
  EXPECT_THROW(TFRecordWriter("/no/such/folder/file"), IOError);
}

}  // namespace
}  // namespace antler::io

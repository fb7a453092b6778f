#include "antler/io/idx.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/gzip.h"
#include "support/paths.h"

namespace antler::io {
namespace {

using namespace std::string_literals;

std::string gzip(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string result(compressBound(bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

const std::string kBytes = "\0\0\x08\x02\0\0\0\x02\0\0\0\x03\x01\x02\x03\x04\x05\xff"s;

TEST(IdxTest, ReadsBytes) {
  const Tensor t = parse_idx(kBytes);
  EXPECT_EQ(t.shape(), Shape({2, 3}));
  EXPECT_EQ(t.to_vector<uint8_t>(), (std::vector<uint8_t>{1, 2, 3, 4, 5, 255}));
}

TEST(IdxTest, ReadsEveryType) {
  EXPECT_EQ(parse_idx("\0\0\x09\x01\0\0\0\x01\xfe"s).to_vector<int8_t>()[0], -2);
  EXPECT_EQ(parse_idx("\0\0\x0b\x01\0\0\0\x01\x01\x02"s).to_vector<int16_t>()[0], 258);
  EXPECT_EQ(parse_idx("\0\0\x0c\x01\0\0\0\x01\xff\xff\xff\xfd"s).to_vector<int32_t>()[0], -3);
  EXPECT_EQ(parse_idx("\0\0\x0d\x01\0\0\0\x01\x3f\xc0\0\0"s).to_vector<float>()[0], 1.5F);
  EXPECT_EQ(parse_idx("\0\0\x0e\x01\0\0\0\x01\x3f\xf8\0\0\0\0\0\0"s).to_vector<double>()[0], 1.5);
  EXPECT_EQ(parse_idx("\0\0\x08\0\x07"s).item(), 7);
}

TEST(IdxTest, ReadsGzip) {
  EXPECT_EQ(parse_idx(gzip(kBytes)).to_vector<uint8_t>(), parse_idx(kBytes).to_vector<uint8_t>());
}

TEST(IdxTest, RefusesCorruptFiles) {
  for (size_t n = 0; n < kBytes.size(); ++n) {
    EXPECT_THROW(parse_idx(kBytes.substr(0, n)), IOError) << n;
  }
  EXPECT_THROW(parse_idx(kBytes + "x"), IOError);
  EXPECT_THROW(parse_idx("\0\0\x0a\0\x07"s), IOError);
  EXPECT_THROW(parse_idx("\x01\0\x08\0\x07"s), IOError);
  EXPECT_THROW(parse_idx("\0\0\x08\x03"s + std::string(12, '\xff')), IOError);
  EXPECT_THROW(parse_idx("\0\0\x08\x03\0\0\0\0"s + std::string(8, '\xff')), IOError);
}

TEST(IdxTest, NamesTheFile) {
  const std::string path = (std::filesystem::temp_directory_path() / "antler_idx_test").string();
  EXPECT_THROW(load_idx(path), NotFoundError);
  write_file_atomically(path, kBytes);
  EXPECT_EQ(load_idx(path).size(), 6);
  write_file_atomically(path, "x");
  try {
    load_idx(path);
    FAIL();
  } catch (const IOError& error) {
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
  }
  std::filesystem::remove(path);
}

TEST(GzipTest, GivesTheContent) {
  EXPECT_EQ(gunzip(gzip("")), "");
  const std::string zeros(1000000, '\0');  // much larger than its file
  EXPECT_EQ(gunzip(gzip(zeros)), zeros);
  EXPECT_EQ(gunzip(gzip(zeros), zeros.size()), zeros);
  EXPECT_THROW(gunzip(gzip(zeros), zeros.size() - 1), IOError);
}

TEST(GzipTest, RefusesDamage) {
  const std::string good = gzip("some text that is long enough to have a few bytes of its own");
  for (size_t n = 0; n < good.size(); ++n) EXPECT_THROW(gunzip(good.substr(0, n)), IOError) << n;
  EXPECT_THROW(gunzip(good + "x"), IOError);
  EXPECT_THROW(gunzip("plain text"), IOError);
  std::string flipped = good;
  flipped[good.size() - 5] ^= 1;  // the checksum
  EXPECT_THROW(gunzip(flipped), IOError);
}

TEST(IdxTest, ReadsMnist) {
  const std::filesystem::path mnist = test::shared_dir() / "datasets/mnist";
  if (!std::filesystem::exists(mnist)) GTEST_SKIP() << "no files in " << mnist;
  const Tensor images = load_idx((mnist / "t10k-images-idx3-ubyte.gz").string());
  EXPECT_EQ(images.spec(), (TensorSpec{DType::uint8, {10000, 28, 28}}));
  const Tensor labels = load_idx((mnist / "t10k-labels-idx1-ubyte.gz").string());
  EXPECT_EQ(labels.data<uint8_t>()[0], 7);
}

}  // namespace
}  // namespace antler::io

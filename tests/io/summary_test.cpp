#include "antler/io/summary.h"

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/io/tfrecord.h"
#include "io/histogram.h"
#include "io/wire.h"

namespace antler {
namespace {

std::vector<std::string> records(const std::string& path) {
  std::vector<std::string> all;
  io::TFRecordReader reader(path);
  while (auto record = reader.next()) all.push_back(*record);
  return all;
}

class Summary : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = std::filesystem::path(::testing::TempDir()) / "antler_summary" /
           ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(dir_);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  std::filesystem::path dir_;
};

TEST(WireWriter, KnownEncodings) {
  io::WireWriter writer;
  writer.integer(1, 150);
  writer.bytes(2, "testing");
  EXPECT_EQ(writer.str(), std::string("\x08\x96\x01\x12\x07testing"));
  io::WireWriter negative;
  negative.integer(1, -1);
  EXPECT_EQ(negative.str().size(), 11U);
  io::WireWriter packed;
  packed.packed(4, std::vector<int64_t>{3, 270, 86942});
  EXPECT_EQ(packed.str(), std::string("\x22\x06\x03\x8E\x02\x9E\xA7\x05"));
}

TEST_F(Summary, NoFileBeforeTheFirstEvent) {
  const summary::FileWriter writer(dir_.string());
  EXPECT_EQ(writer.path(), "");
  EXPECT_FALSE(std::filesystem::exists(dir_));
}

TEST_F(Summary, ScalarsAreTensorEventsOfTheScalarsPlugin) {
  summary::FileWriter writer(dir_.string());
  writer.scalar("epoch_loss", 0.5, 7);
  writer.flush();
  const std::vector<std::string> all = records(writer.path());
  ASSERT_EQ(all.size(), 2U);
  EXPECT_NE(all[0].find("brain.Event:2"), std::string::npos);
  EXPECT_NE(all[1].find("epoch_loss"), std::string::npos);
  EXPECT_NE(all[1].find("scalars"), std::string::npos);
  // tensor_content of 0.5F.
  EXPECT_NE(all[1].find(std::string("\x22\x04\0\0\0\x3F", 6)), std::string::npos);
}

TEST_F(Summary, EventsAreFlushedInGroups) {
  summary::FileWriter writer(dir_.string(), {.max_queue = 3});
  for (int i = 0; i < 3; ++i) writer.scalar("x", i, i);
  EXPECT_EQ(records(writer.path()).size(), 4U);
}

TEST_F(Summary, ImagesOfWrongShapeAreRefused) {
  summary::FileWriter writer(dir_.string());
  EXPECT_THROW(writer.image("i", Tensor::zeros(DType::float32, {2, 2, 3}), 0), ValueError);
  EXPECT_THROW(writer.image("i", Tensor::zeros(DType::float32, {1, 2, 2, 2}), 0), ValueError);
  EXPECT_THROW(writer.image("i", Tensor::zeros(DType::int32, {1, 2, 2, 3}), 0), ValueError);
  writer.image("i", Tensor::full(DType::float32, {5, 4, 6, 3}, 0.5), 0, 2);
  writer.flush();
  const std::string event = records(writer.path()).at(1);
  size_t images = 0;
  for (size_t at = event.find("\x89PNG"); at != std::string::npos;
       at = event.find("\x89PNG", at + 1)) {
    ++images;
  }
  EXPECT_EQ(images, 2U);
}

TEST(Histogram, RowsOfEqualWidth) {
  EXPECT_EQ(io::histogram_rows({0, 1, 1, 2, 4}, 2), (std::vector<double>{0, 2, 3, 2, 4, 2}));
  EXPECT_EQ(io::histogram_rows({3, 3}, 2), (std::vector<double>{3, 3, 0, 3, 3, 2}));
  EXPECT_EQ(io::histogram_rows({}, 2), std::vector<double>(6));
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(io::histogram_rows({inf, NAN, 1, 2}, 1), (std::vector<double>{1, 2, 2}));
}

}  // namespace
}  // namespace antler

#include "antler/io/event_reader.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/logging.h"
#include "antler/io/summary.h"
#include "io/event_file.h"
#include "io/histogram.h"
#include "io/tf_tensor.h"
#include "io/wire.h"

namespace antler::io {
namespace {

namespace fs = std::filesystem;

class Events : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / "antler_events" /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    logging::set_warning_sink([this](std::string_view text) { warnings_ += text; });
  }
  void TearDown() override {
    logging::set_warning_sink({});
    fs::remove_all(folder_);
  }
  std::string file(const char* name) const { return (folder_ / name).string(); }

  fs::path folder_;
  std::string warnings_;
};

std::string simple_value(const std::string& tag, float value) {
  WireWriter entry;
  entry.bytes(1, tag);
  entry.float32(2, value);
  WireWriter summary;
  summary.message(1, entry);
  return summary.str();
}

TEST_F(Events, ScalarsOfBothFormsAreRead) {
  {
    EventFile events(file("a.tfevents.1"), {});
    events.write_summary(simple_value("loss", 0.5F), 7);
  }
  summary::FileWriter writer(folder_.string());
  writer.scalar("loss", 0.25, 9);
  writer.flush();
  const auto curves = read_scalars(folder_.string());
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_EQ(curves.at("loss").steps, (std::vector<int64_t>{7, 9}));
  EXPECT_EQ(curves.at("loss").values, (std::vector<double>{0.5, 0.25}));
}

TEST_F(Events, ValuesOfOneEventStayTogether) {
  WireWriter text;
  text.bytes(1, "checkpoint_path");
  text.message(8, tensor_message(StringTensor({"model.ckpt-3"}, Shape())));
  WireWriter array;
  array.bytes(1, "matrix");
  array.message(8, tensor_message(Tensor::of<float>({1, 2, 3, 4}, {2, 2})));
  WireWriter histogram;
  histogram.bytes(1, "weights");
  histogram.message(5, histogram_message({1, 2, std::nan("")}));
  WireWriter summary;
  for (const WireWriter& value : {text, array, histogram}) summary.message(1, value);
  EventFile events(file("x.tfevents.1"), {});
  events.write_summary(summary.str() + simple_value("loss", 2), 3);
  events.flush();
  const std::vector<Event> read = read_event_file(file("x.tfevents.1"));
  ASSERT_EQ(read.size(), 2U);  // the first has the version of the format
  ASSERT_EQ(read[1].values.size(), 4U);
  EXPECT_EQ(read[1].step, 3);
  EXPECT_GT(read[1].wall_time, 1.6e9);
  EXPECT_EQ(read[1].values[0].strings->values.at(0), "model.ckpt-3");
  EXPECT_EQ(read[1].values[1].tensor->to_vector<float>(), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_TRUE(read[1].values[2].is_histogram);
  EXPECT_EQ(read[1].values[3].number, 2.0);
}

TEST_F(Events, ADamagedTailIsLeftOutWithAWarning) {
  const std::string path = file("x.tfevents.1");
  {
    EventFile events(path, {});
    for (int i = 0; i < 5; ++i)
      events.write_summary(simple_value("loss", static_cast<float>(i)), i);
  }
  const std::string whole = read_file(path);
  for (const size_t cut : {whole.size() - 1, whole.size() - 20}) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << whole.substr(0, cut);
    warnings_.clear();
    EXPECT_EQ(read_event_file(path).size(), 5U);
    EXPECT_NE(warnings_.find("left out"), std::string::npos);
  }
  std::string flipped = whole;
  flipped[whole.size() / 2] ^= 1;
  std::ofstream(path, std::ios::binary | std::ios::trunc) << flipped;
  EXPECT_LT(read_event_file(path).size(), 6U);
}

TEST_F(Events, AFileGoesOnAfterItWasClosed) {
  const std::string path = file("x.tfevents.1");
  EventFile(path, {}).write_summary(simple_value("loss", 1), 1);
  EventFile(path, {.append = true}).write_summary(simple_value("loss", 2), 2);
  EXPECT_EQ(read_event_file(path).size(), 3U);
  EXPECT_EQ(read_scalars(folder_.string()).at("loss").values, (std::vector<double>{1, 2}));
}

TEST_F(Events, OtherFilesAndMissingFoldersHaveNone) {
  std::ofstream(file("checkpoint")) << "x";
  EXPECT_TRUE(event_files(folder_.string()).empty());
  EXPECT_TRUE(event_files(file("nothing")).empty());
  EXPECT_TRUE(read_scalars(file("nothing")).empty());
  EXPECT_THROW(read_event_file(file("nothing")), NotFoundError);
}

}  // namespace
}  // namespace antler::io

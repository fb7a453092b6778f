#include "antler/training/progbar.h"

#include <gtest/gtest.h>

#include <string>

#include "antler/base/log.h"

namespace antler {
namespace {

/// Captures what is printed, with a clock that the test moves.
class ProgbarTest : public ::testing::Test {
 protected:
  void SetUp() override {
    log::set_sink([this](std::string_view text) { printed_ += text; });
  }
  void TearDown() override { log::set_sink({}); }
  ProgbarOptions options(int verbose) {
    return {.verbose = verbose, .clock = [this] { return time_; }};
  }
  double time_ = 100;
  std::string printed_;
};

TEST_F(ProgbarTest, BarGrowsAndEnds) {
  Progbar bar(3, options(1));
  time_ += 0.4;
  bar.update(1, {{"loss", 0.5955}}, 0);
  EXPECT_EQ(printed_, "\r1/3 [=========>....................] - ETA: 0s - loss: 0.5955");
  printed_.clear();
  time_ += 0.05;
  bar.update(3, {{"loss", 0.6631}}, 1);
  // First step left out of the estimate: 50 ms over 2 steps. The values are averaged over the steps
  // between updates.
  EXPECT_EQ(printed_, std::string(61, '\b') +
                          "\r3/3 [==============================] - 0s 25ms/step - loss: 0.6406\n");
}

TEST_F(ProgbarTest, StatefulMetricsAreShownAsGiven) {
  ProgbarOptions o = options(1);
  o.stateful_metrics = {"loss"};
  Progbar bar(2, o);
  time_ += 1;
  bar.update(1, {{"loss", 1.0}}, 0);
  time_ += 1;
  bar.update(2, {{"loss", 3.0}}, 1);
  EXPECT_NE(printed_.find("2/2 [==============================] - 2s 1s/step - loss: 3.0000\n"),
            std::string::npos)
      << printed_;
}

TEST_F(ProgbarTest, RedrawsAtMostEveryInterval) {
  Progbar bar(100, options(1));
  time_ += 1;
  bar.update(1, {}, 0);
  const size_t length = printed_.size();
  time_ += 0.01;
  bar.update(2, {}, 0);
  EXPECT_EQ(printed_.size(), length);
  time_ += 0.05;
  bar.update(3, {}, 0);
  EXPECT_GT(printed_.size(), length);
}

TEST_F(ProgbarTest, UnknownTarget) {
  Progbar bar(-1, options(1));
  time_ += 0.007;
  bar.update(1, {{"loss", 0.3281}}, 0);
  EXPECT_EQ(printed_, "\r      1/Unknown - 0s 7ms/step - loss: 0.3281");
}

TEST_F(ProgbarTest, EtaFormats) {
  Progbar bar(1001, options(1));
  time_ += 10;
  bar.update(1, {}, 0);
  EXPECT_NE(printed_.find("ETA: 2:46:40"), std::string::npos) << printed_;
  Progbar minutes(11, options(1));
  printed_.clear();
  time_ += 10;
  minutes.update(1, {}, 0);
  EXPECT_NE(printed_.find("ETA: 1:40"), std::string::npos) << printed_;
}

TEST_F(ProgbarTest, SmallValuesInExponentForm) {
  Progbar bar(1, options(1));
  time_ += 0.0005;
  bar.update(1, {{"a", 0.00012}, {"b", -2.5}}, 1);
  EXPECT_EQ(
      printed_,
      "\r1/1 [==============================] - 0s 500us/step - a: 1.2000e-04 - b: -2.5000\n");
}

TEST_F(ProgbarTest, VerboseTwoPrintsOneLine) {
  Progbar bar(3, options(2));
  time_ += 0.026;
  bar.update(1, {{"loss", 9}}, 0);
  EXPECT_EQ(printed_, "");
  bar.update(3, {{"loss", 0.3733}, {"n", -0.5}}, 1);
  // Negative values print in exponent form here, as Keras does.
  EXPECT_EQ(printed_, "3/3 - 0s - loss: 3.2489 - n: -5.0000e-01 - 26ms/epoch - 9ms/step\n");
}

}  // namespace
}  // namespace antler

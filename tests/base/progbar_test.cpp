#include "antler/base/progbar.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "antler/base/logging.h"

namespace antler {
namespace {

/// Captures the output, with a clock that the test controls.
class ProgbarTest : public ::testing::Test {
 protected:
  void SetUp() override {
    logging::set_sink([this](std::string_view text) { printed_ += text; });
  }
  void TearDown() override { logging::set_sink({}); }
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

/// Runs of backspaces as their number, so that an expected text can be read.
std::string with_counts(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\b') {
      result += text[i];
      continue;
    }
    size_t count = 1;
    while (i + 1 < text.size() && text[i + 1] == '\b') ++count, ++i;
    result += "<" + std::to_string(count) + ">";
  }
  return result;
}

// The output of tf_keras 2.21's Progbar for the same calls at the same times.
TEST_F(ProgbarTest, SeveralValuesCharacterByCharacter) {
  Progbar bar(12, options(1));
  const auto step = [&](double seconds, int64_t current, double loss, double mae, double acc) {
    time_ += seconds;
    bar.update(current, {{"loss", loss}, {"mae", mae}, {"acc", acc}});
  };
  step(0.5, 1, 2.5, -0.25, 0.0005);
  step(0.02, 2, 2.0, 0.25, 0.5);
  step(0.06, 4, 1.0, 0.5, 0.75);
  step(30, 8, 1.0, 0.5, 1.0);
  step(4000, 11, 0.0, 0.5, 1.0);
  step(1.25, 12, 0.5, 0.5, 1.0);
  EXPECT_EQ(with_counts(printed_),
            "\r 1/12 [=>............................] - ETA: 5s - loss: 2.5000 - mae: -0.2500 - "
            "acc: 5.0000e-04<96>"
            "\r 4/12 [=========>....................] - ETA: 0s - loss: 1.6250 - mae: 0.2500 - "
            "acc: 0.5001     <91>"
            "\r 8/12 [===================>..........] - ETA: 17s - loss: 1.3125 - mae: 0.3750 - "
            "acc: 0.7501<92>"
            "\r11/12 [==========================>...] - ETA: 6:43 - loss: 0.9545 - mae: 0.4091 - "
            "acc: 0.8182<93>"
            "\r12/12 [==============================] - 4032s 366s/step - loss: 0.9167 - mae: "
            "0.4167 - acc: 0.8334\n");
}

TEST_F(ProgbarTest, AnUnknownTargetThatBecomesKnownCharacterByCharacter) {
  Progbar bar(-1, options(1));
  time_ += 0.007;
  bar.update(1, {{"loss", 0.3281}}, 0);
  time_ += 0.1;
  bar.update(2, {{"loss", 0.4}}, 0);
  time_ += 0.1;
  bar.set_target(2);
  bar.update(2, {{"loss", 0.5}}, 1);
  EXPECT_EQ(with_counts(printed_),
            "\r      1/Unknown - 0s 7ms/step - loss: 0.3281<44>"
            "\r      2/Unknown - 0s 100ms/step - loss: 0.3640<46>"
            "\r2/2 [==============================] - 0s 200ms/step - loss: 0.4094\n");
}

TEST_F(ProgbarTest, PartialStepsAndOtherUnitsCharacterByCharacter) {
  Progbar partial(10, options(1));
  for (const auto& [current, loss] :
       {std::pair{3, 3.0}, std::pair{6, 2.0}, std::pair{9, 1.0}, std::pair{10, 1.0}}) {
    time_ += 0.1;
    partial.update(current, {{"loss", loss}});
  }
  EXPECT_EQ(with_counts(printed_),
            "\r 3/10 [========>.....................] - ETA: 0s - loss: 3.0000<63>"
            "\r 6/10 [=================>............] - ETA: 0s - loss: 2.5000<63>"
            "\r 9/10 [==========================>...] - ETA: 0s - loss: 2.0000<63>"
            "\r10/10 [==============================] - 0s 40ms/step - loss: 1.9000\n");
  printed_.clear();
  ProgbarOptions samples = options(1);
  samples.unit_name = "sample";
  Progbar bar(2, samples);
  time_ += 2;
  bar.update(1, {});
  time_ += 2;
  bar.update(2, {}, 1);
  EXPECT_EQ(with_counts(printed_),
            "\r1/2 [==============>...............] - ETA: 2s<46>"
            "\r2/2 [==============================] - 4s 2s/sample\n");
}

TEST_F(ProgbarTest, WithoutDynamicDisplayEachRedrawHasALine) {
  ProgbarOptions still = options(1);
  still.dynamic_display = false;
  Progbar bar(3, still);
  time_ += 0.1;
  bar.update(1, {{"loss", 3.0}});
  time_ += 0.1;
  bar.update(3, {{"loss", 2.0}});
  EXPECT_EQ(printed_,
            "\n1/3 [=========>....................] - ETA: 0s - loss: 3.0000"
            "\n3/3 [==============================] - 0s 50ms/step - loss: 2.3333\n");
}

TEST_F(ProgbarTest, VerboseTwoCharacterByCharacter) {
  Progbar bar(4, options(2));
  time_ += 0.01;
  bar.update(1, {{"loss", 3.0}});
  time_ += 0.01;
  bar.update(2, {{"loss", -2.0}});
  time_ += 61;
  bar.update(4, {{"loss", -1.0}, {"mae", 0.5}});
  EXPECT_EQ(printed_, "4/4 - 61s - loss: -2.5000e-01 - mae: 0.5000 - 61s/epoch - 15s/step\n");
}

}  // namespace
}  // namespace antler

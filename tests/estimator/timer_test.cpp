#include "antler/estimator/timer.h"

#include <gtest/gtest.h>

#include "antler/base/error.h"

namespace antler::estimator {
namespace {

TEST(SecondOrStepTimer, TriggersBySteps) {
  SecondOrStepTimer timer({}, 3);
  EXPECT_TRUE(timer.should_trigger_for_step(0));
  EXPECT_FALSE(timer.update_last_triggered_step(0));
  EXPECT_FALSE(timer.should_trigger_for_step(2));
  EXPECT_EQ(timer.steps_until_trigger(1), 2);
  EXPECT_TRUE(timer.should_trigger_for_step(3));
  EXPECT_EQ(timer.steps_until_trigger(3), 0);
  EXPECT_EQ(timer.update_last_triggered_step(5)->steps, 5);
  EXPECT_FALSE(timer.should_trigger_for_step(5));
  timer.reset();
  EXPECT_TRUE(timer.should_trigger_for_step(5));
}

TEST(SecondOrStepTimer, TriggersByTheClock) {
  double now = 100;
  SecondOrStepTimer timer(10, {}, [&] { return now; });
  timer.update_last_triggered_step(0);
  now = 109.9;
  EXPECT_FALSE(timer.should_trigger_for_step(1));
  EXPECT_EQ(timer.steps_until_trigger(1), 1);
  now = 110;
  EXPECT_FALSE(timer.should_trigger_for_step(0));
  EXPECT_TRUE(timer.should_trigger_for_step(1));
  EXPECT_DOUBLE_EQ(timer.update_last_triggered_step(4)->secs, 10);
  EXPECT_EQ(timer.last_triggered_step(), 4);
}

TEST(SecondOrStepTimer, NeedsOneCadence) {
  EXPECT_THROW(SecondOrStepTimer(1.0, 1), ValueError);
  EXPECT_THROW(SecondOrStepTimer(std::nullopt, std::nullopt), ValueError);
  EXPECT_FALSE(SecondOrStepTimer().should_trigger_for_step(0));
}

}  // namespace
}  // namespace antler::estimator

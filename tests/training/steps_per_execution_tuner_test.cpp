#include "antler/training/steps_per_execution_tuner.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "antler/antler.h"

namespace antler {
namespace {

/// A loop whose throughput the test decides, without time or threads.
class Bench {
 public:
  explicit Bench(StepsPerExecutionTunerOptions options = {}, int64_t value = 1)
      : steps_per_execution(value),
        tuner([this] { return iterations; }, steps_per_execution, with_clock(std::move(options))) {
    tuner.restart_measurements();
  }

  /// `rate` iterations per second, for as many measurements as make one decision.
  int64_t decide(double rate) {
    for (int64_t i = 0; i < tuner.change_spe_interval(); ++i) measure(rate);
    return steps_per_execution.value();
  }

  void measure(double rate, double seconds = 1) {
    now += seconds;
    iterations += static_cast<int64_t>(rate * seconds);
    tuner.measure_and_tune();
  }

  int64_t iterations = 0;
  double now = 1000;
  StepsPerExecution steps_per_execution;
  StepsPerExecutionTuner tuner;

 private:
  StepsPerExecutionTunerOptions with_clock(StepsPerExecutionTunerOptions options) {
    options.clock = [this] { return now; };
    return options;
  }
};

TEST(StepsPerExecutionTuner, KeepsItsArguments) {
  StepsPerExecution variable(1);
  const StepsPerExecutionTuner tuner([] { return int64_t{5}; }, variable,
                                     {.change_spe_interval = 50, .change_threshold = 0.5});
  EXPECT_EQ(tuner.interval(), 5);
  EXPECT_EQ(tuner.change_spe_interval(), 50);
  EXPECT_EQ(tuner.spe_change_threshold(), 0.5);
  EXPECT_EQ(tuner.steps_per_execution(), 1);
  EXPECT_FALSE(tuner.stopped());
  EXPECT_FALSE(tuner.running());
}

TEST(StepsPerExecutionTuner, RefusesOptionsOutOfRange) {
  StepsPerExecution variable;
  const auto make = [&](StepsPerExecutionTunerOptions options) {
    StepsPerExecutionTuner([] { return int64_t{0}; }, variable, std::move(options));
  };
  EXPECT_THROW(make({.interval = 0}), ValueError);
  EXPECT_THROW(make({.interval = std::nan("")}), ValueError);
  EXPECT_THROW(make({.change_spe_interval = 0}), ValueError);
  EXPECT_THROW(make({.change_threshold = -0.1}), ValueError);
}

TEST(StepsPerExecutionTuner, GrowsWhileThroughputGrows) {
  Bench bench;
  std::vector<int64_t> values;
  for (double rate = 100; values.size() < 8; rate *= 1.2) values.push_back(bench.decide(rate));
  // 1.5, 3, 4.5, 6, 7.5 ... rounded half to even.
  EXPECT_EQ(values, (std::vector<int64_t>{2, 3, 4, 6, 9, 14, 21, 32}));
}

TEST(StepsPerExecutionTuner, RoundsHalfToEven) {
  Bench five({}, 5);
  EXPECT_EQ(five.decide(100), 8);
  Bench nine({}, 9);
  EXPECT_EQ(nine.decide(100), 14);
  Bench three({}, 3);
  EXPECT_EQ(three.decide(100), 4);
}

TEST(StepsPerExecutionTuner, TurnsRoundWhenThroughputFalls) {
  Bench bench({}, 8);
  EXPECT_EQ(bench.decide(100), 12);
  EXPECT_EQ(bench.decide(50), 6);   // worse: the other way
  EXPECT_EQ(bench.decide(100), 3);  // better: on in that direction
  EXPECT_EQ(bench.decide(40), 4);   // worse: up again (4.5 to even)
}

TEST(StepsPerExecutionTuner, StaysBetweenTheThresholds) {
  Bench bench({}, 4);
  EXPECT_EQ(bench.decide(100), 6);
  EXPECT_EQ(bench.decide(105), 6);
  EXPECT_EQ(bench.decide(96), 6);  // measured against the 105 of the decision before
  EXPECT_EQ(bench.decide(120), 9);
}

TEST(StepsPerExecutionTuner, NeverGoesBelowOne) {
  Bench bench({.change_spe_interval = 1});
  EXPECT_EQ(bench.decide(100), 2);
  EXPECT_EQ(bench.decide(50), 1);
  EXPECT_EQ(bench.decide(100), 1);  // half of 1 is 0.5
  EXPECT_EQ(bench.decide(200), 1);
}

TEST(StepsPerExecutionTuner, ZeroGoesBackToTheStartValue) {
  Bench bench({.change_spe_interval = 1}, 7);
  bench.steps_per_execution.assign(0);
  EXPECT_EQ(bench.decide(100), 7);
}

TEST(StepsPerExecutionTuner, DoesNotGrowBeyondTheLimitOfTheVariable) {
  const int64_t huge = std::numeric_limits<int64_t>::max() / 3 * 2 + 1000;
  Bench bench({}, huge);
  EXPECT_EQ(bench.decide(100), huge);
}

TEST(StepsPerExecutionTuner, IntervalsWithoutProgressDecideNothing) {
  Bench bench({.change_spe_interval = 2});
  bench.measure(100);
  bench.measure(0);  // a decision is due, but nothing ran
  EXPECT_EQ(bench.steps_per_execution.value(), 1);
  bench.measure(100);
  bench.measure(100);
  EXPECT_EQ(bench.steps_per_execution.value(), 2);
}

TEST(StepsPerExecutionTuner, NothingIsDecidedBeforeTraining) {
  Bench bench({.change_spe_interval = 1});
  for (int i = 0; i < 5; ++i) bench.measure(0);
  EXPECT_EQ(bench.steps_per_execution.value(), 1);
  EXPECT_EQ(bench.tuner.start_time(), 1005);
  EXPECT_EQ(bench.tuner.spe_measurement_count(), 5);
}

TEST(StepsPerExecutionTuner, AClockThatStandsStillIsNoMeasurement) {
  Bench bench({.change_spe_interval = 1});
  bench.measure(100, 0);
  bench.iterations += 50;
  bench.measure(100, -1);
  EXPECT_EQ(bench.tuner.spe_measurement_count(), 0);
  EXPECT_EQ(bench.steps_per_execution.value(), 1);
}

TEST(StepsPerExecutionTuner, IterationsThatGoBackAreNoProgress) {
  Bench bench({.change_spe_interval = 1});
  EXPECT_EQ(bench.decide(100), 2);
  bench.iterations = 10;  // weights were loaded
  bench.measure(0);
  EXPECT_EQ(bench.steps_per_execution.value(), 2);
  EXPECT_EQ(bench.decide(200), 3);
}

TEST(StepsPerExecutionTuner, SetterAlsoSetsTheValueToReturnTo) {
  Bench bench;
  EXPECT_EQ(bench.tuner.init_spe(), 1);
  bench.tuner.set_steps_per_execution(5);
  EXPECT_EQ(bench.steps_per_execution.value(), 5);
  EXPECT_EQ(bench.tuner.init_spe(), 5);
}

/// Waits for a thread to do something, at most half a second.
template <class Condition>
bool soon(Condition condition) {
  for (int i = 0; i < 500 && !condition(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return condition();
}

TEST(StepsPerExecutionTuner, StartAndStop) {
  StepsPerExecution variable;
  std::atomic<int64_t> iterations{5};
  StepsPerExecutionTuner tuner([&] { return iterations.load(); }, variable, {.interval = 0.002});
  tuner.stop();  // without a start: nothing
  tuner.start();
  EXPECT_FALSE(tuner.stopped());
  EXPECT_GT(tuner.start_time(), 0);
  EXPECT_TRUE(soon([&] { return tuner.spe_measurement_count() > 2; }));
  tuner.stop();
  EXPECT_TRUE(tuner.stopped());
  EXPECT_EQ(tuner.init_spe(), 1);
  const int64_t count = tuner.spe_measurement_count();
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(tuner.spe_measurement_count(), count);
  // A second run measures from the beginning.
  tuner.start();
  EXPECT_FALSE(tuner.stopped());
  EXPECT_TRUE(soon([&] { return tuner.spe_measurement_count() > 0; }));
  tuner.stop();
}

TEST(StepsPerExecutionTuner, StopWakesALongInterval) {
  StepsPerExecution variable;
  StepsPerExecutionTuner tuner([] { return int64_t{1}; }, variable, {.interval = 3600});
  const auto begin = std::chrono::steady_clock::now();
  tuner.start();
  tuner.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST(StepsPerExecutionTuner, OnlyTheOutermostStopEnds) {
  StepsPerExecution variable;
  StepsPerExecutionTuner tuner([] { return int64_t{1}; }, variable, {.interval = 0.001});
  tuner.start();
  { const TunerScope evaluation(&tuner); }
  EXPECT_TRUE(tuner.running());
  EXPECT_FALSE(tuner.stopped());
  tuner.stop();
  EXPECT_FALSE(tuner.running());
}

TEST(StepsPerExecutionTuner, ItsThreadSurvivesErrors) {
  StepsPerExecution variable;
  std::atomic<int> calls{0};
  logging::set_warning_sink([](std::string_view) {});
  StepsPerExecutionTuner tuner(
      [&]() -> int64_t {
        if (++calls == 3) throw RuntimeError("not now");
        return calls;
      },
      variable, {.interval = 0.001});
  tuner.start();
  EXPECT_TRUE(soon([&] { return calls > 6; }));
  tuner.stop();
  logging::set_warning_sink({});
}

TEST(StepsPerExecutionTuner, ALoopOfOnesOwn) {
  const Tensor inputs = Input({784}, {.name = "digits"});
  Tensor h = Dense(64, {.activation = "relu", .name = "dense_1"})(inputs);
  h = Dense(64, {.activation = "relu", .name = "dense_2"})(h);
  Model model(inputs, Dense(10, {.name = "predictions"})(h));
  optimizers::SGD optimizer({.learning_rate = 1e-3});
  const Loss loss_fn = losses::SparseCategoricalCrossentropy({.from_logits = true});
  const Function step = tf::function(Function::Body([&](const Nest& batch) -> Nest {
    GradientTape tape;
    const Tensor logits = model(batch[0].tensor(), {.training = true});
    const Tensor loss = loss_fn(batch[1], logits);
    optimizer.minimize(loss, model.trainable_variables(), tape);
    return Nest::dict({{"loss", loss}});
  }));
  const auto source =
      data::array_source(Tensor::zeros(DType::float32, {1000, 784}),
                         Tensor::zeros(DType::int32, {1000}), {}, {.batch_size = 10});
  StepRunner runner(step, *source);
  StepsPerExecution steps_per_execution;
  StepsPerExecutionTuner tuner(optimizer, steps_per_execution,
                               {.interval = 0.001, .change_spe_interval = 1});
  int64_t steps = 0;
  Nest logs;
  tuner.start();
  for (int epoch = 0; epoch < 2; ++epoch) {
    source->reset();
    while (const int64_t done = runner.run(steps_per_execution, logs)) steps += done;
  }
  tuner.stop();
  EXPECT_EQ(steps, 200);
  EXPECT_EQ(steps_per_execution.steps_done(), 200);
  EXPECT_EQ(optimizer.iterations().stored().item(), 200);
  EXPECT_GE(steps_per_execution.value(), 1);
}

}  // namespace
}  // namespace antler

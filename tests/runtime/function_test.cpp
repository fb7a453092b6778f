#include "antler/runtime/function.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <thread>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/ops/ops.h"
#include "antler/runtime/config.h"

namespace antler {
namespace {

Tensor vec(const std::vector<float>& values) { return Tensor::of(values); }

/// Feeds `batches` batches 1, 2, 3, ... to a program with one argument of one element.
class CountingFeed : public BatchFeed {
 public:
  explicit CountingFeed(int batches) : batches_(batches) {}
  bool fill(std::span<void* const> buffers) override {
    if (done_ == batches_) return false;
    const auto value = static_cast<float>(++done_);
    std::memcpy(buffers[0], &value, sizeof value);
    return true;
  }

 private:
  int batches_;
  int done_ = 0;
};

std::atomic<int64_t> g_group = 0;

/// As a group of workers may while the first trace creates variables in all of them.
TEST(Function, ATraceDuringWhichTheVariantChangesIsNotUsed) {
  set_function_variant([] { return g_group.load(); });
  int traces = 0;
  const Function f = tf::function(Function::Body([&](const Nest& x) -> Nest {
    const auto before = static_cast<double>(g_group);
    if (++traces == 1) g_group = 1;
    return x.tensor() * 10 + before * 2 + static_cast<double>(g_group);
  }));
  EXPECT_EQ(f(vec({1})).tensor().to_doubles(), (std::vector<double>{13}));
  g_group = 0;
  EXPECT_EQ(f(vec({1})).tensor().to_doubles(), (std::vector<double>{10}));
  g_group = 1;
  EXPECT_EQ(f(vec({1})).tensor().to_doubles(), (std::vector<double>{13}));
  EXPECT_EQ(traces, 3);
  set_function_variant(nullptr);
}

TEST(Function, TracesOncePerSignature) {
  int calls = 0;
  const Function f = tf::function(Function::Body([&](const Nest& x) -> Nest {
    ++calls;
    return ops::sum(x.tensor() * 2.0);
  }));
  EXPECT_EQ(f(vec({1, 2})).tensor().item(), 6);
  EXPECT_EQ(f(vec({3, 4})).tensor().item(), 14);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(f(vec({1, 2, 3})).tensor().item(), 12);
  EXPECT_EQ(f(Tensor::of(std::vector<int32_t>{1, 2})).tensor().item(), 6);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(f.trace_count(), 3);
}

// The compiled program fuses these ops; a pixel that is not a number must not disappear in it.
TEST(Function, NanPassesConvReluAndPool) {
  for (const int64_t channels : {1, 3, 32}) {
    std::vector<float> pixels(static_cast<size_t>(288 * channels), 0.1F);
    for (const size_t pixel : {5U * 12U + 4U, 12U * 12U + 3U}) {
      pixels[pixel * static_cast<size_t>(channels)] = std::nanf("");
    }
    const Tensor x = Tensor::of(pixels, {2, 12, 12, channels});
    const Variable w(ops::full({3, 3, channels, 32}, 0.01), {.name = "w"});
    const Variable b(ops::full({32}, -0.001), {.name = "b"});
    const auto network = [&](const Tensor& image) {
      return ops::max_pool(ops::relu(ops::conv(image, w.value(), {}) + b.value()), 2);
    };
    const auto missing = [](const Tensor& pooled) {
      return ops::isnan(ops::sum(pooled, -1)).to_doubles();
    };
    const std::vector<double> expected = missing(network(x));
    EXPECT_GT(std::count(expected.begin(), expected.end(), 1.0), 4);
    EXPECT_GT(std::count(expected.begin(), expected.end(), 0.0), 20);
    const Function compiled =
        tf::function(Function::Body([&](const Nest& in) -> Nest { return network(in.tensor()); }));
    EXPECT_EQ(missing(compiled(x).tensor()), expected) << channels;
    // With a gradient, the program also stores which pixel of a window was the largest.
    const Function trained = tf::function(Function::Body([&](const Nest& in) -> Nest {
      GradientTape tape;
      const Tensor y = network(in.tensor());
      return {y, tape.gradient(ops::sum(y), w)};
    }));
    EXPECT_EQ(missing(trained(x)[0].tensor()), expected) << channels;
  }
}

TEST(Function, StructuresGoInAndOut) {
  const Function f = tf::function(Function::Body([](const Nest& in) -> Nest {
    return Nest::dict({{"sum", in.at("a").tensor() + in.at("b").tensor()},
                       {"same", in.at("a")},
                       {"none", Tensor()}});
  }));
  const Nest out = f(Nest::dict({{"a", vec({1, 2})}, {"b", vec({10, 20})}}));
  EXPECT_EQ(out.at("sum").tensor().to_doubles(), (std::vector<double>{11, 22}));
  EXPECT_EQ(out.at("same").tensor().to_doubles(), (std::vector<double>{1, 2}));
  EXPECT_TRUE(out.at("none").is_none());
}

TEST(Function, TakesAsManyTensorsAsItsBody) {
  const Function two = tf::function([](const Tensor& a, const Tensor& b) { return a - b; });
  EXPECT_EQ(two(vec({5}), vec({3})).tensor().item(), 2);
  const Function six = tf::function(
      [](const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d, const Nest& e,
         const Tensor& f) { return std::pair(a + b + c, d + e.tensor() + f); });
  const Nest sums = six(vec({1}), vec({2}), vec({3}), vec({4}), vec({5}), vec({6}));
  EXPECT_EQ(sums[0].tensor().item(), 6);
  EXPECT_EQ(sums[1].tensor().item(), 15);
}

TEST(Function, ElasticTransformsOfATracedSigma) {
  const Tensor images = ops::reshape(ops::arange(0, 126, {.dtype = "float32"}), {2, 9, 7, 1});
  const Tensor seed = Tensor::of<uint32_t>({3, 0});
  const auto bent = [&](const Tensor& sigma) {
    return ops::elastic_transform(images, seed, {.alpha = 2.0, .sigma = sigma});
  };
  const Function traced = tf::function(bent);
  for (const float sigma : {0.5F, 1.0F, 2.7F}) {
    const std::vector<double> expected = bent(sigma).to_doubles();
    const std::vector<double> result = traced(Tensor(sigma)).tensor().to_doubles();
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(result[i], expected[i], 1e-4) << sigma;
  }
}

TEST(Function, VariablesAreReadAndAssigned) {
  const Variable total(vec({0}), {.name = "total"});
  const Function add = tf::function(Function::Body([&](const Nest& x) -> Nest {
    total.assign(total.value() + x.tensor());
    return total.value() * 10.0;
  }));
  const Tensor before = total.value();
  EXPECT_EQ(add(vec({2})).tensor().item(), 20);
  EXPECT_EQ(add(vec({3})).tensor().item(), 50);
  EXPECT_EQ(total.value().item(), 5);
  EXPECT_EQ(before.item(), 0) << "a value that was read does not change";
}

TEST(Function, ResultsOfEarlierCallsStay) {
  const Function f =
      tf::function(Function::Body([](const Nest& x) -> Nest { return x.tensor() + 1.0; }));
  const Tensor first = f(vec({1})).tensor();
  f(vec({5}));
  EXPECT_EQ(first.item(), 2);
}

TEST(Function, RunsManyStepsInOneCallAndStopsWithTheData) {
  const Variable total(vec({0}), {.name = "total"});
  const Function step = tf::function(Function::Body([&](const Nest& x) -> Nest {
    total.assign(total.value() + x.tensor());
    return total.value();
  }));
  const auto special = step.specialize(vec({0}));
  CountingFeed feed(10);
  Nest out;
  EXPECT_EQ(special.run(4, feed, out), 4);
  EXPECT_EQ(out.tensor().item(), 10);
  EXPECT_EQ(special.run(100, feed, out), 6);
  EXPECT_EQ(out.tensor().item(), 55);
  EXPECT_EQ(special.run(1, feed, out), 0);
  EXPECT_EQ(out.tensor().item(), 55) << "no step, no new output";
  EXPECT_EQ(step.trace_count(), 1);
}

/// A CountingFeed that lends every other batch from its own memory.
class LendingFeed : public CountingFeed {
 public:
  using CountingFeed::CountingFeed;
  bool fill_or_lend(std::span<void*> batch) override {
    if (lends_) batch[0] = own_.mutable_data();
    lends_ = !lends_;
    return fill(batch);
  }
  const Tensor& own() const { return own_; }

 private:
  Tensor own_ = vec({0});
  bool lends_ = true;
};

TEST(Function, BatchesAreReadWhereTheFeedHasThem) {
  const Variable total(vec({0}), {.name = "total"});
  const Function step = tf::function(Function::Body([&](const Nest& x) -> Nest {
    total.assign(total.value() + x.tensor());
    return total.value();
  }));
  const auto special = step.specialize(vec({0}));
  LendingFeed feed(6);
  Nest out;
  EXPECT_EQ(special.run(3, feed, out), 3);
  EXPECT_EQ(out.tensor().item(), 6);
  EXPECT_EQ(feed.own().item(), 3) << "what is lent is only read";
  EXPECT_EQ(special.run(100, feed, out), 3);
  EXPECT_EQ(out.tensor().item(), 21);
  EXPECT_EQ(step(vec({9})).tensor().item(), 30) << "a call of its own binds its own argument";
}

TEST(Function, AnErrorInTheBodyLeavesTheThreadUsable) {
  const Variable v(vec({1, 2}), {.name = "v"});
  const Function bad = tf::function(Function::Body([&](const Nest& x) -> Nest {
    return x.tensor() + vec({1, 2, 3});
  }));
  EXPECT_THROW(bad(v.value()), ValueError);
  EXPECT_EQ(ops::sum(v.value()).item(), 3);
}

TEST(Function, ATracedTensorCannotEscape) {
  Tensor escaped;
  const Function leak = tf::function(Function::Body([&](const Nest& x) -> Nest {
    escaped = x.tensor() * 2.0;
    return x;
  }));
  leak(vec({1}));
  EXPECT_THROW(escaped.data(), RuntimeError);
  const Function use =
      tf::function(Function::Body([&](const Nest& x) -> Nest { return x.tensor() + escaped; }));
  EXPECT_THROW(use(vec({1})), RuntimeError);
}

TEST(Function, GradientsInside) {
  const Variable w(vec({3}), {.name = "w"});
  const Function f = tf::function(Function::Body([&](const Nest& x) -> Nest {
    GradientTape tape;
    const Tensor loss = ops::sum(ops::square(w.value() * x.tensor()));
    return tape.gradient(loss, Variables{w})[0];
  }));
  EXPECT_EQ(f(vec({2})).tensor().item(), 24);
}

TEST(Function, ControlFlowIsCompiledAsControlFlow) {
  const Variable visits(vec({0}), {.name = "visits"});
  const Function f = tf::function(Function::Body([&](const Nest& in) -> Nest {
    const Tensor& x = in.tensor();
    const auto loop = ops::while_loop([](const Tensors& v) { return ops::less(v[0], 100.0); },
                                      [&](const Tensors& v) {
                                        visits.assign(visits.value() + 1.0);
                                        return Tensors{v[0] * 2.0};
                                      },
                                      {ops::reshape(x, {})});
    const auto branch = ops::cond(
        ops::greater(loop[0], 127.0), [&] { return Tensors{loop[0]}; },
        [&] { return Tensors{-loop[0]}; });
    return branch[0];
  }));
  EXPECT_EQ(f(vec({1})).tensor().item(), 128);
  EXPECT_EQ(visits.value().item(), 7);
  EXPECT_EQ(f(vec({3})).tensor().item(), -96 * -2);  // 3 -> 192
  EXPECT_EQ(f(vec({101})).tensor().item(), -101);
}

TEST(Function, ScanAndItsGradient) {
  const Function f = tf::function(Function::Body([](const Nest& in) -> Nest {
    const Tensor& x = in.tensor();
    GradientTape tape;
    tape.watch(x);
    const auto result = ops::scan(
        [](const Tensors& carry, const Tensors& step) {
          const Tensor next = carry[0] * 0.5 + step[0];
          return std::pair{Tensors{next}, Tensors{next * next}};
        },
        {Tensor::zeros(DType::float32, {})}, {x});
    return Nest{result.carry[0], result.ys[0], tape.gradient(result.carry[0], x)};
  }));
  const Nest out = f(vec({1, 2, 4}));
  EXPECT_EQ(out[0].tensor().item(), 5.25);
  EXPECT_EQ(out[1].tensor().to_doubles(), (std::vector<double>{1, 6.25, 27.5625}));
  EXPECT_EQ(out[2].tensor().to_doubles(), (std::vector<double>{0.25, 0.5, 1}));
}

TEST(Function, ManyThreadsMayCallOne) {
  const Variable w(Tensor::full(DType::float32, {64, 64}, 0.01), {.name = "w"});
  const Function f = tf::function(Function::Body(
      [&](const Nest& x) -> Nest { return ops::sum(ops::matmul(x.tensor(), w.value())); }));
  std::vector<std::thread> threads;
  threads.reserve(4);
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const Tensor x = Tensor::full(DType::float32, {8, 64}, t + 1.0);
      const double expected = 8 * 64 * 64 * 0.01 * (t + 1);
      for (int i = 0; i < 50; ++i) {
        if (std::abs(f(x).tensor().item() - expected) > 1e-2 * expected) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(f.trace_count(), 1);
}

TEST(Function, EagerModeGivesTheSame) {
  const auto body = Function::Body([](const Nest& x) -> Nest { return ops::softmax(x.tensor()); });
  const Tensor x = vec({1, 2, 3, 4});
  const auto compiled = tf::function(body)(x).tensor().to_doubles();
  const auto eager = tf::function(body, {.run_eagerly = true})(x).tensor().to_doubles();
  for (size_t i = 0; i < compiled.size(); ++i) EXPECT_NEAR(compiled[i], eager[i], 1e-6);
}

TEST(Function, PassesCanBeLeftOutAndDumped) {
  std::vector<std::string> stages;
  config::set_dump_sink(
      [&](const std::string& name, const std::string& stage, const std::string& text) {
        EXPECT_EQ(name, "dumped");
        EXPECT_FALSE(text.empty());
        stages.push_back(stage);
      });
  tf::function(Function::Body([](const Nest& x) -> Nest { return ops::exp(x.tensor()) + 1.0; }),
               {.name = "dumped"})(vec({1}));
  config::set_dump_sink({});
  ASSERT_FALSE(stages.empty());
  EXPECT_EQ(stages.back(), "plan");
}

TEST(Program, MemoryPlanCountsEveryByte) {
  const Variable w(Tensor::zeros(DType::float32, {16, 16}), {.name = "w"});
  const Function f = tf::function(Function::Body([&](const Nest& x) -> Nest {
    return ops::matmul(ops::matmul(x.tensor(), w.value()), w.value());
  }));
  const ProgramMemory m =
      f.specialize(Tensor::zeros(DType::float32, {4, 16})).program().memory_plan();
  EXPECT_EQ(m.arguments, 4 * 16 * 4);
  EXPECT_EQ(m.states, 16 * 16 * 4);
  EXPECT_EQ(m.results, 4 * 16 * 4);
  EXPECT_EQ(m.total(), m.arguments + m.states + m.results + m.constants + m.arena + m.scratch);
}

TEST(Program, RefusesArgumentsOfAnotherShape) {
  const Function f =
      tf::function(Function::Body([](const Nest& x) -> Nest { return x.tensor() * 2.0; }));
  Program& program = f.specialize(vec({1, 2})).program();
  EXPECT_THROW(program.run(std::vector<Tensor>{vec({1, 2, 3})}), ValueError);
  EXPECT_THROW(program.run(std::vector<Tensor>{}), ValueError);
}

}  // namespace
}  // namespace antler

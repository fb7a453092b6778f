#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "antler/autodiff/gradient_tape.h"
#include "antler/nn/losses.h"
#include "antler/nn/metrics.h"
#include "antler/nn/optimizers.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/products.h"
#include "antler/runtime/function.h"

/// Losses, metrics and updates give the same numbers op by op and as a compiled function.
namespace antler {
namespace {

/// A linear classifier with an optimizer and two metrics.
class Trainer {
 public:
  explicit Trainer(const OptimizerPtr& optimizer) : optimizer_(optimizer) {
    std::vector<float> values;
    for (int i = 0; i < 12; ++i) values.push_back(0.1F * static_cast<float>(i % 5) - 0.2F);
    kernel_ = Variable(Tensor::of(values, {4, 3}), {.name = "kernel"});
    bias_ = Variable(Tensor::zeros(DType::float32, {3}), {.name = "bias"});
    optimizer_->build({kernel_, bias_});
  }

  Tensors step(const Tensors& batch) {
    GradientTape tape;
    const Tensor logits = ops::matmul(batch[0], kernel_.value()) + bias_.value();
    const Tensor value =
        losses::SparseCategoricalCrossentropy({.from_logits = true})(batch[1], logits);
    optimizer_->minimize(value, {kernel_, bias_}, tape);
    loss_.update_state(value);
    accuracy_.update_state(batch[1], logits);
    return {value, loss_.result().tensor(), accuracy_.result().tensor()};
  }

  /// All that a step may change.
  Variables state() const {
    Variables all = {kernel_, bias_};
    for (const Variables& group :
         {optimizer_->variables(), loss_.variables(), accuracy_.variables()}) {
      all.insert(all.end(), group.begin(), group.end());
    }
    return all;
  }

 private:
  OptimizerPtr optimizer_;
  Variable kernel_;
  Variable bias_;
  metrics::Mean loss_{{.name = "loss"}};
  metrics::SparseCategoricalAccuracy accuracy_;
};

Tensors batch(int t) {
  std::vector<float> x;
  std::vector<int32_t> y;
  for (int i = 0; i < 20; ++i) x.push_back(static_cast<float>((i * 7 + t * 3) % 11) / 11.0F - 0.4F);
  for (int i = 0; i < 5; ++i) y.push_back((i + t) % 3);
  return {Tensor::of(x, {5, 4}), Tensor::of(y)};
}

void expect_same(const Tensor& a, const Tensor& b, const std::string& what) {
  const std::vector<double> x = a.to_doubles();
  const std::vector<double> y = b.to_doubles();
  ASSERT_EQ(x.size(), y.size()) << what;
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-5) << what << "[" << i << "]";
}

void check(const std::function<OptimizerPtr()>& make) {
  Trainer eager(make());
  Trainer traced(make());
  const Function step =
      tf::function([&](const Tensors& arguments) { return traced.step(arguments); });
  for (int t = 0; t < 7; ++t) {
    const Tensors want = eager.step(batch(t));
    const Tensors got = step(Nest(batch(t))).flatten();
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i)
      expect_same(got[i], want[i], "output " + std::to_string(i));
  }
  EXPECT_EQ(step.trace_count(), 1);
  const Variables a = eager.state();
  const Variables b = traced.state();
  for (size_t i = 0; i < a.size(); ++i) expect_same(b[i].value(), a[i].value(), a[i].path());
}

template <class O, class Options>
void check_optimizer(const Options& options) {
  check([options] { return std::make_shared<O>(options); });
}

using namespace optimizers;  // NOLINT(google-build-using-namespace): names of the test cases

TEST(TracedUpdate, Sgd) { check_optimizer<SGD>(SGDOptions{.momentum = 0.9, .nesterov = true}); }

TEST(TracedUpdate, Adam) {
  check_optimizer<Adam>(AdamOptions{.learning_rate = 0.01, .amsgrad = true});
}

TEST(TracedUpdate, AdamWWithClippingAndSchedule) {
  check_optimizer<AdamW>(AdamWOptions{
      .learning_rate = schedules::CosineDecay(0.1, 20, {.warmup_target = 0.2, .warmup_steps = 3}),
      .global_clipnorm = 0.1});
}

TEST(TracedUpdate, RmspropWithAverages) {
  check_optimizer<RMSprop>(RMSpropOptions{.learning_rate = 0.01,
                                          .momentum = 0.5,
                                          .centered = true,
                                          .use_ema = true,
                                          .ema_momentum = 0.8,
                                          .ema_overwrite_frequency = 3});
}

TEST(TracedUpdate, GradientAccumulation) {
  check_optimizer<Adam>(
      AdamOptions{.learning_rate = 0.05, .weight_decay = 0.01, .gradient_accumulation_steps = 3});
}

TEST(TracedUpdate, Nadam) { check_optimizer<Nadam>(NadamOptions{.learning_rate = 0.01}); }

TEST(TracedUpdate, Adafactor) {
  check_optimizer<Adafactor>(AdafactorOptions{.learning_rate = 0.01});
}

TEST(TracedUpdate, Muon) { check_optimizer<Muon>(MuonOptions{.learning_rate = 0.01}); }

TEST(TracedUpdate, ScheduleFree) {
  check_optimizer<ScheduleFreeAdamW>(
      ScheduleFreeAdamWOptions{.learning_rate = 0.01, .warmup_steps = 3});
}

TEST(TracedUpdate, LossScale) {
  check([] {
    return std::make_shared<LossScaleOptimizer>(
        Adam({.learning_rate = 0.05, .gradient_accumulation_steps = 2}),
        LossScaleOptimizerOptions{.initial_scale = 64, .dynamic_growth_steps = 3});
  });
}

TEST(TracedUpdate, MetricsThatCount) {
  const auto make = [] {
    return std::vector<MetricPtr>{
        std::make_shared<metrics::AUC>(metrics::AUCOptions{.num_thresholds = 9}),
        std::make_shared<metrics::AUC>(
            metrics::AUCOptions{.num_thresholds = 5, .curve = "PR", .multi_label = true}),
        std::make_shared<metrics::Precision>(
            metrics::PrecisionOptions{.thresholds = {0.2, 0.5}, .top_k = 2}),
        std::make_shared<metrics::F1Score>(metrics::F1ScoreOptions{.average = "macro"}),
        std::make_shared<metrics::MeanIoU>(metrics::MeanIoUOptions{
            .num_classes = 3, .sparse_y_true = false, .sparse_y_pred = false}),
        std::make_shared<metrics::R2Score>(),
    };
  };
  const auto eager = make();
  const auto traced = make();
  const auto update = [](const std::vector<MetricPtr>& all, const Tensors& arguments) {
    Tensors results;
    for (const MetricPtr& metric : all) {
      metric->update_state(arguments[0], arguments[1]);
      results.push_back(metric->result().tensor());
    }
    return results;
  };
  const Function step =
      tf::function([&](const Tensors& arguments) { return update(traced, arguments); });
  for (int t = 0; t < 3; ++t) {
    std::vector<float> truth;
    std::vector<float> score;
    for (int i = 0; i < 12; ++i) {
      truth.push_back((i * 5 + t) % 3 == 0 ? 1.0F : 0.0F);
      score.push_back(static_cast<float>((i * 7 + t * 3) % 13) / 13.0F);
    }
    const Tensors arguments = {Tensor::of(truth, {4, 3}), Tensor::of(score, {4, 3})};
    const Tensors want = update(eager, arguments);
    const Tensors got = step(Nest(arguments)).flatten();
    for (size_t i = 0; i < want.size(); ++i) expect_same(got[i], want[i], eager[i]->class_name());
  }
}

TEST(TracedUpdate, Ftrl) {
  check_optimizer<Ftrl>(FtrlOptions{.learning_rate = 0.1, .l1_regularization_strength = 0.01});
}

}  // namespace
}  // namespace antler

#include "antler/estimator/estimator_spec.h"

#include <gtest/gtest.h>

#include <string>

#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/nn/metrics.h"

namespace antler::estimator {
namespace {

template <class F>
std::string refusal(const F& check) {
  try {
    check();
  } catch (const Error& error) {
    return std::string(error.class_name()) + ": " + error.what();
  }
  return "accepted";
}

Tensor traced(ir::Tracer& tracer, const Shape& shape) {
  return tracer.input({DType::float32, shape});
}

TEST(CheckSpec, WhatEachModeNeeds) {
  ir::Tracer tracer;
  const Tensor loss = traced(tracer, {1});
  EXPECT_EQ(refusal([&] { check_spec(EstimatorSpec{.loss = loss}); }),
            "ValueError: Missing train_op.");
  EXPECT_EQ(refusal([&] { check_spec(EstimatorSpec{.train_op = TrainOp::made()}); }),
            "ValueError: Missing loss.");
  EXPECT_EQ(refusal([&] { check_spec(EstimatorSpec{.mode = ModeKeys::predict}); }),
            "ValueError: Missing predictions.");
  EXPECT_EQ(refusal([&] { check_spec(EstimatorSpec{.mode = ModeKeys::eval, .loss = loss}); }),
            "accepted");
  EXPECT_EQ(refusal([&] {
              check_spec(EstimatorSpec{.mode = ModeKeys::eval, .loss = traced(tracer, {3})});
            }).find("ValueError: Loss must be scalar"),
            0U);
}

TEST(CheckSpec, TensorsOfThisGraphOnly) {
  Tensor elsewhere;
  {
    ir::Tracer other;
    elsewhere = traced(other, {});
  }
  ir::Tracer tracer;
  EXPECT_NE(refusal([&] {
              check_spec(EstimatorSpec{.mode = ModeKeys::predict,
                                       .predictions = Nest({{"a", elsewhere}})});
            }).find("must be from the default graph"),
            std::string::npos);
}

TEST(CheckSpec, AKerasMetricWasUpdated) {
  ir::Tracer tracer;
  const Tensor loss = traced(tracer, {});
  metrics::Mean mean("m");
  const auto check = [&] {
    check_spec(EstimatorSpec{
        .mode = ModeKeys::eval, .loss = loss, .eval_metric_ops = {{"m", EvalMetricOp(mean)}}});
  };
  EXPECT_EQ(refusal(check), "ValueError: Please call update_state(...) on the \"m\" metric");
  mean.update_state(loss);
  EXPECT_EQ(refusal(check), "accepted");
}

TEST(CheckSpec, ParametersOfHostFunctions) {
  ir::Tracer tracer;
  const Tensor loss = traced(tracer, {});
  TPUEstimatorSpec spec{.mode = ModeKeys::eval, .loss = loss};
  spec.eval_metrics = {
      .metric_fn = {{"a", "b"}, [](const HostTensors&) -> EvalMetricOps { return {}; }},
      .tensors = Nest(Tensors{loss})};
  EXPECT_EQ(refusal([&] { check_spec(spec); }),
            "RuntimeError: In TPUEstimatorSpec.eval_metrics, length of tensors 1 does not match "
            "method args of the function, which takes 2.");
  const EvalMetrics named = *spec.eval_metrics;
  spec.eval_metrics->metric_fn = [](const Tensor&, const Tensor&) -> EvalMetricOps { return {}; };
  EXPECT_EQ(refusal([&] { check_spec(spec); }),
            "RuntimeError: In TPUEstimatorSpec.eval_metrics, length of tensors 1 does not match "
            "method args of the function, which takes 2.");
  spec.eval_metrics = named;
  spec.eval_metrics->tensors = Nest::dict({{"z", loss}});
  EXPECT_EQ(refusal([&] {
              spec.eval_metrics->metric_fn(spec.eval_metrics->tensors);
            }).find("TypeError: The function got an unexpected keyword argument 'z'"),
            0U);
}

TEST(HostFunction, TakesAListOrItsTensors) {
  const Nest tensors = Nest(Tensors{Tensor(2.0), Tensor(5.0)});
  const HostFunction<double> of_nest = [](const Nest& list) { return list[1].tensor().item(); };
  const HostFunction<double> of_list = [](const Tensors& list) { return list[1].item(); };
  const HostFunction<double> of_two = [](const Tensor& a, const Tensor& b) {
    return b.item() - a.item();
  };
  EXPECT_EQ(of_nest(tensors), 5);
  EXPECT_EQ(of_list(tensors), 5);
  EXPECT_EQ(of_two(tensors), 3);
  EXPECT_EQ(of_two.parameter_count(), 2U);
  EXPECT_THROW(of_two(Nest(Tensors{Tensor(2.0)})), ValueError);
  EXPECT_THROW(of_two(Nest::dict({{"a", Tensor(2.0)}, {"b", Tensor(5.0)}})), TypeError);
}

TEST(Replaced, KeepsTheMode) {
  ir::Tracer tracer;
  const EstimatorSpec spec{.mode = ModeKeys::eval, .loss = traced(tracer, {})};
  EXPECT_EQ(refusal([&] { replaced(spec, [](auto& s) { s.mode = ModeKeys::train; }); }),
            "ValueError: mode of EstimatorSpec cannot be changed.");
  EXPECT_EQ(refusal([&] { replaced(spec, [](auto& s) { s.loss = {}; }); }),
            "ValueError: Missing loss.");
}

TEST(ExportOutput, IsChecked) {
  EXPECT_EQ(refusal([] {
              check_export_output(ClassificationOutput{});
            }).find("ValueError: Cannot create a ClassificationOutput"),
            0U);
  EXPECT_EQ(refusal([] {
              check_export_output(RegressionOutput{.value = Tensor::zeros(DType::int32, {3})});
            }).find("ValueError: Regression output value must be a float32 Tensor"),
            0U);
}

}  // namespace
}  // namespace antler::estimator

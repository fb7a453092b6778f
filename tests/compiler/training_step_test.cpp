#include <string>

#include <gtest/gtest.h>

#include "antler/autodiff/gradient_tape.h"
#include "antler/core/variable.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/nn/losses.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "compiler/plan_checks.h"

// Whole training steps: how many kernels they become, and that these compute the right thing.
namespace antler::compiler {
namespace {

Variable weight(const Shape& shape, const std::string& name, double scale = 0.1) {
  const Tensor values = random_tensor(DType::float32, shape, std::hash<std::string>()(name));
  return Variable(ops::multiply(values, scale), {.name = name});
}

Variable zeros(const Shape& shape, const std::string& name, DType dtype = DType::float32) {
  return Variable(Tensor::zeros(dtype, shape), {.name = name, .trainable = false});
}

struct Dense {
  Variable kernel, bias;
  Dense(int64_t in, int64_t out, const std::string& name)
      : kernel(weight({in, out}, name + "_kernel")), bias(weight({out}, name + "_bias")) {}
  Tensor operator()(const Tensor& x) const { return ops::add(ops::matmul(x, kernel), bias); }
};

/// Keras's Adam.
class Adam {
 public:
  explicit Adam(const Variables& variables) : variables_(variables) {
    for (const Variable& v : variables) {
      m_.push_back(zeros(v.shape(), v.name() + "_m"));
      v_.push_back(zeros(v.shape(), v.name() + "_v"));
    }
  }
  void apply(const Tensors& gradients) {
    const Tensor step = ops::add(ops::cast(iterations_.value(), DType::float32), 1.0);
    const Tensor alpha = ops::divide(
        ops::multiply(rate_.value(), ops::sqrt(ops::subtract(1.0, ops::power(0.999, step)))),
        ops::subtract(1.0, ops::power(0.9, step)));
    for (size_t i = 0; i < variables_.size(); ++i) {
      const Tensor& g = gradients[i];
      m_[i].assign(ops::add(m_[i], ops::multiply(ops::subtract(g, m_[i]), 0.1)));
      v_[i].assign(ops::add(v_[i], ops::multiply(ops::subtract(ops::square(g), v_[i]), 0.001)));
      variables_[i].assign(ops::subtract(
          variables_[i],
          ops::divide(ops::multiply(m_[i], alpha), ops::add(ops::sqrt(v_[i]), 1e-7))));
    }
    iterations_.assign(ops::add(iterations_, Tensor(1)));
  }

 private:
  Variables variables_, m_, v_;
  Variable iterations_ = zeros({}, "iterations", DType::int64);
  Variable rate_ = Variable(Tensor::full(DType::float32, {}, 0.001),
                            {.name = "learning_rate", .trainable = false});
};

/// Sum and count of a metric.
struct MeanMetric {
  Variable total = zeros({}, "total");
  Variable count = zeros({}, "count");
  Tensor update(const Tensor& values) {
    total.assign(ops::add(total, ops::sum(values)));
    count.assign(ops::add(count, static_cast<double>(values.size())));
    return ops::divide_no_nan(total, count);
  }
};

class Mlp {
 public:
  Mlp(int64_t inputs, int64_t hidden)
      : layers_{{inputs, hidden, "a"}, {hidden, hidden, "b"}, {hidden, 10, "c"}},
        adam_(variables()) {}

  Variables variables() const {
    Variables all;
    for (const Dense& layer : layers_) {
      all.push_back(layer.kernel);
      all.push_back(layer.bias);
    }
    return all;
  }

  Tensors step(const Tensor& x, const Tensor& y) {
    GradientTape tape;
    const Tensor h = ops::relu(layers_[1](ops::relu(layers_[0](x))));
    const Tensor logits = layers_[2](h);
    const Tensor losses = ops::sparse_categorical_crossentropy(y, logits, {.from_logits = true});
    const Tensor loss = ops::mean(losses);
    const Variables weights = variables();
    adam_.apply(tape.gradient(loss, weights));
    const Tensor mean_loss = loss_.update(losses);
    const Tensor hits =
        ops::cast(ops::equal(ops::argmax(logits, -1), ops::cast(y, DType::int32)), DType::float32);
    return {mean_loss, accuracy_.update(hits)};
  }

 private:
  std::vector<Dense> layers_;
  Adam adam_;
  MeanMetric loss_;
  MeanMetric accuracy_;
};

/// Matrix products in the library, all else in loops.
bool all_dots_in_library(const ir::Graph&, const ir::Node& node) {
  return std::string_view(node.op->name) == "dot_general";
}

TEST(TrainingStep, SmallPerceptronComputesWhatTheReferenceComputes) {
  Mlp mlp(12, 8);
  const Tensors batch = {random_tensor(DType::float32, {6, 12}, 1),
                         random_tensor(DType::int64, {6}, 2)};
  const Body body = [&](const Tensors& in) { return mlp.step(in[0], in[1]); };
  check_plan(body, batch, {.prefers_library = all_dots_in_library}, 1e-4);
  check_plan(body, batch, {}, 1e-4);
  check_plan(body, batch, {.fuse = false}, 1e-4);
}

TEST(TrainingStep, PerceptronIsEightProductsAndAFewLoops) {
  Mlp mlp(784, 512);
  const Tensors batch = {random_tensor(DType::float32, {64, 784}, 1),
                         random_tensor(DType::int64, {64}, 2)};
  const ir::Graph graph = trace([&](const Tensors& in) { return mlp.step(in[0], in[1]); }, batch);
  const Plan plan = compile(graph, {.prefers_library = all_dots_in_library});
  const KernelCount count = count_kernels(plan);
  EXPECT_EQ(count.libraries, 8);
  EXPECT_LE(count.loops, 12) << print(plan);
  EXPECT_EQ(count.copies, 0) << print(plan);
  // Two hidden activations, logits, and the gradients of the largest weights.
  EXPECT_LE(plan.memory.arena, 4 * (784 * 512 + 4 * 64 * 512));
}

TEST(TrainingStep, OneUnitIsAFewLoops) {
  Dense layer(10, 1, "dense");
  MeanMetric loss_metric;
  MeanMetric percentage;
  const Body body = [&](const Tensors& in) -> Tensors {
    GradientTape tape;
    const Tensor prediction = layer(in[0]);
    const Tensor losses = ops::mean(ops::squared_difference(prediction, in[1]), {-1});
    const Tensor loss = ops::mean(losses);
    const Tensors gradients = tape.gradient(loss, Variables{layer.kernel, layer.bias});
    layer.kernel.assign(ops::subtract(layer.kernel, ops::multiply(gradients[0], 0.01)));
    layer.bias.assign(ops::subtract(layer.bias, ops::multiply(gradients[1], 0.01)));
    const Tensor error = ops::divide(ops::absolute(ops::subtract(in[1], prediction)),
                                     ops::maximum(ops::absolute(in[1]), 1e-7));
    return {loss_metric.update(losses),
            percentage.update(ops::multiply(ops::mean(error, {-1}), 100.0))};
  };
  const Plan plan = check_plan(
      body, {random_tensor(DType::float32, {10, 10}, 1), random_tensor(DType::float32, {10, 1}, 2)},
      {}, 1e-4);
  const KernelCount count = count_kernels(plan);
  EXPECT_LE(count.loops, 8) << print(plan);
  EXPECT_EQ(count.libraries, 0);
  EXPECT_EQ(count.copies, 0) << print(plan);
}

}  // namespace
}  // namespace antler::compiler

// Classes of one's own that derive from the wrong base, as the name in Keras suggests. None of this
// compiles; check.sh looks for the texts behind "says:" in what the compiler writes.
#include <string>

#include "antler/data/generator.h"
#include "antler/nn/constraint.h"
#include "antler/nn/initializer.h"
#include "antler/nn/layer.h"
#include "antler/nn/loss.h"
#include "antler/nn/metric.h"
#include "antler/nn/optimizer.h"
#include "antler/nn/regularizer.h"

using namespace antler;

struct MyRegularizer : Regularizer {
  Tensor operator()(const Tensor& x) const { return x; }
};
// says: class MyRegularizer : public RegularizerImpl { Tensor call(const Tensor& x) const override;
const Regularizer regularizer = MyRegularizer();

struct MyConstraint : Constraint {
  Tensor operator()(const Tensor& w) const { return w; }
};
// says: class MyConstraint : public ConstraintImpl { Tensor call(const Tensor& w) const override;
const Constraint constraint = MyConstraint();

struct MyInitializer : Initializer {
  Tensor operator()(const Shape& shape, DType dtype) const { return Tensor::zeros(dtype, shape); }
};
// says: MyInitializer : public InitializerImpl { Tensor call(const Shape& shape, DType dtype) const
const Initializer initializer = MyInitializer();

struct MySchedule : LearningRateSchedule {
  Tensor operator()(const Tensor& step) const { return step; }
};
// says: class MySchedule : public LearningRateScheduleImpl { Tensor call(const Tensor& step) const
const LearningRate rate = MySchedule();

struct MyLoss : Loss {
  Tensor call(const Tensor& y_true, const Tensor&) const { return y_true; }
};
// says: class MyLoss : public LossImpl { Tensor call(const Tensor& y_true, const Tensor& y_pred)
const Loss loss = MyLoss();

// says: class MyMetric : public MetricBase<MyMetric> {
struct MyMetric : Metric {
  explicit MyMetric(const std::string& name) : Metric(name) {}
};

// says: class MySGD : public OptimizerBase<MySGD> {
struct MySGD : Optimizer {
  explicit MySGD(double learning_rate) : Optimizer(learning_rate) {}
};

// says: class MyLayer : public LayerBase<MyLayer> { ... }
struct MyLayer : Layer {
  MyLayer() {}
};

data::Coroutine<int> batches();
// says: fit(batches()), where data::Coroutine<Batch> batches() has co_yield
const FitData generator = batches;

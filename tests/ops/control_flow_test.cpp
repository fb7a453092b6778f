#include "antler/ops/control_flow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ir/tracer.h"
#include "antler/ops/collectives.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "support/op_cases.h"

namespace antler {
namespace {

using test::expect_close;
using test::tensor_of;

using Function = std::function<Tensors(const Tensors&)>;

ir::Graph trace(const Function& f, const Tensors& inputs) {
  ir::Tracer tracer;
  Tensors arguments;
  for (const Tensor& t : inputs) arguments.push_back(tracer.input(t.spec()));
  const Tensors outputs = f(arguments);
  ir::Graph graph = tracer.finish(outputs).graph;
  ir::verify(graph);
  return graph;
}

/// Traces `f` once and runs the graph: what a compiled function does.
Tensors run_traced(const Function& f, const Tensors& inputs) {
  return ir::interpret(trace(f, inputs), inputs, ir::reference_executor());
}

/// `f` gives the same eagerly and traced; returns that.
Tensors run_both(const Function& f, const Tensors& inputs) {
  const Tensors now = f(inputs);
  Tensors later = run_traced(f, inputs);
  EXPECT_EQ(now.size(), later.size());
  for (size_t i = 0; i < now.size(); ++i) {
    EXPECT_EQ(now[i].spec(), later[i].spec());
    expect_close(later[i], now[i].to_doubles(), 1e-12);
  }
  return later;
}

/// Gradients of the sum of the first result by every input.
Function gradient_of(const Function& f) {
  return [f](const Tensors& inputs) {
    GradientTape tape;
    for (const Tensor& t : inputs) tape.watch(t);
    const Tensor target = ops::sum(f(inputs)[0]);
    return tape.gradient(target, inputs, {.unconnected_gradients = UnconnectedGradients::zero});
  };
}

Tensor f64(const Shape& shape, const std::vector<double>& values) {
  return tensor_of(DType::float64, shape, values);
}
Tensor number(double value) { return f64({}, {value}); }

size_t count_nodes(const ir::Graph& graph, const std::string& name) {
  size_t count = 0;
  for (const ir::Node& node : graph.nodes) count += name == node.op->name ? 1 : 0;
  return count;
}

TEST(ControlFlow, Cases) { test::check_ops(test::control_cases()); }

TEST(Cond, CapturesOuterTensors) {
  const Function f = [](const Tensors& xs) {
    return ops::cond(
        ops::greater(xs[0], 0), [&]() -> Tensors { return {ops::multiply(xs[0], xs[1])}; },
        [&]() -> Tensors { return {ops::subtract(xs[2], xs[0])}; });
  };
  expect_close(run_both(f, {number(2), number(3), number(10)})[0], {6});
  expect_close(run_both(f, {number(-2), number(3), number(10)})[0], {12});
  EXPECT_EQ(count_nodes(trace(f, {number(2), number(3), number(10)}), "cond"), 1U);
}

TEST(Cond, GradientsFollowTheBranch) {
  const Function f = [](const Tensors& xs) {
    return ops::cond(
        ops::greater(xs[0], 0), [&]() -> Tensors { return {ops::multiply(xs[0], xs[1])}; },
        [&]() -> Tensors { return {ops::square(xs[1])}; });
  };
  const Tensors positive = run_both(gradient_of(f), {number(2), number(3)});
  expect_close(positive[0], {3});
  expect_close(positive[1], {2});
  const Tensors negative = run_both(gradient_of(f), {number(-2), number(3)});
  expect_close(negative[0], {0});
  expect_close(negative[1], {6});
  // A tape around the tape.
  const Tensors second = run_both(gradient_of(gradient_of(f)), {number(2), number(3)});
  expect_close(second[1], {1});
}

TEST(Cond, AssignsVariables) {
  Variable a(number(1), {.name = "a"});
  Variable b(number(10), {.name = "b"});
  const Function f = [&](const Tensors& xs) -> Tensors {
    ops::cond(
        ops::greater(xs[0], 0),
        [&]() -> Tensors {
          a.assign(ops::add(a.value(), xs[0]));
          return {};
        },
        [&]() -> Tensors {
          b.assign(ops::multiply(b.value(), a.value()));
          return {};
        });
    return {ops::add(a.value(), b.value())};
  };
  const ir::Graph graph = trace(f, {number(5)});
  expect_close(ir::interpret(graph, Tensors{number(5)}, ir::reference_executor())[0], {16});
  expect_close(ir::interpret(graph, Tensors{number(-5)}, ir::reference_executor())[0], {66});
  expect_close(a.stored(), {6});
  expect_close(b.stored(), {60});
}

TEST(Cond, VariablesReadInABranchHaveGradients) {
  Variable w(number(3), {.name = "w"});
  const Function f = [&](const Tensors& xs) -> Tensors {
    GradientTape tape;
    const Tensors y = ops::cond(
        ops::greater(xs[0], 0), [&]() -> Tensors { return {ops::multiply(xs[0], w.value())}; },
        [&]() -> Tensors { return {ops::square(w.value())}; });
    return {tape.gradient(y[0], Variables{w})[0]};
  };
  expect_close(run_both(f, {number(5)})[0], {5});
  expect_close(run_both(f, {number(-5)})[0], {6});
}

TEST(Cond, BranchesMustAgree) {
  const Function f = [](const Tensors& xs) {
    return ops::cond(
        ops::greater(xs[0], 0), [&]() -> Tensors { return {xs[0]}; },
        [&]() -> Tensors { return {ops::zeros({2}, DType::float64)}; });
  };
  EXPECT_THROW(trace(f, {number(1)}), ValueError);
}

TEST(Switch, ClampsTheIndex) {
  const Function f = [](const Tensors& xs) {
    std::vector<std::function<Tensors()>> branches;
    branches.reserve(3);
    for (int k = 0; k < 3; ++k) {
      branches.push_back([k, &xs]() -> Tensors { return {ops::multiply(xs[1], k + 1)}; });
    }
    return ops::switch_(xs[0], branches);
  };
  const double expected[] = {1, 1, 2, 3, 3};
  for (int i = -1; i <= 3; ++i) {
    const Tensor index = tensor_of(DType::int32, {}, {static_cast<double>(i)});
    expect_close(run_both(f, {index, number(1)})[0], {expected[i + 1]});
  }
}

TEST(While, RepeatsUntilTheConditionFails) {
  // Greatest common divisor.
  const Function f = [](const Tensors& xs) {
    return ops::while_loop([](const Tensors& v) { return ops::not_equal(v[1], 0); },
                           [](const Tensors& v) -> Tensors {
                             return {v[1], ops::mod(v[0], v[1])};
                           },
                           xs);
  };
  const auto i32 = [](double v) { return tensor_of(DType::int32, {}, {v}); };
  expect_close(run_both(f, {i32(84), i32(36)})[0], {12});
  expect_close(run_both(f, {i32(7), i32(0)})[0], {7});
}

TEST(While, StopsAtTheLimit) {
  const Function f = [](const Tensors& xs) {
    return ops::while_loop([](const Tensors&) { return ops::full({}, true, DType::boolean); },
                           [](const Tensors& v) -> Tensors { return {ops::add(v[0], 1)}; }, xs,
                           {.maximum_iterations = 4});
  };
  expect_close(run_both(f, {number(0.5)})[0], {4.5});
}

TEST(While, WeakScalarsKeepTheirDtype) {
  const Function f = [](const Tensors& xs) {
    return ops::while_loop([&](const Tensors& v) { return ops::less(v[0], xs[0]); },
                           [](const Tensors& v) -> Tensors { return {ops::add(v[0], 1)}; },
                           {Tensor(0)});
  };
  EXPECT_EQ(run_both(f, {number(3)})[0].dtype(), DType::int32);
}

TEST(While, CarriesAssignedVariables) {
  Variable total(number(1), {.name = "total"});
  // `before` is the value that the variable had before the loop, whatever the loop assigns.
  const Function f = [&](const Tensors& xs) {
    const Tensor before = total.value();
    return ops::while_loop([&](const Tensors&) { return ops::less(total.value(), xs[0]); },
                           [&](const Tensors& v) -> Tensors {
                             total.assign(ops::add(total.value(), ops::add(before, 1)));
                             return {ops::add(v[0], 1)};
                           },
                           {number(0)});
  };
  const ir::Graph graph = trace(f, {number(6)});
  expect_close(ir::interpret(graph, Tensors{number(6)}, ir::reference_executor())[0], {3});
  expect_close(total.stored(), {7});
  total.store(number(1));
  expect_close(f({number(6)})[0], {3});
  expect_close(total.stored(), {7});
}

TEST(While, Errors) {
  const Function f = [](const Tensors& xs) {
    return ops::while_loop([](const Tensors& v) { return ops::less(v[0], 3); },
                           [](const Tensors& v) -> Tensors {
                             return {ops::stack({v[0], v[0]})};
                           },
                           xs);
  };
  EXPECT_THROW(f({number(0)}), ValueError);
  EXPECT_THROW(trace(f, {number(0)}), ValueError);
  const Function doubled = [](const Tensors& xs) {
    return ops::while_loop([](const Tensors& v) { return ops::less(v[0], 3); },
                           [](const Tensors& v) -> Tensors { return {ops::multiply(v[0], 2)}; },
                           xs);
  };
  EXPECT_THROW(trace(gradient_of(doubled), {number(1)}), NotImplementedError);
  // A loop that runs now is the ops that it ran.
  expect_close(gradient_of(doubled)({number(1)})[0], {4});
}

/// carry' = carry * w + x_t, y_t = sin(carry).
Function recurrence(bool reverse) {
  return [reverse](const Tensors& in) {
    const Tensor& w = in[2];
    const ops::ScanStep step = [&](const Tensors& c, const Tensors& x) {
      return std::pair<Tensors, Tensors>({ops::add(ops::multiply(c[0], w), x[0])},
                                         {ops::sin(c[0])});
    };
    const ops::ScanResult r = ops::scan(step, {in[0]}, {in[1]}, {.reverse = reverse});
    return Tensors{ops::add(r.carry[0], ops::sum(r.ys[0])), r.ys[0]};
  };
}

TEST(Scan, Values) {
  const Tensors in = {number(0.5), f64({3}, {1, 2, -1}), number(0.25)};
  std::vector<double> ys;
  double c = 0.5;
  for (double x : {1.0, 2.0, -1.0}) {
    ys.push_back(std::sin(c));
    c = c * 0.25 + x;
  }
  const Tensors forward = run_both(recurrence(false), in);
  expect_close(forward[1], ys);
  expect_close(forward[0], {c + ys[0] + ys[1] + ys[2]});
  const Tensors reversed = {in[0], ops::reverse(in[1], {0}), in[2]};
  const Tensors backward = run_both(recurrence(true), reversed);
  expect_close(backward[0], forward[0].to_doubles());
  expect_close(ops::reverse(backward[1], {0}), ys);
}

TEST(Scan, GradientsOfTheTracedLoop) {
  const Tensors in = {number(0.5), f64({4}, {1, 2, -1, 0.5}), number(0.25)};
  for (const bool reverse : {false, true}) {
    const Function f = recurrence(reverse);
    run_both(gradient_of(f), in);
    run_both(gradient_of(gradient_of(f)), in);
    test::check_gradients(f, in);
  }
}

TEST(Scan, GradientOfTheTracedLoopIsALoop) {
  const Tensors in = {number(0.5), Tensor::zeros(DType::float64, {100}), number(0.25)};
  const ir::Graph graph = trace(gradient_of(recurrence(false)), in);
  EXPECT_EQ(count_nodes(graph, "scan"), 2U);
  EXPECT_LT(graph.nodes.size(), 60U);
}

TEST(Scan, NoSteps) {
  const Tensors r = run_both(recurrence(false), {number(0.5), f64({0}, {}), number(2)});
  expect_close(r[0], {0.5});
  EXPECT_EQ(r[1].shape(), Shape{0});
}

TEST(Scan, CarriesAssignedVariablesAndTheirGradients) {
  Variable w(number(2), {.name = "w"});
  const Function f = [&](const Tensors& xs) -> Tensors {
    GradientTape tape;
    const Tensor start = w.value();
    const ops::ScanStep step = [&](const Tensors& c, const Tensors& x) {
      w.assign(ops::multiply(w.value(), x[0]));
      return std::pair<Tensors, Tensors>({ops::add(c[0], w.value())}, {});
    };
    const Tensors sums = ops::scan(step, {number(0)}, {xs[0]}).carry;
    // 2 * 3 + 2 * 3 * 5 = start * 18
    return {sums[0], tape.gradient(sums[0], start)};
  };
  const ir::Graph graph = trace(f, {f64({2}, {3, 5})});
  const Tensors r = ir::interpret(graph, Tensors{f64({2}, {3, 5})}, ir::reference_executor());
  expect_close(r[0], {36});
  expect_close(r[1], {18});
  expect_close(w.stored(), {30});
}

TEST(Scan, Errors) {
  const ops::ScanStep step = [](const Tensors& c, const Tensors&) {
    return std::pair<Tensors, Tensors>(c, {});
  };
  EXPECT_THROW(ops::scan(step, {number(0)}, {}), ValueError);
  EXPECT_THROW(ops::scan(step, {number(0)}, {f64({2}, {1, 2}), f64({1}, {1})}), ValueError);
  EXPECT_THROW(ops::scan(step, {number(0)}, {number(1)}), ValueError);
  EXPECT_EQ(ops::scan(step, {number(3)}, {}, {.length = 5}).carry[0].item(), 3);
}

TEST(ForiLoop, CountsAndDifferentiates) {
  const Function f = [](const Tensors& xs) {
    return ops::fori_loop(1, 4,
                          [&](const Tensor& i, const Tensors& v) -> Tensors {
                            return {ops::multiply(v[0], ops::add(xs[0], i))};
                          },
                          {number(1)});
  };
  expect_close(run_both(f, {number(0)})[0], {6});
  expect_close(run_both(gradient_of(f), {number(0)})[0], {11});
  EXPECT_EQ(ops::fori_loop(3, 3, {}, {number(4)})[0].item(), 4);
}

TEST(ControlFlow, Nests) {
  // Sum of the even rows of x, each counted as often as an inner loop says.
  const Function f = [](const Tensors& xs) {
    const ops::ScanStep step = [&](const Tensors& c, const Tensors& x) {
      const Tensors y = ops::cond(
          ops::greater(x[0], 0),
          [&]() -> Tensors {
            return ops::fori_loop(0, 3,
                                  [&](const Tensor&, const Tensors& v) -> Tensors {
                                    return {ops::add(v[0], ops::multiply(x[0], xs[1]))};
                                  },
                                  {c[0]});
          },
          [&]() -> Tensors { return {c[0]}; });
      return std::pair<Tensors, Tensors>(y, {});
    };
    return ops::scan(step, {number(0)}, {xs[0]}).carry;
  };
  const Tensors in = {f64({4}, {1, -1, 2, -2}), number(10)};
  expect_close(run_both(f, in)[0], {90});
  const Tensors grads = run_both(gradient_of(f), in);
  expect_close(grads[0], {30, 0, 30, 0});
  expect_close(grads[1], {9});
}

TEST(ControlFlow, TapesSeeTheOpAndNotItsBody) {
  struct Names final : ir::OpObserver {
    void on_op(const ir::OpDef& op, std::span<const Tensor>, std::span<const Tensor>,
               const ir::Attrs&, const ir::Regions&) override {
      seen.emplace_back(op.name);
    }
    std::vector<std::string> seen;
  } names;
  ir::Tracer tracer;
  const Tensor x = tracer.input({DType::float64, {}});
  const Tensor flag = tracer.input({DType::boolean, {}});
  ir::add_op_observer(&names);
  ops::cond(
      flag, [&]() -> Tensors { return {ops::sin(x)}; }, [&]() -> Tensors { return {ops::cos(x)}; });
  ir::remove_op_observer(&names);
  EXPECT_EQ(names.seen, std::vector<std::string>{"cond"});
}

TEST(Collectives, OneReplica) {
  const Tensor x = f64({2}, {1, 2});
  EXPECT_EQ(ops::all_reduce(x).id(), x.id());
  EXPECT_EQ(ops::all_gather(x).id(), x.id());
}

TEST(Collectives, AreTracedForTheReplicasOfTheScope) {
  const ops::ReplicaScope scope(4);
  EXPECT_EQ(ops::replica_count(), 4);
  const Function f = [](const Tensors& xs) -> Tensors {
    return {ops::all_reduce(xs[0], ops::ReduceOp::mean), ops::all_gather(xs[0], -1)};
  };
  const Tensor x = f64({3, 2}, {1, 2, 3, 4, 5, 6});
  const ir::Graph graph = trace(f, {x});
  EXPECT_EQ(graph.spec(graph.outputs[0]).shape, (Shape{3, 2}));
  EXPECT_EQ(graph.spec(graph.outputs[1]).shape, (Shape{3, 8}));
  const ir::Graph backward = trace(
      gradient_of([](const Tensors& xs) -> Tensors { return {ops::all_gather(xs[0], -1)}; }), {x});
  EXPECT_EQ(count_nodes(backward, "reduce_scatter"), 1U);
  EXPECT_THROW(ops::all_reduce(x), RuntimeError);
  EXPECT_THROW(ops::ReplicaScope(0), ValueError);
  EXPECT_EQ(ops::replica_count(), 4);
}

TEST(ControlFlow, OfASingleTensor) {
  const Tensor x = f64({2}, {1, 2});
  const Tensor chosen = ops::cond(
      Tensor(true), [&] { return x * 2; }, [&] { return Tensor(x); });
  EXPECT_EQ(chosen.to_doubles(), (std::vector<double>{2, 4}));
  const Tensor counted = ops::while_loop([](const Tensor& i) { return i < 10; },
                                         [](const Tensor& i) { return i + 3; }, x[0]);
  EXPECT_EQ(double(counted), 10);
  // sqrt(2) by Newton's method, and the number of steps.
  const auto [root, steps] = ops::while_loop(
      [](const Tensor& v, const Tensor&) { return ops::abs(v * v - 2) > 1e-9; },
      [](const Tensor& v, const Tensor& i) { return std::pair((v + 2 / v) / 2, i + 1); },
      std::pair(f64({}, {1}), Tensor(0)));
  EXPECT_NEAR(double(root), std::sqrt(2.0), 1e-9);
  EXPECT_EQ(int(steps), 4);
  const auto [two, three, limit] =
      ops::while_loop([](const Tensor&, const Tensor&, const Tensor& go) { return go; },
                      [](const Tensor& a, const Tensor& b, const Tensor& go) {
                        return std::tuple(a * 2, b * 3, go);
                      },
                      std::tuple(Tensor(1), Tensor(1), Tensor(true)), {.maximum_iterations = 3});
  EXPECT_EQ(int(two), 8);
  EXPECT_EQ(int(three), 27);
  const Tensor summed = ops::fori_loop(
      0, 5, [](const Tensor&, const Tensor& v) { return v + 1; }, x);
  EXPECT_EQ(summed.to_doubles(), (std::vector<double>{6, 7}));
  const auto [last, all] =
      ops::scan([](const Tensor& carry, const Tensor& v) { return std::pair(carry + v, carry); },
                f64({}, {0}), x);
  EXPECT_EQ(double(last), 3);
  EXPECT_EQ(all.to_doubles(), (std::vector<double>{0, 1}));
}

}  // namespace
}  // namespace antler

#include <cmath>
#include <functional>
#include <memory>

#include "antler/ir/tracer.h"
#include "antler/ops/numpy/elementwise.h"
#include "support/op_cases.h"

namespace antler::test {
namespace {

constexpr DType kDouble = DType::float64;

ir::GraphPtr region(const std::vector<TensorSpec>& inputs,
                    const std::function<Tensors(const Tensors&)>& f) {
  ir::Tracer tracer;
  Tensors arguments;
  for (const TensorSpec& spec : inputs) arguments.push_back(tracer.input(spec));
  const Tensors outputs = f(arguments);
  return std::make_shared<const ir::Graph>(tracer.finish(outputs).graph);
}

void add_cond(OpCases& cases) {
  const std::vector<TensorSpec> captures = {{kDouble, {2}}, {kDouble, {2}}};
  const ir::Regions regions = {
      region(captures, [](const Tensors& c) -> Tensors { return {ops::multiply(c[0], c[1])}; }),
      region(captures, [](const Tensors& c) -> Tensors { return {ops::sin(c[0])}; }),
  };
  const Tensor x = tensor_of(kDouble, {2}, {0.5, -2});
  const Tensor y = tensor_of(kDouble, {2}, {3, 4});
  cases.push_back({.op = "cond",
                   .name = "true",
                   .inputs = {Tensor::full(DType::boolean, {}, 1), x, y},
                   .regions = regions,
                   .expected = {{1.5, -8}}});
  cases.push_back({.op = "cond",
                   .name = "false",
                   .inputs = {Tensor::full(DType::boolean, {}, 0), x, y},
                   .regions = regions,
                   .expected = {{std::sin(0.5), std::sin(-2.0)}}});
}

void add_while(OpCases& cases) {
  // value, limit = captures: value doubles while it is below the limit.
  const std::vector<TensorSpec> operands = {{kDouble, {}}, {kDouble, {}}};
  const ir::Regions regions = {
      region(operands, [](const Tensors& v) -> Tensors { return {ops::less(v[0], v[1])}; }),
      region(operands, [](const Tensors& v) -> Tensors { return {ops::multiply(v[0], 2)}; }),
  };
  const auto add = [&](const char* name, int64_t limit, double start, double expected) {
    cases.push_back({.op = "while",
                     .name = name,
                     .inputs = {tensor_of(kDouble, {}, {start}), tensor_of(kDouble, {}, {100})},
                     .attrs = {{"num_values", int64_t{1}}, {"max_iterations", limit}},
                     .regions = regions,
                     .expected = {{expected}},
                     .gradient = false});  // not differentiable
  };
  add("until the condition fails", -1, 3, 192);
  add("until the limit", 2, 3, 12);
  add("not at all", -1, 500, 500);
  add("limit 0", 0, 3, 3);
}

/// carry c, row x, capture k: c' = c * k + x, y = sin(c) * x; and an integer carry that counts.
ir::Regions recurrence() {
  return {region({{kDouble, {2}}, {DType::int32, {}}, {kDouble, {2}}, {kDouble, {}}},
                 [](const Tensors& v) -> Tensors {
                   return {ops::add(ops::multiply(v[0], v[3]), v[2]), ops::add(v[1], 1),
                           ops::multiply(ops::sin(v[0]), v[2])};
                 })};
}

void add_scan(OpCases& cases) {
  const auto add = [&](const char* name, int64_t length, bool reverse, bool whole) {
    const Tensor xs = random_tensor(kDouble, {length, 2}, -1, 1, 4);
    const std::vector<double> x = xs.to_doubles();
    const double k = 0.75;
    std::vector<double> c = {0.5, -1.5};
    std::vector<double> ys(x.size());
    const Tensor start = tensor_of(kDouble, {2}, c);
    for (int64_t i = 0; i < length; ++i) {
      const auto t = static_cast<size_t>(reverse ? length - 1 - i : i);
      for (size_t j = 0; j < 2; ++j) {
        ys[2 * t + j] = std::sin(c[j]) * x[2 * t + j];
        c[j] = c[j] * k + x[2 * t + j];
      }
    }
    cases.push_back(
        {.op = "scan",
         .name = name,
         .inputs = {start, tensor_of(DType::int32, {}, {7}), xs, tensor_of(kDouble, {}, {k})},
         .attrs = {{"num_carry", int64_t{2}},
                   {"num_xs", int64_t{1}},
                   {"length", length},
                   {"reverse", reverse}},
         .regions = recurrence(),
         .expected = {c, {7.0 + static_cast<double>(length)}, ys},
         .second_order = whole});
  };
  add("forward", 3, false, true);
  add("reverse", 3, true, true);
  add("one step", 1, false, true);
  add("no step", 0, false, false);
  add("long", 17, false, false);
}

void add_collectives(OpCases& cases) {
  const Tensor x = tensor_of(DType::float32, {2, 3}, {1, 2, 3, 4, 5, 6});
  for (const char* op : {"sum", "mean", "max", "min"}) {
    cases.push_back({.op = "all_reduce",
                     .name = op,
                     .inputs = {x},
                     .attrs = {{"op", std::string(op)}, {"replicas", int64_t{1}}},
                     .expected = {x.to_doubles()}});
  }
  for (const char* op : {"all_gather", "reduce_scatter"}) {
    cases.push_back({.op = op,
                     .name = "one replica",
                     .inputs = {x},
                     .attrs = {{"axis", int64_t{1}}, {"replicas", int64_t{1}}},
                     .expected = {x.to_doubles()}});
  }
}

}  // namespace

OpCases control_cases() {
  OpCases cases;
  add_cond(cases);
  add_while(cases);
  add_scan(cases);
  add_collectives(cases);
  return cases;
}

}  // namespace antler::test

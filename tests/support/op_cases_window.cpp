#include <algorithm>
#include <limits>
#include <string>

#include "support/elements.h"
#include "support/op_cases.h"

namespace antler::test {
namespace {

using ir::Ints;

struct Windows {
  const char* name;
  Shape x;
  Ints window, strides, dilations, low, high;

  ir::Attrs attrs(const std::string& op) const {
    return {{"op", op},       {"window", window}, {"strides", strides}, {"dilations", dilations},
            {"pad_low", low}, {"pad_high", high}};
  }
  Shape y() const {
    Shape shape;
    for (size_t d = 0; d < window.size(); ++d) {
      const int64_t room = x.dims()[d] + low[d] + high[d] - ((window[d] - 1) * dilations[d] + 1);
      shape.push_back(room < 0 ? 0 : room / strides[d] + 1);
    }
    return shape;
  }
  /// The indices of x in the window of output `o`, in order.
  std::vector<Index> members(const Index& o) const {
    std::vector<Index> result;
    elements(Shape(window), [&](const Index& k) {
      Index at;
      for (size_t d = 0; d < k.size(); ++d) {
        at.push_back(o[d] * strides[d] - low[d] + k[d] * dilations[d]);
        if (at.back() < 0 || at.back() >= x.dims()[d]) return 0.0;
      }
      result.push_back(at);
      return 0.0;
    });
    return result;
  }
};

std::vector<Windows> windows() {
  return {
      {"apart", {1, 4, 6, 2}, {1, 2, 3, 1}, {1, 2, 3, 1}, {1, 1, 1, 1}, {0, 0, 0, 0}, {0, 0, 0, 0}},
      {"overlapping", {2, 5, 4}, {1, 3, 2}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}},
      {"padded",
       {1, 5, 4, 1},
       {1, 3, 2, 1},
       {1, 2, 2, 1},
       {1, 1, 1, 1},
       {0, 1, 0, 0},
       {0, 1, 1, 0}},
      {"gaps", {7}, {2}, {3}, {1}, {0}, {0}},
      {"dilated", {3, 7}, {2, 3}, {1, 2}, {1, 2}, {1, 0}, {0, 2}},
      {"all dimensions", {3, 2, 3}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}},
      {"one", {1}, {1}, {1}, {1}, {0}, {0}},
      {"too large", {2}, {3}, {1}, {1}, {0}, {0}},
      {"no batch", {0, 4}, {1, 2}, {1, 2}, {1, 1}, {0, 0}, {0, 0}},
      {"window in the padding", {2}, {2}, {2}, {1}, {2}, {0}},
  };
}

double reduce(const std::string& op, const View& x, const std::vector<Index>& members) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  double value = op == "sum" ? 0 : op == "prod" ? 1 : op == "max" ? -kInf : kInf;
  for (const Index& i : members) {
    if (op == "sum") value += x(i);
    if (op == "prod") value *= x(i);
    if (op == "max") value = std::max(value, x(i));
    if (op == "min") value = std::min(value, x(i));
  }
  return value;
}

/// The first member with the extremum.
const Index& extremum(const std::string& op, const View& x, const std::vector<Index>& members) {
  const auto before = [&](const Index& a, const Index& b) {
    return op == "max" ? x(a) < x(b) : x(b) < x(a);
  };
  return *std::max_element(members.begin(), members.end(), before);
}

void add_selections(OpCases& cases, const Windows& w, const Tensor& x, const std::string& op) {
  const View v(x);
  const Tensor dy = random_tensor(x.dtype(), w.y(), -1, 1, 5);
  const Tensor g = random_tensor(x.dtype(), w.x, -1, 1, 6);
  const View dyv(dy);
  const View gv(g);
  const auto scattered = elements(w.x, [&](const Index& i) {
    double sum = 0;
    elements(w.y(), [&](const Index& o) {
      const std::vector<Index> members = w.members(o);
      if (!members.empty() && extremum(op, v, members) == i) sum += dyv(o);
      return 0.0;
    });
    return sum;
  });
  const auto selected = elements(w.y(), [&](const Index& o) {
    const std::vector<Index> members = w.members(o);
    return members.empty() ? 0.0 : gv(extremum(op, v, members));
  });
  const std::string name = std::string(w.name) + " " + op;
  cases.push_back({.op = "select_and_scatter_add",
                   .name = name,
                   .inputs = {x, dy},
                   .attrs = w.attrs(op),
                   .expected = {scattered}});
  cases.push_back({.op = "select_window",
                   .name = name,
                   .inputs = {x, g},
                   .attrs = w.attrs(op),
                   .expected = {selected}});
}

void add(OpCases& cases, const Windows& w, const std::string& op, const Tensor& x) {
  const View v(x);
  cases.push_back(
      {.op = "reduce_window",
       .name = std::string(w.name) + " " + op + " " + dtype_name(x.dtype()),
       .inputs = {x},
       .attrs = w.attrs(op),
       .expected = {elements(w.y(), [&](const Index& o) { return reduce(op, v, w.members(o)); })}});
}

}  // namespace

OpCases window_cases() {
  OpCases cases;
  for (const Windows& w : windows()) {
    for (const char* op : {"sum", "prod", "max", "min"}) {
      add(cases, w, op, random_tensor(DType::float32, w.x, -2, 2));
    }
    for (const char* op : {"max", "min"}) {
      add_selections(cases, w, random_tensor(DType::float32, w.x, -2, 2), op);
    }
  }
  const Windows small = windows()[1];
  for (DType dtype : {DType::float64, DType::float16, DType::int32, DType::uint8}) {
    for (const char* op : {"sum", "max", "min"}) {
      add(cases, small, op, random_tensor(dtype, small.x, 0, 9));
    }
  }
  // Equal elements: the first gets the gradient. Differences would not say so.
  const Windows line{"ties", {4}, {3}, {1}, {1}, {0}, {0}};
  const Tensor ties = tensor_of(DType::float32, {4}, {2, 2, 1, 2});
  cases.push_back({.op = "select_and_scatter_add",
                   .name = "ties",
                   .inputs = {ties, tensor_of(DType::float32, {2}, {10, 100})},
                   .attrs = line.attrs("max"),
                   .expected = {{10, 100, 0, 0}},
                   .gradient = false});
  // Zeros among the factors of a product.
  const Tensor zeros = tensor_of(DType::float32, {4}, {0, 2, 0, 3});
  add(cases, line, "prod", zeros);
  return cases;
}

}  // namespace antler::test

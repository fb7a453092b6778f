#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "support/op_cases.h"

namespace antler::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

using Row = std::vector<double>;

/// Groups the elements of `x` by their index outside `axes`: a row for each such index. Rows and
/// elements are in row-major order.
std::vector<Row> rows_of(const Tensor& x, const ir::Ints& axes) {
  const std::vector<double> values = x.to_doubles();
  const Shape& shape = x.shape();
  int64_t places = 1;
  for (int d = 0; d < shape.rank(); ++d) {
    if (std::find(axes.begin(), axes.end(), d) == axes.end()) places *= shape[d];
  }
  std::vector<Row> rows(static_cast<size_t>(places));
  const std::vector<int64_t> strides = shape.strides();
  for (size_t i = 0; i < values.size(); ++i) {
    int64_t place = 0;
    for (int d = 0; d < shape.rank(); ++d) {
      const int64_t index = static_cast<int64_t>(i) / strides[static_cast<size_t>(d)] % shape[d];
      if (std::find(axes.begin(), axes.end(), d) == axes.end()) place = place * shape[d] + index;
    }
    rows[static_cast<size_t>(place)].push_back(values[i]);
  }
  return rows;
}

struct Cases {
  OpCases list;

  void reduce(const char* op, const char* name, const Tensor& x, const ir::Ints& axes,
              const std::function<double(const Row&)>& f) {
    OpCase c{.op = op, .name = name, .inputs = {x}, .attrs = {{"axes", axes}}, .expected = {{}}};
    for (const Row& row : rows_of(x, axes)) c.expected[0].push_back(f(row));
    list.push_back(std::move(c));
  }

  /// All sets of axes, sizes with odd tails, and no elements.
  void reduce(const char* op, DType dtype, double low, double high,
              const std::function<double(const Row&)>& f) {
    const Tensor x = random_tensor(dtype, {3, 7, 2}, low, high);
    for (const ir::Ints& axes :
         std::vector<ir::Ints>{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}}) {
      reduce(op, dtype_name(dtype), x, axes, f);
    }
    reduce(op, "long", random_tensor(dtype, {33}, low, high), {0}, f);
    reduce(op, "column", random_tensor(dtype, {13, 1}, low, high), {0}, f);
    reduce(op, "one", random_tensor(dtype, {1}, low, high), {0}, f);
    reduce(op, "nothing in the result", random_tensor(dtype, {0, 3}, low, high), {1}, f);
  }
};

double total(const Row& row) {
  double t = 0;
  for (double v : row) t += v;
  return t;
}
double product(const Row& row) {
  double t = 1;
  for (double v : row) t *= v;
  return t;
}
double greatest(const Row& row) { return *std::max_element(row.begin(), row.end()); }
double least(const Row& row) { return *std::min_element(row.begin(), row.end()); }

void add_reductions(Cases& cases) {
  for (DType dtype :
       {DType::float32, DType::float64, DType::bfloat16, DType::int32, DType::uint32}) {
    const bool is_signed = dtype != DType::uint32;
    cases.reduce("reduce_sum", dtype, is_signed ? -5 : 0, 5, total);
    cases.reduce("reduce_max", dtype, is_signed ? -50 : 0, 50, greatest);
    cases.reduce("reduce_min", dtype, is_signed ? -50 : 0, 50, least);
  }
  cases.reduce("reduce_prod", DType::float32, 0.5, 1.5, product);
  cases.reduce("reduce_prod", DType::float64, -1.5, 1.5, product);
  cases.reduce("reduce_any", DType::boolean, 0, 1, greatest);
  cases.reduce("reduce_all", DType::boolean, 0, 1, least);

  const auto given = [&](const char* op, const char* name, DType dtype, const Row& x,
                         double expected) {
    cases.list.push_back({.op = op,
                          .name = name,
                          .inputs = {tensor_of(dtype, {static_cast<int64_t>(x.size())}, x)},
                          .attrs = {{"axes", ir::Ints{0}}},
                          .expected = {{expected}},
                          .gradient = false});
  };
  given("reduce_sum", "empty", DType::float32, {}, 0);
  given("reduce_prod", "empty", DType::float32, {}, 1);
  given("reduce_max", "empty", DType::float32, {}, -kInf);
  given("reduce_min", "empty", DType::int8, {}, 127);
  given("reduce_any", "empty", DType::boolean, {}, 0);
  given("reduce_all", "empty", DType::boolean, {}, 1);
  given("reduce_sum", "int8 wraps", DType::int8, {100, 100}, -56);
  given("reduce_sum", "cancellation", DType::float32, {1e8, 1, -1e8}, 1);
  given("reduce_max", "NaN wins", DType::float32, {1, kNaN, 3}, kNaN);
  given("reduce_min", "NaN wins", DType::float16, {kNaN, 1, 3}, kNaN);
  given("reduce_max", "bool", DType::boolean, {0, 1, 0}, 1);
  // Zeros in a product: the gradient at one zero is the product of the others, beyond one it is
  // zero.
  for (const Row& x : std::vector<Row>{{2, 0, 3, 4}, {0, 2, 0, 3}, {0, 0, 0, 5}}) {
    cases.reduce("reduce_prod", "zeros", tensor_of(DType::float64, {2, 2}, x), {0, 1}, product);
    cases.reduce("reduce_prod", "zeros in rows", tensor_of(DType::float64, {2, 2}, x), {1},
                 product);
  }
  cases.reduce("reduce_prod", "no axis", random_tensor(DType::float64, {3}), {}, product);
}

void add_indices(Cases& cases) {
  const auto add = [&](const char* op, const char* name, const Tensor& x, int64_t axis,
                       const Row& expected) {
    cases.list.push_back(
        {.op = op, .name = name, .inputs = {x}, .attrs = {{"axis", axis}}, .expected = {expected}});
  };
  for (DType dtype : {DType::float32, DType::bfloat16, DType::int32, DType::uint8}) {
    const Tensor x = tensor_of(dtype, {2, 3}, {1, 5, 5, 9, 2, 2});
    add("argmax", dtype_name(dtype), x, 0, {1, 0, 0});
    add("argmax", dtype_name(dtype), x, 1, {1, 0});
    add("argmin", dtype_name(dtype), x, 0, {0, 1, 1});
    add("argmin", dtype_name(dtype), x, 1, {0, 1});
  }
  add("argmax", "first NaN", tensor_of(DType::float32, {4}, {1, kNaN, 3, kNaN}), 0, {1});
  add("argmin", "first NaN", tensor_of(DType::float32, {4}, {1, kNaN, 0, kNaN}), 0, {1});
  add("argmax", "nothing in the result", tensor_of(DType::float32, {0, 3}, {}), 1, {});
  add("argmin", "one", tensor_of(DType::float32, {1}, {3}), 0, {0});
}

void add_scans(Cases& cases) {
  struct Scan {
    const char* op;
    double identity;
    double (*step)(double, double);
  };
  const std::vector<Scan> scans = {
      {"cumsum", 0, [](double a, double b) { return a + b; }},
      {"cumprod", 1, [](double a, double b) { return a * b; }},
      {"cummax", -kInf, [](double a, double b) { return std::fmax(a, b); }},
      {"cummin", kInf, [](double a, double b) { return std::fmin(a, b); }}};
  const auto add = [&](const Scan& scan, const char* name, const Tensor& x, int64_t axis,
                       bool reverse, bool exclusive) {
    const std::vector<double> in = x.to_doubles();
    std::vector<double> out(in.size());
    const auto stride = static_cast<size_t>(x.shape().strides()[static_cast<size_t>(axis)]);
    const auto n = static_cast<size_t>(x.dim(static_cast<int>(axis)));
    for (size_t i = 0; i < in.size(); ++i) {
      const size_t k = i / stride % n;
      double t = scan.identity;
      for (size_t j = 0; j < n; ++j) {
        const bool before = reverse ? j > k : j < k;
        if (before || (j == k && !exclusive)) t = scan.step(t, in[i - k * stride + j * stride]);
      }
      out[i] = t;
    }
    cases.list.push_back({.op = scan.op,
                          .name = name,
                          .inputs = {x},
                          .attrs = {{"axis", axis}, {"reverse", reverse}, {"exclusive", exclusive}},
                          .expected = {out}});
  };
  for (const Scan& scan : scans) {
    for (const bool reverse : {false, true}) {
      for (const bool exclusive : {false, true}) {
        for (int64_t axis : {0, 1, 2}) {
          add(scan, "float64", random_tensor(DType::float64, {2, 7, 3}, -2, 2), axis, reverse,
              exclusive);
        }
        add(scan, "float32", random_tensor(DType::float32, {13}, -2, 2), 0, reverse, exclusive);
        add(scan, "one", random_tensor(DType::float32, {2, 1}, -2, 2), 1, reverse, exclusive);
        add(scan, "empty", random_tensor(DType::float32, {2, 0}, -2, 2), 1, reverse, exclusive);
      }
    }
    add(scan, "int32", random_tensor(DType::int32, {5}, -4, 4), 0, false, false);
  }
  for (const bool reverse : {false, true}) {
    for (const bool exclusive : {false, true}) {
      add(scans[1], "zeros", tensor_of(DType::float64, {5}, {2, 0, 3, 0, 4}), 0, reverse,
          exclusive);
      add(scans[1], "one zero", tensor_of(DType::float64, {5}, {2, 3, 0, 5, 4}), 0, reverse,
          exclusive);
    }
  }
}

void add_sorting(Cases& cases) {
  const auto add = [&](const char* op, const char* name, const Tensor& x, int64_t axis,
                       bool descending, const Row& expected) {
    cases.list.push_back({.op = op,
                          .name = name,
                          .inputs = {x},
                          .attrs = {{"axis", axis}, {"descending", descending}},
                          .expected = {expected}});
  };
  for (DType dtype : {DType::float32, DType::float64, DType::float16, DType::int32, DType::uint8}) {
    const Tensor x = tensor_of(dtype, {2, 3}, {3, 1, 2, 9, 7, 8});
    add("sort", dtype_name(dtype), x, 1, false, {1, 2, 3, 7, 8, 9});
    add("sort", dtype_name(dtype), x, 1, true, {3, 2, 1, 9, 8, 7});
    add("sort", dtype_name(dtype), x, 0, true, {9, 7, 8, 3, 1, 2});
    add("argsort", dtype_name(dtype), x, 1, false, {1, 2, 0, 1, 2, 0});
    add("argsort", dtype_name(dtype), x, 0, true, {1, 1, 1, 0, 0, 0});
  }
  const Tensor ties = tensor_of(DType::float32, {5}, {2, 1, 2, 1, 2});
  add("argsort", "stable", ties, 0, false, {1, 3, 0, 2, 4});
  add("argsort", "stable descending", ties, 0, true, {0, 2, 4, 1, 3});
  const Tensor nans = tensor_of(DType::float32, {4}, {kNaN, 1, kInf, -kInf});
  add("argsort", "NaN last", nans, 0, false, {3, 1, 2, 0});
  add("argsort", "NaN last descending", nans, 0, true, {2, 1, 3, 0});
  add("sort", "empty", tensor_of(DType::float32, {0, 3}, {}), 0, false, {});
  add("argsort", "empty", tensor_of(DType::float32, {3, 0}, {}), 1, false, {});

  const auto top = [&](const char* name, const Tensor& x, int64_t k, const Row& values,
                       const Row& indices) {
    cases.list.push_back({.op = "top_k",
                          .name = name,
                          .inputs = {x},
                          .attrs = {{"k", k}},
                          .expected = {values, indices}});
  };
  top("float32", tensor_of(DType::float32, {2, 4}, {1, 4, 2, 3, 8, 6, 7, 5}), 2, {4, 3, 8, 7},
      {1, 3, 0, 2});
  top("float64", tensor_of(DType::float64, {2, 2, 2}, {1, 4, 2, 3, 8, 6, 7, 5}), 1, {4, 3, 8, 7},
      {1, 1, 0, 0});
  top("earlier first", tensor_of(DType::int32, {4}, {5, 7, 7, 5}), 4, {7, 7, 5, 5}, {1, 2, 0, 3});
  top("none", tensor_of(DType::float32, {2, 3}, {1, 2, 3, 4, 5, 6}), 0, {}, {});
  top("empty", tensor_of(DType::float32, {0, 3}, {}), 2, {}, {});
}

}  // namespace

OpCases reduce_cases() {
  Cases cases;
  add_reductions(cases);
  add_indices(cases);
  add_scans(cases);
  add_sorting(cases);
  return std::move(cases.list);
}

}  // namespace antler::test

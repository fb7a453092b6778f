#include <cmath>
#include <functional>
#include <limits>

#include "support/op_cases.h"

namespace antler::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = 3.14159265358979323846;

using Formula = std::function<double(const std::vector<double>&)>;

const std::vector<DType> kFloats = {DType::float32, DType::float64, DType::bfloat16,
                                    DType::float16};
const std::vector<DType> kInts = {DType::int8,  DType::int16,  DType::int32,  DType::int64,
                                  DType::uint8, DType::uint16, DType::uint32, DType::uint64};

std::vector<DType> operator+(std::vector<DType> a, const std::vector<DType>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Range of an operand.
struct Range {
  double low;
  double high;
};

/// Expected elements: the formula applied to the inputs' elements.
std::vector<double> evaluate(const Tensors& inputs, const Formula& formula) {
  std::vector<std::vector<double>> columns;
  for (const Tensor& t : inputs) columns.push_back(t.to_doubles());
  std::vector<double> result(columns[0].size());
  for (size_t i = 0; i < result.size(); ++i) {
    std::vector<double> row(columns.size());
    for (size_t k = 0; k < row.size(); ++k) row[k] = columns[k][i];
    result[i] = formula(row);
  }
  return result;
}

struct Cases {
  OpCases list;

  /// Every dtype at an odd size, and the edge shapes.
  void smooth(const char* op, const std::vector<DType>& dtypes, const std::vector<Range>& ranges,
              const Formula& formula) {
    for (DType dtype : dtypes) one(op, dtype_name(dtype), dtype, {13}, ranges, formula);
    one(op, "scalar", dtypes[0], {}, ranges, formula);
    one(op, "one", dtypes[0], {1}, ranges, formula);
    one(op, "empty", dtypes[0], {2, 0, 3}, ranges, formula);
    one(op, "matrix", dtypes[0], {3, 7}, ranges, formula);
    one(op, "long", dtypes[0], {33}, ranges, formula);
  }

  void one(const char* op, const char* name, DType dtype, const Shape& shape,
           const std::vector<Range>& ranges, const Formula& formula) {
    OpCase c{.op = op, .name = name};
    uint32_t seed = 1;
    for (const Range& r : ranges) {
      const bool negative = r.low < 0 && is_unsigned_integer(dtype);
      c.inputs.push_back(random_tensor(dtype, shape, negative ? 0 : r.low, r.high, seed++));
    }
    c.expected = {evaluate(c.inputs, formula)};
    // Results of float32 functions are within some units in the last place of the exact ones.
    if (dtype == DType::float32) c.tolerance = 2e-6;
    list.push_back(std::move(c));
  }

  /// Given elements; at these points no gradient is taken.
  void points(const char* op, const char* name, DType dtype,
              const std::vector<std::vector<double>>& operands, const std::vector<double>& expected,
              ir::Attrs attrs = {}) {
    OpCase c{.op = op,
             .name = name,
             .attrs = std::move(attrs),
             .expected = {expected},
             .gradient = false};
    for (const auto& values : operands) {
      c.inputs.push_back(tensor_of(dtype, {static_cast<int64_t>(values.size())}, values));
    }
    list.push_back(std::move(c));
  }
};

void add_arithmetic(Cases& cases) {
  const auto numbers = kFloats + kInts;
  cases.smooth("add", numbers, {{-9, 9}, {-9, 9}}, [](const auto& v) { return v[0] + v[1]; });
  cases.smooth("sub", kFloats, {{-9, 9}, {-9, 9}}, [](const auto& v) { return v[0] - v[1]; });
  cases.smooth("sub", kInts, {{9, 20}, {0, 9}}, [](const auto& v) { return v[0] - v[1]; });
  cases.smooth("mul", numbers, {{-9, 9}, {-9, 9}}, [](const auto& v) { return v[0] * v[1]; });
  cases.smooth("div", kFloats, {{-9, 9}, {1, 4}}, [](const auto& v) { return v[0] / v[1]; });
  cases.smooth("div", kInts, {{-99, 99}, {1, 9}},
               [](const auto& v) { return std::trunc(v[0] / v[1]); });
  cases.smooth("rem", {DType::float32, DType::float64}, {{-9, 9}, {1.1, 4}},
               [](const auto& v) { return std::fmod(v[0], v[1]); });
  cases.smooth("rem", kInts, {{-99, 99}, {1, 9}},
               [](const auto& v) { return std::fmod(v[0], v[1]); });
  cases.smooth("neg", kFloats, {{-9, 9}}, [](const auto& v) { return -v[0]; });
  cases.smooth("abs", numbers, {{-9, 9}}, [](const auto& v) { return std::fabs(v[0]); });
  cases.smooth("sign", numbers, {{-3, 3}}, [](const auto& v) {
    return v[0] > 0 ? 1.0 : v[0] < 0 ? -1.0 : 0.0;
  });
  cases.smooth("max", numbers, {{-9, 9}, {-9, 9}},
               [](const auto& v) { return std::fmax(v[0], v[1]); });
  cases.smooth("min", numbers, {{-9, 9}, {-9, 9}},
               [](const auto& v) { return std::fmin(v[0], v[1]); });
  cases.smooth("pow", kFloats, {{0.2, 3}, {-2, 3}},
               [](const auto& v) { return std::pow(v[0], v[1]); });
  cases.smooth("pow", kInts, {{-3, 3}, {0, 5}}, [](const auto& v) { return std::pow(v[0], v[1]); });

  cases.points("add", "int8 wraps", DType::int8, {{127, -128}, {1, -1}}, {-128, 127});
  cases.points("sub", "uint8 wraps", DType::uint8, {{0, 3}, {1, 5}}, {255, 254});
  cases.points("mul", "int32 wraps", DType::int32, {{65536, -2147483648.0}, {65536, -1}},
               {0, -2147483648.0});
  cases.points("add", "bool is or", DType::boolean, {{0, 0, 1, 1}, {0, 1, 0, 1}}, {0, 1, 1, 1});
  cases.points("mul", "bool is and", DType::boolean, {{0, 0, 1, 1}, {0, 1, 0, 1}}, {0, 0, 0, 1});
  cases.points("neg", "most negative", DType::int32, {{-2147483648.0, 5}}, {-2147483648.0, -5});
  cases.points("abs", "most negative", DType::int8, {{-128, -127}}, {-128, 127});
  cases.points("sign", "special", DType::float32, {{0, kInf, -kInf, kNaN}}, {0, 1, -1, kNaN});
  cases.points("div", "float by zero", DType::float32, {{1, -1, 0}, {0, 0, 0}},
               {kInf, -kInf, kNaN});
  cases.points("div", "int by zero", DType::int32, {{7, 0, -2147483648.0}, {0, 0, -1}},
               {-1, -1, -2147483648.0});
  cases.points("div", "uint8 by zero", DType::uint8, {{7, 0}, {0, 0}}, {255, 255});
  cases.points("rem", "int by zero", DType::int32, {{7, -7, -2147483648.0}, {0, 0, -1}},
               {7, -7, 0});
  cases.points("rem", "float by zero", DType::float32, {{7, kInf, 5}, {0, 2, kInf}},
               {kNaN, kNaN, 5});
  cases.points("max", "NaN wins", DType::float32, {{kNaN, 1, -kInf}, {1, kNaN, kInf}},
               {kNaN, kNaN, kInf});
  cases.points("min", "NaN wins", DType::bfloat16, {{kNaN, 1, -kInf}, {1, kNaN, kInf}},
               {kNaN, kNaN, -kInf});
  cases.points("max", "bool", DType::boolean, {{0, 0, 1}, {0, 1, 1}}, {0, 1, 1});
  cases.points("min", "bool", DType::boolean, {{0, 0, 1}, {0, 1, 1}}, {0, 0, 1});
  cases.points("pow", "special", DType::float32, {{0, 0, -2, -2, kInf}, {0, -1, 3, 0.5, -1}},
               {1, kInf, -8, kNaN, 0});
  cases.points("pow", "negative exponents", DType::int32, {{1, -1, -1, 2, 0}, {-3, -3, -2, -1, -1}},
               {1, -1, 1, 0, 0});
  cases.points("pow", "wraps", DType::uint8, {{2, 3}, {8, 6}}, {0, 217});
}

void add_functions(Cases& cases) {
  const auto unary = [&](const char* op, Range range, double (*f)(double)) {
    cases.smooth(op, kFloats, {range}, [f](const auto& v) { return f(v[0]); });
  };
  unary("exp", {-3, 3}, std::exp);
  unary("expm1", {-2, 2}, std::expm1);
  unary("log", {0.1, 5}, std::log);
  unary("log1p", {-0.7, 3}, std::log1p);
  unary("sqrt", {0.1, 5}, std::sqrt);
  unary("rsqrt", {0.2, 5}, [](double x) { return 1 / std::sqrt(x); });
  unary("sigmoid", {-5, 5}, [](double x) { return 1 / (1 + std::exp(-x)); });
  unary("sin", {-3, 3}, std::sin);
  unary("cos", {-3, 3}, std::cos);
  unary("tan", {-1, 1}, std::tan);
  unary("asin", {-0.9, 0.9}, std::asin);
  unary("acos", {-0.9, 0.9}, std::acos);
  unary("atan", {-3, 3}, std::atan);
  unary("sinh", {-2, 2}, std::sinh);
  unary("cosh", {-2, 2}, std::cosh);
  unary("tanh", {-3, 3}, std::tanh);
  unary("asinh", {-3, 3}, std::asinh);
  unary("acosh", {1.2, 4}, std::acosh);
  unary("atanh", {-0.8, 0.8}, std::atanh);
  unary("erf", {-2, 2}, std::erf);
  unary("erfc", {-2, 3}, std::erfc);
  unary("lgamma", {0.3, 5}, std::lgamma);
  cases.smooth("atan2", kFloats, {{-3, 3}, {0.3, 3}},
               [](const auto& v) { return std::atan2(v[0], v[1]); });
  // No function of the library to compare with: erf undoes erf_inv; digamma's values are from
  // Abramowitz and Stegun.
  for (DType dtype : {DType::float32, DType::float64}) {
    std::vector<double> y = random_tensor(DType::float64, {33}, -1.6, 1.6).to_doubles();
    std::vector<double> x(y.size());
    for (size_t i = 0; i < y.size(); ++i) x[i] = std::erf(y[i]);
    OpCase c{.op = "erf_inv", .name = dtype_name(dtype), .expected = {y}};
    c.inputs = {tensor_of(dtype, {33}, x)};
    c.tolerance = dtype == DType::float32 ? 1e-5 : 1e-12;
    c.gradient = dtype == DType::float64;
    cases.list.push_back(std::move(c));
  }
  cases.points("erf_inv", "limits", DType::float64, {{0, 1, -1, 1.5, 1e-9}},
               {0, kInf, -kInf, kNaN, 8.862269254527581e-10});
  constexpr double kEuler = 0.57721566490153286061;
  const std::vector<double> x = {1, 2, 0.5, 10, -0.5, 1.5};
  const std::vector<double> y = {-kEuler,
                                 1 - kEuler,
                                 -kEuler - 2 * std::log(2.0),
                                 2.2517525890667211,
                                 0.03648997397857652,
                                 2 - kEuler - 2 * std::log(2.0)};
  for (DType dtype : {DType::float32, DType::float64}) {
    OpCase c{.op = "digamma", .name = dtype_name(dtype), .expected = {y}};
    c.inputs = {tensor_of(dtype, {6}, x)};
    cases.list.push_back(std::move(c));
  }
  cases.points("digamma", "poles", DType::float32, {{0, -1, kInf}}, {kNaN, kNaN, kInf});
  cases.points("lgamma", "special", DType::float32, {{0, -1, -0.5, 1, 2}},
               {kInf, kInf, 1.2655121234846454, 0, 0});

  cases.points("exp", "limits", DType::float32, {{-kInf, 0, kInf, 100, kNaN}},
               {0, 1, kInf, kInf, kNaN});
  cases.points("log", "limits", DType::float32, {{0, -1, kInf}}, {-kInf, kNaN, kInf});
  cases.points("log1p", "small", DType::float64, {{-1, 1e-18}}, {-kInf, 1e-18});
  cases.points("sqrt", "limits", DType::float32, {{0, -1, kInf}}, {0, kNaN, kInf});
  cases.points("rsqrt", "limits", DType::float32, {{0, -1, kInf}}, {kInf, kNaN, 0});
  cases.points("sigmoid", "limits", DType::float32, {{-kInf, -200, 0, 200, kInf}},
               {0, 0, 0.5, 1, 1});
  cases.points("tanh", "limits", DType::float32, {{-kInf, -50, 50, kInf}}, {-1, -1, 1, 1});
  cases.points("atan2", "quadrants", DType::float32, {{1, 1, -1, -1, 0}, {1, -1, -1, 1, -1}},
               {kPi / 4, 3 * kPi / 4, -3 * kPi / 4, -kPi / 4, kPi});
}

void add_rounding(Cases& cases) {
  const std::vector<double> x = {-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.7, -2.7, kInf};
  for (DType dtype : kFloats) {
    const char* name = dtype_name(dtype);
    cases.points("floor", name, dtype, {x}, {-3, -2, -1, 0, 1, 2, 2, -3, kInf});
    cases.points("ceil", name, dtype, {x}, {-2, -1, 0, 1, 2, 3, 3, -2, kInf});
    cases.points("trunc", name, dtype, {x}, {-2, -1, 0, 0, 1, 2, 2, -2, kInf});
    cases.points("round", name, dtype, {x}, {-2, -2, 0, 0, 2, 2, 3, -3, kInf});
    cases.points("is_finite", name, dtype, {{0, kInf, -kInf, kNaN, 1}}, {1, 0, 0, 0, 1});
  }
  cases.points("floor", "empty", DType::float32, {{}}, {});
  cases.points("is_finite", "empty", DType::float32, {{}}, {});
}

void add_comparison(Cases& cases) {
  const std::vector<std::vector<double>> operands = {{1, 2, 3, 0}, {2, 2, 1, 0}};
  for (DType dtype : kFloats + kInts) {
    const char* name = dtype_name(dtype);
    cases.points("eq", name, dtype, operands, {0, 1, 0, 1});
    cases.points("ne", name, dtype, operands, {1, 0, 1, 0});
    cases.points("lt", name, dtype, operands, {1, 0, 0, 0});
    cases.points("le", name, dtype, operands, {1, 1, 0, 1});
    cases.points("gt", name, dtype, operands, {0, 0, 1, 0});
    cases.points("ge", name, dtype, operands, {0, 1, 1, 1});
  }
  const std::vector<std::vector<double>> nans = {{kNaN, kNaN, 1}, {kNaN, 1, kNaN}};
  for (const char* op : {"eq", "lt", "le", "gt", "ge"})
    cases.points(op, "NaN", DType::float32, nans, {0, 0, 0});
  cases.points("ne", "NaN", DType::float32, nans, {1, 1, 1});
  cases.points("lt", "bool", DType::boolean, {{0, 0, 1}, {0, 1, 0}}, {0, 1, 0});
  cases.points("lt", "sign", DType::int8, {{-1, 1}, {1, -1}}, {1, 0});
  cases.points("lt", "no sign", DType::uint8, {{255, 1}, {1, 255}}, {0, 1});
  cases.points("eq", "empty", DType::float32, {{}, {}}, {});
}

void add_logic(Cases& cases) {
  const std::vector<std::vector<double>> bools = {{0, 0, 1, 1}, {0, 1, 0, 1}};
  cases.points("and", "bool", DType::boolean, bools, {0, 0, 0, 1});
  cases.points("or", "bool", DType::boolean, bools, {0, 1, 1, 1});
  cases.points("xor", "bool", DType::boolean, bools, {0, 1, 1, 0});
  cases.points("not", "bool", DType::boolean, {{0, 1}}, {1, 0});
  for (DType dtype : kInts) {
    const char* name = dtype_name(dtype);
    cases.points("and", name, dtype, {{12, 5}, {10, 3}}, {8, 1});
    cases.points("or", name, dtype, {{12, 5}, {10, 3}}, {14, 7});
    cases.points("xor", name, dtype, {{12, 5}, {10, 3}}, {6, 6});
    cases.points("shift_left", name, dtype, {{3, 1, 5}, {2, 0, 64}}, {12, 1, 0});
    cases.points("shift_right", name, dtype, {{12, 1, 5}, {2, 0, 64}}, {3, 1, 0});
  }
  cases.points("not", "int8", DType::int8, {{0, 5, -1}}, {-1, -6, 0});
  cases.points("not", "uint8", DType::uint8, {{0, 5, 255}}, {255, 250, 0});
  cases.points("shift_left", "into the sign", DType::int8, {{1, 1, 1}, {7, 8, -1}}, {-128, 0, 0});
  cases.points("shift_right", "keeps the sign", DType::int32, {{-8, -8, -8, 8}, {1, 40, -1, -1}},
               {-4, -1, -1, 0});
  cases.points("shift_right", "no sign", DType::uint32, {{4294967288.0, 8}, {1, 32}},
               {2147483644.0, 0});
  cases.points("xor", "empty", DType::int32, {{}, {}}, {});
}

void add_selection(Cases& cases) {
  for (DType dtype : kFloats + kInts) {
    OpCase c{.op = "select", .name = dtype_name(dtype)};
    c.inputs = {random_tensor(DType::boolean, {13}), random_tensor(dtype, {13}, 0, 9, 2),
                random_tensor(dtype, {13}, 0, 9, 3)};
    c.expected = {evaluate(c.inputs, [](const auto& v) { return v[0] != 0 ? v[1] : v[2]; })};
    cases.list.push_back(std::move(c));
  }
  OpCase empty{.op = "select", .name = "empty", .expected = {{}}};
  empty.inputs = {random_tensor(DType::boolean, {0, 3}), random_tensor(DType::float32, {0, 3}),
                  random_tensor(DType::float32, {0, 3})};
  cases.list.push_back(std::move(empty));
}

void add_conversion(Cases& cases) {
  const auto all = kFloats + kInts + std::vector<DType>{DType::boolean};
  for (DType from : all) {
    for (DType to : all) {
      const bool to_bool = to == DType::boolean;
      const bool from_bool = from == DType::boolean;
      const std::vector<double> x = {0, 1, 2, 100};
      std::vector<double> y = from_bool ? std::vector<double>{0, 1, 1, 1} : x;
      if (to_bool) y = {0, 1, 1, 1};
      const std::string name = std::string(dtype_name(from)) + " to " + dtype_name(to);
      cases.points("convert", name.c_str(), from, {x}, y, {{"dtype", to}});
    }
  }
  const auto to = [](DType dtype) { return ir::Attrs{{"dtype", dtype}}; };
  cases.points("convert", "truncates", DType::float32, {{-1.7, 1.7, -0.5}}, {-1, 1, 0},
               to(DType::int32));
  cases.points("convert", "saturates", DType::float32, {{300, -300, kNaN, kInf, -kInf}},
               {127, -128, 0, 127, -128}, to(DType::int8));
  cases.points("convert", "saturates unsigned", DType::float64, {{300, -1, 255.9}}, {255, 0, 255},
               to(DType::uint8));
  cases.points("convert", "saturates 64 bits", DType::float32, {{9.3e18, -9.3e18}},
               {9223372036854775807.0, -9223372036854775808.0}, to(DType::int64));
  cases.points("convert", "integers wrap", DType::int32, {{-1, 256, 300}}, {255, 0, 44},
               to(DType::uint8));
  cases.points("convert", "rounds to even", DType::float32, {{2049, 2051}}, {2048, 2052},
               to(DType::float16));
  cases.points("convert", "bool of NaN", DType::float32, {{kNaN, 0.25, -0.0}}, {1, 1, 0},
               to(DType::boolean));
  cases.points("convert", "empty", DType::float32, {{}}, {}, to(DType::int32));
  OpCase smooth{.op = "convert", .name = "gradient", .attrs = to(DType::float64)};
  smooth.inputs = {random_tensor(DType::float64, {7})};
  smooth.expected = {smooth.inputs[0].to_doubles()};
  cases.list.push_back(std::move(smooth));

  cases.points("bitcast", "float to int", DType::float32, {{1, -2}}, {1065353216, -1073741824},
               to(DType::int32));
  cases.points("bitcast", "signed to unsigned", DType::int8, {{-1, 5}}, {255, 5}, to(DType::uint8));
  cases.points("bitcast", "bfloat16 to uint16", DType::bfloat16, {{1}}, {16256}, to(DType::uint16));
  cases.points("bitcast", "empty", DType::float32, {{}}, {}, to(DType::uint32));
  for (DType dtype : all)
    cases.points("stop_gradient", dtype_name(dtype), dtype, {{0, 1, 1}}, {0, 1, 1});
}

}  // namespace

OpCases elementwise_cases() {
  Cases cases;
  add_arithmetic(cases);
  add_functions(cases);
  add_rounding(cases);
  add_comparison(cases);
  add_logic(cases);
  add_selection(cases);
  add_conversion(cases);
  return std::move(cases.list);
}

}  // namespace antler::test

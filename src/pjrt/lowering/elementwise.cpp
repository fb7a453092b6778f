#include <array>
#include <charconv>
#include <limits>
#include <numbers>
#include <string_view>

#include "antler/base/error.h"
#include "pjrt/lowering/expr.h"
#include "pjrt/lowering/families.h"
#include "pjrt/lowering/special_functions.h"

namespace antler::pjrt {
namespace {

/// An op and what the lowering knows about it.
template <class T>
struct Named {
  std::string_view op;
  T what;
};

template <class T, size_t n>
const T& look_up(const Named<T> (&table)[n], const LowerArgs& args) {
  for (const auto& [op, what] : table) {
    if (op == args.node.op->name) return what;
  }
  throw InternalError("no lowering of {} in its table", args.node.op->name);
}

bool is_unsigned(std::string_view element) { return element.starts_with("ui"); }

int bits_of(std::string_view element) {
  const size_t prefix = element.find_first_of("0123456789");
  int bits = 0;
  std::from_chars(element.data() + prefix, element.data() + element.size(), bits);
  return bits;
}

Value without_half(Emitter& emit, const Value& x) {
  return is_half_element(x.type.element) ? emit.convert(x, "f32") : x;
}

/// Rounds like the reference loops: to float32 first if the result has half precision.
Value to_element(Emitter& emit, const Value& x, const std::string& element) {
  return emit.convert(is_half_element(element) ? emit.convert(x, "f32") : x, element);
}

// Ops that StableHLO has, with the same meaning in all dtypes.

constexpr Named<const char*> kSameOps[] = {
    {"add", "add"},     {"sub", "subtract"}, {"mul", "multiply"},
    {"neg", "negate"},  {"max", "maximum"},  {"min", "minimum"},
    {"floor", "floor"}, {"ceil", "ceil"},    {"round", "round_nearest_even"},
    {"and", "and"},     {"or", "or"},        {"xor", "xor"},
    {"not", "not"},
};

Values lower_same(const LowerArgs& args) {
  return {args.emit.op(look_up(kSameOps, args), args.inputs, args.result())};
}

// Functions that are computed in float32 for half-precision types.

constexpr Named<const char*> kFunctions[] = {
    {"exp", "exponential"},  {"expm1", "exponential_minus_one"},
    {"log", "log"},          {"log1p", "log_plus_one"},
    {"sqrt", "sqrt"},        {"rsqrt", "rsqrt"},
    {"sigmoid", "logistic"}, {"sin", "sine"},
    {"cos", "cosine"},       {"tan", "tan"},
    {"tanh", "tanh"},
};

Values lower_function(const LowerArgs& args) {
  Values operands;
  for (const Value& x : args.inputs) operands.push_back(without_half(args.emit, x));
  const Value y = args.emit.op(look_up(kFunctions, args), operands, operands[0].type);
  return {args.emit.convert(y, args.result().element)};
}

// Beyond this, x^2 + 1 equals x^2 in the precision of the type.
double large_argument(const Expr& x) { return x.value.type.element == "f64" ? 1e10 : 1e5; }

/// If the second operand is the constant 1, XLA's backend for CPUs computes wrong results for
/// arrays that it vectorizes. The operand here is never a constant, and the result is the same: if
/// y is NaN, so is the result.
Expr safe_atan2(const Expr& y, const Expr& x) {
  return atan2(y, select(y.emit->compare("EQ", y.value, y.value), x, y));
}

Expr formula_asin(const Expr& x) { return atan2(x, sqrt((1 - x) * (1 + x))); }
Expr formula_acos(const Expr& x) { return atan2(sqrt((1 - x) * (1 + x)), x); }
Expr formula_atan(const Expr& x) { return safe_atan2(x, x.number(1)); }

/// e^x / 2 and e^-x / 2 overflow later than e^x, as products of square roots.
struct Halves {
  Expr grown;
  Expr shrunk;
};
Halves half_exponentials(const Expr& x) {
  const Expr root = exp(x * 0.5);
  const Expr inverse = 1 / root;
  return {root * 0.5 * root, inverse * 0.5 * inverse};
}
Expr formula_sinh(const Expr& x) {
  const auto [grown, shrunk] = half_exponentials(x);
  const Expr e = expm1(x);  // keeps the digits that cancel near 0
  return select(abs(x).compare("LT", 1), 0.5 * (e + e / (e + 1)), grown - shrunk);
}
Expr formula_cosh(const Expr& x) {
  const auto [grown, shrunk] = half_exponentials(x);
  return grown + shrunk;
}
Expr formula_asinh(const Expr& x) {
  const Expr t = abs(x);
  const Expr s = t * t;
  const Expr usual = log1p(t + s / (1 + sqrt(s + 1)));
  const Expr large = log(t) + std::numbers::ln2;
  return sign(x) * select(t.compare("GT", large_argument(x)), large, usual);
}
Expr formula_acosh(const Expr& x) {
  const Expr t = x - 1;
  // The root of the product would be real for x < -1.
  const Expr usual = log1p(t + sqrt(t) * sqrt(t + 2));
  const Expr large = log(x) + std::numbers::ln2;
  return select(x.compare("GT", large_argument(x)), large, usual);
}
Expr formula_atanh(const Expr& x) { return 0.5 * (log1p(x) - log1p(-x)); }
Expr formula_trunc(const Expr& x) { return select(x.compare("LT", 0), ceil(x), floor(x)); }

constexpr Named<Expr (*)(const Expr&)> kFormulas[] = {
    {"asin", formula_asin},   {"acos", formula_acos},     {"atan", formula_atan},
    {"sinh", formula_sinh},   {"cosh", formula_cosh},     {"asinh", formula_asinh},
    {"acosh", formula_acosh}, {"atanh", formula_atanh},   {"trunc", formula_trunc},
    {"erf", lower_erf},       {"erfc", lower_erfc},       {"erf_inv", lower_erf_inv},
    {"lgamma", lower_lgamma}, {"digamma", lower_digamma},
};

Values lower_formula(const LowerArgs& args) {
  const Expr x{&args.emit, without_half(args.emit, args[0])};
  const Expr y = look_up(kFormulas, args)(x);
  return {args.emit.convert(y.value, args.result().element)};
}

Values lower_atan2(const LowerArgs& args) {
  const Expr y{&args.emit, without_half(args.emit, args[0])};
  const Expr x{&args.emit, without_half(args.emit, args[1])};
  return {args.emit.convert(safe_atan2(y, x).value, args.result().element)};
}

// Sign and absolute value. StableHLO has them for signed types.

Values lower_abs(const LowerArgs& args) {
  if (is_unsigned(args[0].type.element)) return {args[0]};
  return {args.emit.unary("abs", args[0])};
}

Values lower_sign(const LowerArgs& args) {
  Emitter& emit = args.emit;
  const Value& x = args[0];
  if (is_unsigned(x.type.element)) return {emit.binary("minimum", x, emit.fill_int(1, x.type))};
  return {emit.unary("sign", x)};
}

// Division. StableHLO does not define integer division by 0, or of the lowest integer by -1.

/// The divisor, or 1 in place of 0 and -1.
Value harmless_divisor(Emitter& emit, const Value& y) {
  const Value one = emit.fill_int(1, y.type);
  Value special = emit.compare("EQ", y, emit.fill_int(0, y.type));
  if (!is_unsigned(y.type.element)) {
    const Value minus_one = emit.compare("EQ", y, emit.fill_int(-1, y.type));
    special = emit.binary("or", special, minus_one);
  }
  return emit.select(special, one, y);
}

Values lower_div(const LowerArgs& args) {
  Emitter& emit = args.emit;
  const Value& x = args[0];
  const Value& y = args[1];
  if (is_float_element(x.type.element)) return {emit.binary("divide", x, y)};
  const bool has_sign = !is_unsigned(x.type.element);
  Value q = emit.binary("divide", x, harmless_divisor(emit, y));
  if (has_sign) {
    const Value by_minus_one = emit.compare("EQ", y, emit.fill_int(-1, y.type));
    q = emit.select(by_minus_one, emit.unary("negate", x), q);
  }
  const Value all_bits = has_sign ? emit.fill_int(-1, x.type) : emit.extreme(true, x.type);
  return {emit.select(emit.compare("EQ", y, emit.fill_int(0, y.type)), all_bits, q)};
}

Values lower_rem(const LowerArgs& args) {
  Emitter& emit = args.emit;
  const Value& x = args[0];
  const Value& y = args[1];
  if (is_float_element(x.type.element)) {
    const Value r = emit.binary("remainder", without_half(emit, x), without_half(emit, y));
    return {emit.convert(r, x.type.element)};
  }
  const Value r = emit.binary("remainder", x, harmless_divisor(emit, y));
  return {emit.select(emit.compare("EQ", y, emit.fill_int(0, y.type)), x, r)};
}

// Powers.

/// x^y for y >= 0, modulo 2^bits, by repeated squaring. Backends treat large exponents differently.
Value integer_power(Emitter& emit, const Value& x, const Value& y) {
  const int exponent_bits = bits_of(y.type.element) - (is_unsigned(y.type.element) ? 0 : 1);
  const Value zero = emit.fill_int(0, y.type);
  Value result = emit.fill_int(1, x.type);
  Value square = x;
  for (int k = 0; k < exponent_bits; ++k) {
    if (k > 0) square = emit.binary("multiply", square, square);
    const Value bit = emit.fill_int(static_cast<int64_t>(uint64_t{1} << k), y.type);
    const Value is_set = emit.compare("NE", emit.binary("and", y, bit), zero);
    result = emit.select(is_set, emit.binary("multiply", result, square), result);
  }
  return result;
}

/// 1 / x^-y for y < 0, truncated.
Value reciprocal_power(Emitter& emit, const Value& x, const Value& y) {
  const Value zero = emit.fill_int(0, x.type);
  const Value one = emit.fill_int(1, x.type);
  const Value minus_one = emit.fill_int(-1, x.type);
  const Value odd = emit.compare("NE", emit.binary("and", y, one), zero);
  const Value of_minus_one = emit.select(odd, minus_one, one);
  const Value of_others = emit.select(emit.compare("EQ", x, minus_one), of_minus_one, zero);
  return emit.select(emit.compare("EQ", x, one), one, of_others);
}

Values lower_pow(const LowerArgs& args) {
  Emitter& emit = args.emit;
  const Value& x = args[0];
  const Value& y = args[1];
  if (is_float_element(x.type.element)) {
    const Value p = emit.binary("power", without_half(emit, x), without_half(emit, y));
    return {emit.convert(p, x.type.element)};
  }
  if (is_unsigned(x.type.element)) return {integer_power(emit, x, y)};
  const Value negative = emit.compare("LT", y, emit.fill_int(0, y.type));
  return {emit.select(negative, reciprocal_power(emit, x, y), integer_power(emit, x, y))};
}

// Comparisons.

constexpr Named<const char*> kDirections[] = {
    {"eq", "EQ"}, {"ne", "NE"}, {"lt", "LT"}, {"le", "LE"}, {"gt", "GT"}, {"ge", "GE"},
};

Values lower_comparison(const LowerArgs& args) {
  return {args.emit.compare(look_up(kDirections, args), args[0], args[1])};
}

Values lower_is_finite(const LowerArgs& args) {
  return {args.emit.op("is_finite", {args[0]}, args.result())};
}

Values lower_select(const LowerArgs& args) { return {args.emit.select(args[0], args[1], args[2])}; }

// Shifts. StableHLO does not define shifts by more bits than the type has.

/// The count as an unsigned number: negative counts become too large.
Value unsigned_count(Emitter& emit, const Value& count) {
  if (is_unsigned(count.type.element)) return count;
  return emit.op("bitcast_convert", {count}, {"u" + count.type.element, count.type.dims});
}

Values lower_shift_left(const LowerArgs& args) {
  Emitter& emit = args.emit;
  const Value& x = args[0];
  const Value count = unsigned_count(emit, args[1]);
  const Value width = emit.fill_int(bits_of(x.type.element), count.type);
  const Value shifted = emit.binary("shift_left", x, args[1]);
  return {emit.select(emit.compare("LT", count, width), shifted, emit.fill_int(0, x.type))};
}

Values lower_shift_right(const LowerArgs& args) {
  Emitter& emit = args.emit;
  const Value& x = args[0];
  const int bits = bits_of(x.type.element);
  const Value count = unsigned_count(emit, args[1]);
  const Value inside = emit.compare("LT", count, emit.fill_int(bits, count.type));
  if (is_unsigned(x.type.element)) {
    const Value shifted = emit.binary("shift_right_logical", x, count);
    return {emit.select(inside, shifted, emit.fill_int(0, x.type))};
  }
  // A shift by all bits but one leaves only copies of the sign.
  const Value bounded = emit.select(inside, args[1], emit.fill_int(bits - 1, x.type));
  return {emit.binary("shift_right_arithmetic", x, bounded)};
}

// Conversions.

/// Truncates and saturates, and converts NaN to 0. StableHLO does not define these cases.
Value float_to_integer(Emitter& emit, const Value& x, const Type& type) {
  const bool has_sign = !is_unsigned(type.element);
  const int digits = bits_of(type.element) - (has_sign ? 1 : 0);
  // Powers of two are exact, the largest integer may not be.
  double end = 1;
  for (int i = 0; i < digits; ++i) end *= 2;
  const Value too_large = emit.compare("GE", x, emit.fill(end, x.type));
  const Value too_small = emit.compare("LT", x, emit.fill(has_sign ? -end : 0, x.type));
  const Value is_number = emit.compare("EQ", x, x);
  Value y = emit.convert(x, type.element);
  y = emit.select(too_large, emit.extreme(true, type), y);
  y = emit.select(too_small, emit.extreme(false, type), y);
  return emit.select(is_number, y, emit.fill_int(0, type));
}

Values lower_convert(const LowerArgs& args) {
  Emitter& emit = args.emit;
  const Type type = args.result();
  const std::string& from = args[0].type.element;
  if (from == type.element) return {args[0]};
  if (type.element == "i1") return {emit.compare("NE", args[0], emit.fill(0, args[0].type))};
  if (is_float_element(type.element)) return {to_element(emit, args[0], type.element)};
  if (is_float_element(from)) return {float_to_integer(emit, without_half(emit, args[0]), type)};
  return {emit.convert(args[0], type.element)};
}

Values lower_bitcast(const LowerArgs& args) {
  if (args[0].type.element == args.result().element) return {args[0]};
  return {args.emit.op("bitcast_convert", {args[0]}, args.result())};
}

Values lower_identity(const LowerArgs& args) { return {args[0]}; }

/// The rules of tables, then those of single ops.
template <class T, size_t n>
void add_rules(std::vector<Rule>& rules, const Named<T> (&table)[n],
               Values (*lower)(const LowerArgs&)) {
  for (const auto& [op, what] : table) rules.push_back({op.data(), lower});
}

}  // namespace

Rules elementwise_rules() {
  static const std::vector<Rule> rules = [] {
    std::vector<Rule> list = {
        {"atan2", lower_atan2},
        {"abs", lower_abs},
        {"sign", lower_sign},
        {"div", lower_div},
        {"rem", lower_rem},
        {"pow", lower_pow},
        {"is_finite", lower_is_finite},
        {"select", lower_select},
        {"shift_left", lower_shift_left},
        {"shift_right", lower_shift_right},
        {"convert", lower_convert},
        {"bitcast", lower_bitcast},
        {"stop_gradient", lower_identity},
    };
    add_rules(list, kSameOps, lower_same);
    add_rules(list, kFunctions, lower_function);
    add_rules(list, kFormulas, lower_formula);
    add_rules(list, kDirections, lower_comparison);
    return list;
  }();
  return rules;
}

}  // namespace antler::pjrt

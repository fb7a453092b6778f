#pragma once

#include <initializer_list>
#include <utility>

#include "pjrt/lowering/emitter.h"

/// Formulas in the usual notation: arithmetic on values of one float type, mixed with numbers.
namespace antler::pjrt {

struct Expr {
  Emitter* emit;
  Value value;

  Expr number(double x) const { return {emit, emit->fill(x, value.type)}; }
  Expr unary(std::string_view op) const { return {emit, emit->unary(op, value)}; }
  Expr binary(std::string_view op, const Expr& y) const {
    return {emit, emit->binary(op, value, y.value)};
  }
  Value compare(std::string_view direction, double y) const {
    return emit->compare(direction, value, number(y).value);
  }
};

inline Expr operator+(const Expr& x, const Expr& y) { return x.binary("add", y); }
inline Expr operator-(const Expr& x, const Expr& y) { return x.binary("subtract", y); }
inline Expr operator*(const Expr& x, const Expr& y) { return x.binary("multiply", y); }
inline Expr operator/(const Expr& x, const Expr& y) { return x.binary("divide", y); }
inline Expr operator+(const Expr& x, double y) { return x + x.number(y); }
inline Expr operator-(const Expr& x, double y) { return x - x.number(y); }
inline Expr operator*(const Expr& x, double y) { return x * x.number(y); }
inline Expr operator/(const Expr& x, double y) { return x / x.number(y); }
inline Expr operator+(double x, const Expr& y) { return y.number(x) + y; }
inline Expr operator-(double x, const Expr& y) { return y.number(x) - y; }
inline Expr operator*(double x, const Expr& y) { return y.number(x) * y; }
inline Expr operator/(double x, const Expr& y) { return y.number(x) / y; }
inline Expr operator-(const Expr& x) { return x.unary("negate"); }

inline Expr abs(const Expr& x) { return x.unary("abs"); }
inline Expr ceil(const Expr& x) { return x.unary("ceil"); }
inline Expr cos(const Expr& x) { return x.unary("cosine"); }
inline Expr exp(const Expr& x) { return x.unary("exponential"); }
inline Expr expm1(const Expr& x) { return x.unary("exponential_minus_one"); }
inline Expr floor(const Expr& x) { return x.unary("floor"); }
inline Expr log(const Expr& x) { return x.unary("log"); }
inline Expr log1p(const Expr& x) { return x.unary("log_plus_one"); }
inline Expr sign(const Expr& x) { return x.unary("sign"); }
inline Expr sin(const Expr& x) { return x.unary("sine"); }
inline Expr sqrt(const Expr& x) { return x.unary("sqrt"); }
inline Expr atan2(const Expr& y, const Expr& x) { return y.binary("atan2", x); }
inline Expr min(const Expr& x, double y) { return x.binary("minimum", x.number(y)); }

inline Expr select(const Value& condition, const Expr& x, const Expr& y) {
  return {x.emit, x.emit->select(condition, x.value, y.value)};
}

/// Horner's rule; the coefficient of the highest power comes first.
Expr polynomial(const Expr& x, std::initializer_list<double> coefficients);

}  // namespace antler::pjrt

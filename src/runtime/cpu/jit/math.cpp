#include "runtime/cpu/jit/math.h"

#include <array>
#include <limits>

/// Sources of the approximations: the range reductions and float polynomials of exp, log, sin and
/// cos are from the Cephes library (S. Moshier); the double polynomial of log is fdlibm's (Sun
/// Microsystems); the exponential series is Taylor's; float erf was fitted for this file (minimax
/// by Lawson's algorithm); inverse erf is M. Giles, "Approximating the erfinv function", GPU
/// Computing Gems 2 (2011).
namespace antler::runtime::jit::math {

using llvm::Value;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool is_double(const Value* v) { return v->getType()->getScalarType()->isDoubleTy(); }
int mantissa_bits(const Value* v) { return is_double(v) ? 52 : 23; }
int exponent_bias(const Value* v) { return is_double(v) ? 1023 : 127; }

/// A value rounded to an integer, both as float and as integer. Adding 1.5 * 2^mantissa leaves the
/// integer in the low bits; unlike a conversion it has a defined result for NaN. |x| must be below
/// 2^22 (2^51).
struct Rounded {
  Value* number;
  Value* integer;
};

Rounded round_product(const Gen& g, Value* x, double factor) {
  Value* magic = g.number(x, is_double(x) ? 0x1.8p52 : 0x1.8p23);
  Value* shifted = g.fma(x, g.number(x, factor), magic);
  llvm::Type* bits = g.bits_type(x);
  Value* integer = g.b.CreateSub(g.b.CreateBitCast(shifted, bits), g.b.CreateBitCast(magic, bits));
  return {g.b.CreateFSub(shifted, magic), integer};
}

/// 2^n as a float like `x`; n within the exponents of normal numbers.
Value* power_of_two(const Gen& g, Value* x, Value* n) {
  Value* biased = g.b.CreateAdd(n, g.integer(n, exponent_bias(x)));
  return g.b.CreateBitCast(g.b.CreateShl(biased, static_cast<uint64_t>(mantissa_bits(x))),
                           x->getType());
}

/// min(max(x, low), high); NaN stays.
Value* clamp(const Gen& g, Value* x, double low, double high) {
  Value* l = g.number(x, low);
  Value* h = g.number(x, high);
  x = g.b.CreateSelect(g.b.CreateFCmpOGT(l, x), l, x);
  return g.b.CreateSelect(g.b.CreateFCmpOLT(h, x), h, x);
}

/// x = n ln 2 + r with |r| <= ln(2)/2, and exp(r) = 1 + r + r^2 q.
struct ExpParts {
  Value* n;
  Value* whole;  ///< n as a float
  Value* r;
  Value* rest;  ///< r^2 q
};

ExpParts exp_parts(const Gen& g, Value* x) {
  const Rounded n = round_product(g, x, 1.44269504088896340736);
  // The upper part of ln 2 is short, so that its product with n is exact.
  const double high = is_double(x) ? 6.93147180369123816490e-01 : 0.693359375;
  const double low = is_double(x) ? 1.90821492927058770002e-10 : -2.12194440e-4;
  Value* r = g.fma(n.number, g.number(x, -high), x);
  r = g.fma(n.number, g.number(x, -low), r);
  Value* q = nullptr;
  if (is_double(x)) {
    std::array<double, 12> series{};  // 1/13!, ..., 1/2!
    double factorial = 1;
    for (int k = 2; k <= 13; ++k) {
      factorial *= k;
      series[static_cast<size_t>(13 - k)] = 1 / factorial;
    }
    q = g.poly(r, series);
  } else {
    q = g.poly(r, {1.9875691500E-4, 1.3981999507E-3, 8.3334519073E-3, 4.1665795894E-2,
                   1.6666665459E-1, 5.0000001201E-1});
  }
  return {n.integer, n.number, r, g.b.CreateFMul(g.b.CreateFMul(r, r), q)};
}

/// x = 2^e m with m in [sqrt(1/2), sqrt(2)), also for subnormals. Undefined for zero, infinity and
/// NaN.
struct LogParts {
  Value* e;
  Value* m;
};

LogParts log_parts(const Gen& g, Value* x) {
  llvm::IRBuilder<>& b = g.b;
  const int mantissa = mantissa_bits(x);
  Value* tiny = b.CreateFCmpOLT(x, g.number(x, is_double(x) ? 0x1p-1022 : 0x1p-126));
  Value* scaled =
      b.CreateSelect(tiny, b.CreateFMul(x, g.number(x, is_double(x) ? 0x1p52 : 0x1p23)), x);
  llvm::Type* type = g.bits_type(x);
  Value* bits = b.CreateBitCast(scaled, type);
  // After subtracting the bits of sqrt(1/2) the exponent changes at sqrt(1/2) * 2^e.
  const int64_t root_half = is_double(x) ? 0x3fe6a09e667f3bcd : 0x3f3504f3;
  Value* offset = b.CreateSub(bits, g.integer(type, root_half));
  const int64_t exponent_mask = is_double(x) ? static_cast<int64_t>(0xfff0000000000000ULL)
                                             : static_cast<int32_t>(0xff800000U);
  Value* exponent_bits = b.CreateAnd(offset, g.integer(type, exponent_mask));
  Value* m = b.CreateBitCast(b.CreateSub(bits, exponent_bits), x->getType());
  Value* e = nullptr;
  if (is_double(x)) {
    // The exponent fits into 32 bits, and few CPUs convert vectors of 64-bit integers.
    Value* word = b.CreateTrunc(b.CreateLShr(exponent_bits, 32), Gen::like(x, b.getInt32Ty()));
    e = b.CreateSIToFP(b.CreateAShr(word, 20), x->getType());
  } else {
    e = b.CreateSIToFP(b.CreateAShr(exponent_bits, static_cast<uint64_t>(mantissa)), x->getType());
  }
  e = b.CreateFSub(e, b.CreateSelect(tiny, g.number(x, mantissa), g.number(x, 0)));
  return {e, m};
}

/// log of positive finite x.
Value* log_finite(const Gen& g, Value* x) {
  llvm::IRBuilder<>& b = g.b;
  const LogParts parts = log_parts(g, x);
  Value* f = b.CreateFSub(parts.m, g.number(x, 1));
  Value* square = b.CreateFMul(f, f);
  if (!is_double(x)) {
    Value* p = g.poly(
        f, {7.0376836292E-2, -1.1514610310E-1, 1.1676998740E-1, -1.2420140846E-1, 1.4249322787E-1,
            -1.6668057665E-1, 2.0000714765E-1, -2.4999993993E-1, 3.3333331174E-1});
    Value* y = b.CreateFMul(b.CreateFMul(f, square), p);
    y = g.fma(parts.e, g.number(x, -2.12194440e-4), y);
    y = g.fma(square, g.number(x, -0.5), y);
    return g.fma(parts.e, g.number(x, 0.693359375), b.CreateFAdd(f, y));
  }
  // log(1+f) = f - f^2/2 + s (f^2/2 + R(s^2)), s = f/(2+f)
  Value* s = b.CreateFDiv(f, b.CreateFAdd(f, g.number(x, 2)));
  Value* z = b.CreateFMul(s, s);
  Value* r =
      g.poly(z, {1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
                 2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01,
                 6.666666666666735130e-01});
  r = b.CreateFMul(r, z);
  Value* half_square = b.CreateFMul(square, g.number(x, 0.5));
  Value* y = b.CreateFMul(s, b.CreateFAdd(half_square, r));
  y = g.fma(parts.e, g.number(x, 1.90821492927058770002e-10), y);
  y = b.CreateFSub(b.CreateFSub(half_square, y), f);
  return b.CreateFSub(b.CreateFMul(parts.e, g.number(x, 6.93147180369123816490e-01)), y);
}

/// Largest argument for the reduction by multiples of pi/2 in three parts (Cody and Waite). Larger
/// arguments go to the C library.
constexpr double kTrigLimit = 8192;

/// sin (quadrant 0) or cos (quadrant 1) of floats below kTrigLimit.
Value* sine_of_quadrant(const Gen& g, Value* x, int64_t quadrant) {
  llvm::IRBuilder<>& b = g.b;
  const Rounded n = round_product(g, x, 0.636619772367581343076);
  Value* r = g.fma(n.number, g.number(x, -1.5703125), x);
  r = g.fma(n.number, g.number(x, -4.837512969970703125e-4), r);
  r = g.fma(n.number, g.number(x, -7.54978995489188216e-8), r);
  Value* z = b.CreateFMul(r, r);
  Value* sine = g.poly(z, {-1.9515295891E-4, 8.3321608736E-3, -1.6666654611E-1});
  sine = g.fma(b.CreateFMul(sine, z), r, r);
  Value* cosine =
      g.poly(z, {2.443315711809948E-005, -1.388731625493765E-003, 4.166664568298827E-002});
  cosine = g.fma(b.CreateFMul(cosine, z), z, g.fma(z, g.number(x, -0.5), g.number(x, 1)));
  Value* q = b.CreateAdd(n.integer, g.integer(n.integer, quadrant));
  Value* use_cosine = b.CreateICmpNE(b.CreateAnd(q, g.integer(q, 1)), g.integer(q, 0));
  Value* result = b.CreateSelect(use_cosine, cosine, sine);
  Value* sign = b.CreateShl(b.CreateAnd(q, g.integer(q, 2)), 30);
  return b.CreateBitCast(b.CreateXor(b.CreateBitCast(result, q->getType()), sign), x->getType());
}

Value* trig(const Gen& g, Value* x, int64_t quadrant, const char* function) {
  if (is_double(x)) return libm(g, function, x);
  llvm::IRBuilder<>& b = g.b;
  Value* large = g.any(b.CreateFCmpUGT(g.abs(x), g.number(x, kTrigLimit)));
  llvm::Function* parent = b.GetInsertBlock()->getParent();
  auto* fast = llvm::BasicBlock::Create(b.getContext(), "small", parent);
  auto* slow = llvm::BasicBlock::Create(b.getContext(), "large", parent);
  auto* done = llvm::BasicBlock::Create(b.getContext(), "done", parent);
  b.CreateCondBr(large, slow, fast);
  b.SetInsertPoint(slow);
  Value* slow_result = libm(g, function, x);
  b.CreateBr(done);
  b.SetInsertPoint(fast);
  Value* fast_result = sine_of_quadrant(g, x, quadrant);
  b.CreateBr(done);
  b.SetInsertPoint(done);
  llvm::PHINode* result = b.CreatePHI(x->getType(), 2);
  result->addIncoming(slow_result, slow);
  result->addIncoming(fast_result, fast);
  return result;
}

/// |x|^y, computed in double: float intermediates would lose too many digits.
Value* wide_power(const Gen& g, Value* x, Value* y) {
  llvm::Type* wide = Gen::like(x, g.b.getDoubleTy());
  Value* power =
      exp(g, g.b.CreateFMul(g.b.CreateFPExt(y, wide), log(g, g.b.CreateFPExt(g.abs(x), wide))));
  return g.b.CreateFPTrunc(power, x->getType());
}

/// x^y for a constant y of 1, 2, 3 or -1; null for other exponents.
Value* constant_power(const Gen& g, Value* x, Value* y) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(y);
  if (constant != nullptr && y->getType()->isVectorTy()) constant = constant->getSplatValue();
  auto* exponent = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
  if (exponent == nullptr) return nullptr;
  const double n = is_double(y) ? exponent->getValueAPF().convertToDouble()
                                : static_cast<double>(exponent->getValueAPF().convertToFloat());
  if (n == 1) return x;
  if (n == 2) return g.b.CreateFMul(x, x);
  if (n == 3) return g.b.CreateFMul(g.b.CreateFMul(x, x), x);
  if (n == -1) return g.b.CreateFDiv(g.number(x, 1), x);
  return nullptr;
}

}  // namespace

Value* libm(const Gen& g, const std::string& name, Value* x) {
  return g.call(is_double(x) ? name : name + "f", x);
}

Value* libm(const Gen& g, const std::string& name, Value* x, Value* y) {
  const std::array<Value*, 2> args = {x, y};
  return g.call(is_double(x) ? name : name + "f", args);
}

Value* exp(const Gen& g, Value* x) {
  x = is_double(x) ? clamp(g, x, -746, 710) : clamp(g, x, -104, 89);
  const ExpParts parts = exp_parts(g, x);
  Value* y = g.b.CreateFAdd(g.b.CreateFAdd(parts.rest, parts.r), g.number(x, 1));
  if (Value* scaled = g.scale(y, parts.whole)) return scaled;
  // Two factors: 2^n may be subnormal or infinite even if the result is not.
  Value* half = g.b.CreateAShr(parts.n, 1);
  y = g.b.CreateFMul(y, power_of_two(g, x, half));
  return g.b.CreateFMul(y, power_of_two(g, x, g.b.CreateSub(parts.n, half)));
}

Value* expm1(const Gen& g, Value* x) {
  x = is_double(x) ? clamp(g, x, -40, 710) : clamp(g, x, -20, 89);
  const ExpParts parts = exp_parts(g, x);
  Value* p = g.b.CreateFAdd(parts.rest, parts.r);
  // 2 (2^(n-1) p + (2^(n-1) - 1/2)): 2^n may overflow even if the result does not.
  Value* scale = power_of_two(g, x, g.b.CreateSub(parts.n, g.integer(parts.n, 1)));
  Value* y = g.fma(scale, p, g.b.CreateFSub(scale, g.number(x, 0.5)));
  // If n is 0 the result is p itself, which keeps -0 and tiny numbers exact.
  Value* small = g.b.CreateICmpEQ(parts.n, g.integer(parts.n, 0));
  return g.b.CreateSelect(small, p, g.b.CreateFAdd(y, y));
}

Value* log(const Gen& g, Value* x) {
  llvm::IRBuilder<>& b = g.b;
  Value* y = log_finite(g, x);
  y = b.CreateSelect(b.CreateFCmpOEQ(x, g.number(x, kInfinity)), x, y);
  y = b.CreateSelect(b.CreateFCmpOEQ(x, g.number(x, 0)), g.number(x, -kInfinity), y);
  return b.CreateSelect(b.CreateFCmpULT(x, g.number(x, 0)), g.number(x, kNan), y);
}

Value* log1p(const Gen& g, Value* x) {
  llvm::IRBuilder<>& b = g.b;
  Value* one = g.number(x, 1);
  Value* u = b.CreateFAdd(x, one);
  // The rounding error of the sum, to first order.
  Value* lost = b.CreateFDiv(b.CreateFSub(x, b.CreateFSub(u, one)), u);
  Value* y = b.CreateFAdd(log_finite(g, u), lost);
  y = b.CreateSelect(b.CreateFCmpOEQ(u, g.number(x, kInfinity)), u, y);
  y = b.CreateSelect(b.CreateFCmpOEQ(u, g.number(x, 0)), g.number(x, -kInfinity), y);
  y = b.CreateSelect(b.CreateFCmpOEQ(x, g.number(x, 0)), x, y);
  return b.CreateSelect(b.CreateFCmpULT(u, g.number(x, 0)), g.number(x, kNan), y);
}

Value* sigmoid(const Gen& g, Value* x) {
  Value* one = g.number(x, 1);
  return g.b.CreateFDiv(one, g.b.CreateFAdd(one, exp(g, g.b.CreateFNeg(x))));
}

Value* tanh(const Gen& g, Value* x) {
  // With t = exp(-2|x|) - 1: tanh |x| = -t / (t + 2).
  Value* t = expm1(g, g.b.CreateFMul(g.abs(x), g.number(x, -2)));
  Value* y = g.b.CreateFDiv(t, g.b.CreateFAdd(t, g.number(x, 2)));
  return g.copysign(y, x);
}

Value* sin(const Gen& g, Value* x) { return trig(g, x, 0, "sin"); }
Value* cos(const Gen& g, Value* x) { return trig(g, x, 1, "cos"); }

Value* erf(const Gen& g, Value* x) {
  if (is_double(x)) return libm(g, "erf", x);
  llvm::IRBuilder<>& b = g.b;
  Value* t = g.abs(x);
  Value* s = b.CreateFMul(x, x);
  // erf x = x + x P(x^2) below 0.921875; above, erf t = 1 - exp(-t Q(t)), which is 1 beyond 4.
  Value* small = g.poly(
      s, {8.370097202714533e-05, -0.0008142703445628285, 0.005201032385230064,
          -0.026859398931264877, 0.11283695697784424, -0.37612634897232056, 0.12837916612625122});
  small = g.fma(small, x, x);
  Value* limit = g.number(x, 4.25);
  Value* bounded = b.CreateSelect(b.CreateFCmpOGT(t, limit), limit, t);
  Value* q = g.poly(bounded, {4.905324e-06, -4.5179633e-05, -5.163786e-05, 0.0029358407,
                              -0.022683367, 0.10527149, 0.6356207, 1.1285527});
  Value* tail = exp(g, b.CreateFNeg(b.CreateFMul(q, bounded)));
  Value* big = g.copysign(b.CreateFSub(g.number(x, 1), tail), x);
  return b.CreateSelect(b.CreateFCmpOGT(t, g.number(x, 0.921875)), big, small);
}

Value* erf_inv(const Gen& g, Value* x) {
  if (is_double(x)) return g.call("antler_erf_inv", x);
  llvm::IRBuilder<>& b = g.b;
  Value* one = g.number(x, 1);
  Value* w = b.CreateFNeg(log(g, b.CreateFMul(b.CreateFSub(one, x), b.CreateFAdd(one, x))));
  Value* central = g.poly(b.CreateFSub(w, g.number(x, 2.5)),
                          {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06,
                           0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941});
  Value* root = g.intrinsic(llvm::Intrinsic::sqrt, w);
  Value* tail = g.poly(b.CreateFSub(root, g.number(x, 3)),
                       {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844,
                        0.00573950773, -0.0076224613, 0.00943887047, 1.00167406, 2.83297682});
  Value* y = b.CreateFMul(b.CreateSelect(b.CreateFCmpOLT(w, g.number(x, 5)), central, tail), x);
  Value* edge = b.CreateFCmpOEQ(g.abs(x), one);
  return b.CreateSelect(edge, b.CreateFMul(x, g.number(x, kInfinity)), y);
}

Value* pow(const Gen& g, Value* x, Value* y) {
  if (Value* simple = constant_power(g, x, y)) return simple;
  if (is_double(x)) return libm(g, "pow", x, y);
  llvm::IRBuilder<>& b = g.b;
  Value* zero = g.number(x, 0);
  Value* one = g.number(x, 1);
  Value* power = wide_power(g, x, y);
  // A negative base: odd powers are negative, fractional powers are NaN.
  Value* whole = b.CreateFCmpOEQ(g.intrinsic(llvm::Intrinsic::trunc, y), y);
  Value* half = b.CreateFMul(y, g.number(x, 0.5));
  Value* odd = b.CreateAnd(whole, b.CreateFCmpONE(g.intrinsic(llvm::Intrinsic::trunc, half), half));
  power = b.CreateSelect(odd, g.copysign(power, x), power);
  Value* fractional = b.CreateAnd(
      b.CreateNot(whole),
      b.CreateAnd(b.CreateFCmpOLT(x, zero), b.CreateFCmpOGT(x, g.number(x, -kInfinity))));
  power = b.CreateSelect(fractional, g.number(x, kNan), power);
  // 1^y = x^0 = (-1)^+-infinity = 1, whatever the other operand is.
  Value* infinite = b.CreateFCmpOEQ(g.abs(y), g.number(x, kInfinity));
  Value* unit = b.CreateAnd(infinite, b.CreateFCmpOEQ(g.abs(x), one));
  unit = b.CreateOr(unit, b.CreateOr(b.CreateFCmpOEQ(x, one), b.CreateFCmpOEQ(y, zero)));
  return b.CreateSelect(unit, one, power);
}

}  // namespace antler::runtime::jit::math

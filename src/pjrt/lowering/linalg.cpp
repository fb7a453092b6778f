#include <algorithm>
#include <limits>

#include "antler/base/format.h"
#include "pjrt/lowering/families.h"
#include "pjrt/lowering/matrices.h"

// Triangular factors, and what follows from them. The other decompositions are in orthogonal.cpp.
namespace antler::pjrt {
namespace {

bool has_no_elements(const Value& x) { return x.type.num_elements() == 0; }

/// All elements are NaN if the matrix is not positive definite, which StableHLO does not define.
Values lower_cholesky(const LowerArgs& args) {
  if (has_no_elements(args[0])) return zero_results(args);
  Emitter& emit = args.emit;
  Matrices matrices(emit);
  const Value a = matrices.batch(args[0]);
  const Value l = matrices.lower_triangle(emit.op("cholesky", {a}, a.type, "lower = true"));
  const Value diagonal = matrices.diagonal(l);
  const Value positive = emit.compare("GT", diagonal, matrices.like(0, diagonal));
  const Value exists = emit.reduce("and", positive, emit.fill_int(1, {"i1", {}}), Ints{1});
  const Value nan = matrices.like(std::numeric_limits<double>::quiet_NaN(), l);
  return {matrices.result(emit.select(matrices.per_matrix(exists, l.type.dims), l, nan),
                          args.result())};
}

Value solve_triangle(Emitter& emit, const Value& a, const Value& b, bool lower) {
  return emit.op("triangular_solve", {a, b}, b.type,
                 format("left_side = true, lower = {}, unit_diagonal = false, "
                        "transpose_a = #stablehlo<transpose NO_TRANSPOSE>",
                        lower));
}

Values lower_triangular_solve(const LowerArgs& args) {
  if (has_no_elements(args[1])) return zero_results(args);
  Matrices matrices(args.emit);
  const Value x = solve_triangle(args.emit, matrices.batch(args[0]), matrices.batch(args[1]),
                                 args.attrs().flag("lower"));
  return {matrices.result(x, args.result())};
}

/// Gaussian elimination with partial pivoting, all rows of a column at a time.
class Elimination {
 public:
  Elimination(Emitter& emit, Matrices& matrices) : emit_(emit), matrices_(matrices) {}

  /// The factors of a [batch, m, n] after `steps` columns, in one matrix, and the pivots [batch,
  /// steps]: row i was swapped with row pivots[i].
  Values run(const Value& a, int64_t steps) {
    const Value pivots = emit_.fill_int(0, {"i32", {a.type.dims[0], steps}});
    return matrices_.repeat(steps, false, {a, pivots}, [&](const Value& i, const Values& carried) {
      const Value best = find_pivot(carried[0], i);
      return Values{eliminate(swap_rows(carried[0], i, best), i),
                    emit_.put(carried[1], 1, i, best)};
    });
  }

 private:
  /// The first row from i on with the largest magnitude in column i, [batch]. A NaN in row i stays
  /// there; others are never chosen.
  Value find_pivot(const Value& a, const Value& i) {
    const Value column = emit_.take(a, 2, i);
    const Ints& dims = column.type.dims;
    const Value row = emit_.iota(1, {"i32", dims});
    const Value here = matrices_.everywhere(i, dims);
    const Value infinite = matrices_.like(std::numeric_limits<double>::infinity(), column);
    const Value nan_key =
        emit_.select(emit_.compare("EQ", row, here), infinite, matrices_.like(-1, column));
    const Value is_nan = emit_.compare("NE", column, column);
    const Value key = emit_.select(is_nan, nan_key, emit_.unary("abs", column));
    const Value candidate =
        emit_.select(emit_.compare("GE", row, here), key, matrices_.like(-2, column));
    const Value largest =
        emit_.reduce("maximum", candidate, emit_.fill(-2, {column.type.element, {}}), Ints{1});
    const Value is_largest = emit_.compare("EQ", candidate, matrices_.per_matrix(largest, dims));
    const Value rows = emit_.fill_int(dims[1], row.type);
    return emit_.reduce("minimum", emit_.select(is_largest, row, rows),
                        emit_.fill_int(dims[1], {"i32", {}}), Ints{1});
  }

  Value swap_rows(const Value& a, const Value& i, const Value& best) {
    const Ints& dims = a.type.dims;
    const Value row = matrices_.row_index(dims);
    const Value is_here = emit_.compare("EQ", row, matrices_.everywhere(i, dims));
    const Value is_best = emit_.compare("EQ", row, matrices_.per_matrix(best, dims));
    const Value best_row = matrices_.sum(emit_.select(is_best, a, matrices_.like(0, a)), 1);
    const Value this_row = emit_.take(a, 1, i);
    return emit_.select(is_here, matrices_.as_rows(best_row, dims),
                        emit_.select(is_best, matrices_.as_rows(this_row, dims), a));
  }

  /// Subtracts multiples of row i from the rows below; the multiples are stored in column i.
  Value eliminate(const Value& a, const Value& i) {
    const Ints& dims = a.type.dims;
    const Value row = emit_.take(a, 1, i);
    const Value pivot = emit_.take(row, 1, i);
    const Value here = matrices_.everywhere(i, dims);
    const Value can_divide = emit_.compare("NE", pivot, matrices_.like(0, pivot));
    const Value is_below = emit_.binary("and", emit_.compare("GT", matrices_.row_index(dims), here),
                                        matrices_.per_matrix(can_divide, dims));
    const Value multiple = emit_.binary("divide", matrices_.as_columns(emit_.take(a, 2, i), dims),
                                        matrices_.per_matrix(pivot, dims));
    const Value rest = emit_.binary(
        "subtract", a, emit_.binary("multiply", multiple, matrices_.as_rows(row, dims)));
    const Value column = matrices_.column_index(dims);
    const Value changed =
        emit_.select(emit_.compare("GT", column, here), rest,
                     emit_.select(emit_.compare("EQ", column, here), multiple, a));
    return emit_.select(is_below, changed, a);
  }

  Emitter& emit_;
  Matrices& matrices_;
};

Values lower_lu_factor(const LowerArgs& args) {
  if (has_no_elements(args[0])) return zero_results(args);
  Matrices matrices(args.emit);
  const Value a = matrices.batch(args[0]);
  const Values factors =
      Elimination(args.emit, matrices).run(a, std::min(a.type.dims[1], a.type.dims[2]));
  return {matrices.result(factors[0], args.result(0)), matrices.result(factors[1], args.result(1))};
}

/// Elimination turns [a, b] into [u, y] with u x = y.
Values lower_solve(const LowerArgs& args) {
  if (has_no_elements(args[1])) return zero_results(args);
  Matrices matrices(args.emit);
  const Value both[] = {matrices.batch(args[0]), matrices.batch(args[1])};
  const int64_t n = both[0].type.dims[1];
  const Value uy = Elimination(args.emit, matrices).run(args.emit.concatenate(both, 2), n)[0];
  const Value x = solve_triangle(args.emit, matrices.part(uy, 2, 0, n),
                                 matrices.part(uy, 2, n, uy.type.dims[2]), false);
  return {matrices.result(x, args.result())};
}

Value product_of_rows(Emitter& emit, const Value& x) {
  return emit.reduce("multiply", x, emit.fill(1, {x.type.element, {}}), Ints{1});
}

/// From the pivots' signs, and from the number of swaps.
Values lower_slogdet(const LowerArgs& args) {
  Emitter& emit = args.emit;
  if (has_no_elements(args[0])) return {emit.fill(1, args.result(0)), emit.fill(0, args.result(1))};
  Matrices matrices(emit);
  const Value a = matrices.batch(args[0]);
  const Values factors = Elimination(emit, matrices).run(a, a.type.dims[1]);
  const Value pivot = matrices.diagonal(factors[0]);
  const Value zero = matrices.like(0, pivot);
  const Value one = matrices.like(1, pivot);
  const Value minus_one = matrices.like(-1, pivot);
  const Value own_row = emit.iota(1, factors[1].type);
  const Value swap_sign = emit.select(emit.compare("EQ", factors[1], own_row), one, minus_one);
  const Value pivot_sign =
      emit.select(emit.compare("EQ", pivot, zero), zero,
                  emit.select(emit.compare("LT", pivot, zero), minus_one, one));
  const Value sign = product_of_rows(emit, emit.binary("multiply", swap_sign, pivot_sign));
  const Value log_abs = matrices.sum(emit.unary("log", emit.unary("abs", pivot)), 1);
  return {matrices.result(sign, args.result(0)), matrices.result(log_abs, args.result(1))};
}

/// The transform in the other direction, without a scale, is the transform with the real and the
/// imaginary parts swapped before and after.
Values lower_fourier(const LowerArgs& args) {
  if (has_no_elements(args[0])) return zero_results(args);
  Emitter& emit = args.emit;
  const Type result = args.result();
  const std::string element = result.element == "f64" ? "f64" : "f32";
  const size_t first = args.attrs().flag("inverse") ? 1 : 0;
  const Type complex{"complex<" + element + ">", result.dims};
  const Value x = emit.op(
      "complex", {emit.convert(args[first], element), emit.convert(args[1 - first], element)},
      complex);
  const Value y = emit.op("fft", {x}, complex,
                          format("fft_type = #stablehlo<fft_type FFT>, fft_length = {}",
                                 i64_array(Ints{result.dims.back()})));
  const Type wide{element, result.dims};
  Values parts = {emit.convert(emit.op("real", {y}, wide), result.element),
                  emit.convert(emit.op("imag", {y}, wide), result.element)};
  if (first == 1) std::swap(parts[0], parts[1]);
  return parts;
}

constexpr Rule kLinalgRules[] = {
    {"cholesky", lower_cholesky},   {"triangular_solve", lower_triangular_solve},
    {"solve", lower_solve},         {"slogdet", lower_slogdet},
    {"lu_factor", lower_lu_factor}, {"fourier", lower_fourier},
};

}  // namespace

Rules linalg_rules() { return kLinalgRules; }

}  // namespace antler::pjrt

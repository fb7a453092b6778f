#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "pjrt/lowering/families.h"
#include "pjrt/lowering/matrices.h"

// Decompositions into orthogonal factors: by Householder reflections, and by Jacobi rotations in n
// / 2 planes at a time.
namespace antler::pjrt {
namespace {

constexpr int64_t kMostSweeps = 30;

double epsilon_of_element(const Type& type) {
  return type.element == "f64" ? std::numeric_limits<double>::epsilon()
                               : std::numeric_limits<float>::epsilon();
}

/// A number that is negligible compared to the square of a reflected vector's first element.
double smallest_of_element(const Type& type) {
  return type.element == "f64" ? std::numeric_limits<double>::min()
                               : std::numeric_limits<float>::min();
}

/// a = q r by reflections I - tau v v^T, with the signs of LAPACK's xGEQRF.
class Householder {
 public:
  Householder(Emitter& emit, Matrices& matrices) : emit_(emit), matrices_(matrices) {}

  /// q [batch, m, k] and r [batch, k, n] of a [batch, m, n].
  Values factors(const Value& a, int64_t k) {
    const int64_t batch = a.type.dims[0];
    const int64_t m = a.type.dims[1];
    const int64_t steps = std::min(m, a.type.dims[2]);
    const Value vectors = emit_.fill(0, {a.type.element, {batch, m, steps}});
    const Value taus = emit_.fill(0, {a.type.element, {batch, steps}});
    const Values reflected = matrices_.repeat(
        steps, false, {a, vectors, taus},
        [&](const Value& i, const Values& carried) { return reflect_column(i, carried); });
    const Value identity = matrices_.identity({a.type.element, {batch, m, k}});
    const Value q =
        matrices_.repeat(steps, true, {identity}, [&](const Value& i, const Values& carried) {
          return Values{
              apply(carried[0], emit_.take(reflected[1], 2, i), emit_.take(reflected[2], 1, i))};
        })[0];
    return {q, matrices_.upper_triangle(matrices_.part(reflected[0], 1, 0, k))};
  }

 private:
  /// (I - tau v v^T) x
  Value apply(const Value& x, const Value& v, const Value& tau) {
    const Ints& dims = x.type.dims;
    const Value columns = matrices_.as_columns(v, dims);
    const Value products = matrices_.sum(emit_.binary("multiply", columns, x), 1);
    const Value scaled =
        emit_.binary("multiply", products, emit_.broadcast(tau, Ints{0}, products.type.dims));
    return emit_.binary("subtract", x,
                        emit_.binary("multiply", columns, matrices_.as_rows(scaled, dims)));
  }

  /// Makes column i zero below its element i. A column that is already zero there is left
  /// unchanged.
  Values reflect_column(const Value& i, const Values& carried) {
    const Value column = emit_.take(carried[0], 2, i);
    const Ints& dims = column.type.dims;
    const Value row = emit_.iota(1, {"i32", dims});
    const Value here = matrices_.everywhere(i, dims);
    const Value zeros = matrices_.like(0, column);
    const Value tail = emit_.select(emit_.compare("GT", row, here), column, zeros);
    const Value square = matrices_.sum(emit_.binary("multiply", tail, tail), 1);
    const Value first = emit_.take(column, 1, i);
    const Value is_zero =
        emit_.compare("LE", square, matrices_.like(smallest_of_element(square.type), square));
    const Value length =
        emit_.unary("sqrt", emit_.binary("add", emit_.binary("multiply", first, first), square));
    const Value beta = emit_.select(emit_.compare("GE", first, matrices_.like(0, first)),
                                    emit_.unary("negate", length), length);
    const Value gap = emit_.binary("subtract", first, beta);
    const Value one = matrices_.like(1, gap);
    const Value divisor = emit_.select(is_zero, one, gap);
    const Value scaled = emit_.binary("divide", tail, matrices_.per_matrix(divisor, dims));
    const Value v = emit_.select(emit_.compare("EQ", row, here), matrices_.like(1, scaled), scaled);
    const Value tau = emit_.select(
        is_zero, matrices_.like(0, gap),
        emit_.unary("negate", emit_.binary("divide", gap, emit_.select(is_zero, one, beta))));
    const Value r = apply(carried[0], v, tau);
    return {r, emit_.put(carried[1], 2, i, v), emit_.put(carried[2], 1, i, tau)};
  }

  Emitter& emit_;
  Matrices& matrices_;
};

Values lower_qr(const LowerArgs& args) {
  if (args[0].type.num_elements() == 0) return zero_results(args);
  Matrices matrices(args.emit);
  const Type q = args.result(0);
  const Values factors =
      Householder(args.emit, matrices).factors(matrices.batch(args[0]), q.dims.back());
  return {matrices.result(factors[0], q), matrices.result(factors[1], args.result(1))};
}

/// Rotations of the planes (i, i + n / 2) of n dimensions. Between rounds the dimensions change
/// places like the players of a round-robin tournament: after n - 1 rounds, all pairs have met and
/// all dimensions are back in their old places.
class Rotations {
 public:
  Rotations(Emitter& emit, Matrices& matrices, int64_t n)
      : emit_(emit), matrices_(matrices), half_(n / 2) {}

  int64_t rounds() const { return 2 * half_ - 1; }
  Value upper(const Value& x, int64_t axis) { return matrices_.part(x, axis, 0, half_); }
  Value lower(const Value& x, int64_t axis) { return matrices_.part(x, axis, half_, 2 * half_); }

  struct Angles {
    Value cosine, sine;  ///< [batch, n / 2]
  };
  /// The rotations that make [[p, o], [o, q]] diagonal where `rotates` is true; no rotation
  /// elsewhere.
  /// Golub and Van Loan, "Matrix Computations", 8.5.2.
  Angles diagonalizing(const Value& p, const Value& q, const Value& o, const Value& rotates) {
    const Value one = matrices_.like(1, p);
    const Value zero = matrices_.like(0, p);
    const Value divisor = emit_.select(rotates, emit_.binary("add", o, o), one);
    const Value tau = emit_.binary("divide", emit_.binary("subtract", q, p), divisor);
    const Value root = hypotenuse(tau, one);
    const Value size =
        emit_.binary("divide", one, emit_.binary("add", emit_.unary("abs", tau), root));
    const Value tangent =
        emit_.select(emit_.compare("LT", tau, zero), emit_.unary("negate", size), size);
    const Value cosine = emit_.binary("divide", one, hypotenuse(tangent, one));
    return {emit_.select(rotates, cosine, one),
            emit_.select(rotates, emit_.binary("multiply", cosine, tangent), zero)};
  }

  /// Rotates the columns (axis 2) or rows (axis 1) of x.
  Value rotate(const Value& x, int64_t axis, const Angles& angles) {
    const Value p = upper(x, axis);
    const Value q = lower(x, axis);
    const auto spread = [&](const Value& v) {
      return emit_.broadcast(v, Ints{0, axis}, p.type.dims);
    };
    const Value c = spread(angles.cosine);
    const Value s = spread(angles.sine);
    const Value halves[] = {
        emit_.binary("subtract", emit_.binary("multiply", c, p), emit_.binary("multiply", s, q)),
        emit_.binary("add", emit_.binary("multiply", s, p), emit_.binary("multiply", c, q))};
    return emit_.concatenate(halves, axis);
  }

  /// The places for the next round.
  Value advance(const Value& x, int64_t axis) {
    if (half_ == 1) return x;
    const int64_t n = 2 * half_;
    Values parts;
    const auto add = [&](int64_t first, int64_t last) {
      if (first < last) parts.push_back(matrices_.part(x, axis, first, last));
    };
    add(0, 1);
    add(half_, half_ + 1);
    add(1, half_ - 1);
    add(half_ + 1, n);
    add(half_ - 1, half_);
    return emit_.concatenate(parts, axis);
  }

 private:
  /// Does not overflow: the larger number is factored out of the root.
  Value hypotenuse(const Value& x, const Value& one) {
    const Value size = emit_.unary("abs", x);
    const Value large = emit_.binary("maximum", size, one);
    const Value ratio = emit_.binary("divide", emit_.binary("minimum", size, one), large);
    const Value square = emit_.binary("add", one, emit_.binary("multiply", ratio, ratio));
    return emit_.binary("multiply", large, emit_.unary("sqrt", square));
  }

  Emitter& emit_;
  Matrices& matrices_;
  int64_t half_;
};

/// Runs sweeps until the flag `continues`, which a sweep stores in the last carried value, is
/// false.
Values repeat_sweeps(Emitter& emit, Values carried, const std::function<Values(const Values&)>& f) {
  const Type counter{"i32", {}};
  const Type flag{"i1", {}};
  carried.push_back(emit.fill_int(1, flag));
  carried.push_back(emit.fill_int(0, counter));
  std::vector<Type> types;
  for (const Value& v : carried) types.push_back(v.type);
  const size_t count = carried.size() - 2;
  const Emitter::Region regions[] = {
      {types,
       [&](const Values& v) {
         const Value few = emit.compare("LT", v[count + 1], emit.fill_int(kMostSweeps, counter));
         return Values{emit.binary("and", v[count], few)};
       }},
      {types, [&](const Values& v) {
         Values next = f(Values(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(count)));
         next.push_back(emit.binary("add", v[count + 1], emit.fill_int(1, counter)));
         return next;
       }}};
  Values last = emit.op_with_regions("while", carried, types, regions);
  last.resize(count);
  return last;
}

Value any_of(Emitter& emit, const Value& flags) {
  Ints axes;
  for (int64_t i = 0; i < flags.type.rank(); ++i) axes.push_back(i);
  return emit.reduce("or", flags, emit.fill_int(0, {"i1", {}}), axes);
}

/// Appends zeros so that the number of rows or columns becomes even.
Value padded_to_even(Emitter& emit, const Value& x, int64_t axis) {
  const auto a = static_cast<size_t>(axis);
  if (x.type.dims[a] % 2 == 0) return x;
  const Ints none(x.type.dims.size(), 0);
  Ints high = none;
  high[a] = 1;
  return emit.pad(x, emit.fill(0, {x.type.element, {}}), none, high, none);
}

/// Jacobi's method for a symmetric matrix.
class SymmetricJacobi {
 public:
  SymmetricJacobi(Emitter& emit, Matrices& matrices, int64_t n)
      : emit_(emit), matrices_(matrices), rotations_(emit, matrices, n + n % 2), n_(n) {}

  /// Ascending eigenvalues [batch, n] and the vectors, in columns. Reads the lower triangle of a.
  Values run(const Value& a) {
    const Value low = matrices_.lower_triangle(a);
    const Value diagonal = matrices_.diagonal(a);
    const Value on_diagonal = emit_.binary("multiply", matrices_.identity(a.type),
                                           matrices_.as_rows(diagonal, a.type.dims));
    const Value both = emit_.binary("add", low, matrices_.transposed(low));
    Value matrix = emit_.binary("subtract", both, on_diagonal);
    matrix = padded_to_even(emit_, padded_to_even(emit_, matrix, 1), 2);
    const Values last = repeat_sweeps(emit_, {matrix, matrices_.identity(matrix.type)},
                                      [&](const Values& v) { return sweep(v); });
    const Value values = matrices_.part(matrices_.diagonal(last[0]), 1, 0, n_);
    const Value vectors = matrices_.part(matrices_.part(last[1], 1, 0, n_), 2, 0, n_);
    const Value row = emit_.reshape(values, {values.type.dims[0], 1, n_});
    const Value sorted = matrices_.sorted_columns(row, values, false);
    return {emit_.reshape(sorted, values.type.dims),
            with_signs(matrices_.sorted_columns(vectors, values, false))};
  }

 private:
  /// The last component of each vector is not negative.
  Value with_signs(const Value& vectors) {
    const Value last =
        emit_.reshape(matrices_.part(vectors, 1, n_ - 1, n_), {vectors.type.dims[0], n_});
    const Value is_negative = emit_.compare("LT", last, matrices_.like(0, last));
    return emit_.select(matrices_.as_rows(is_negative, vectors.type.dims),
                        emit_.unary("negate", vectors), vectors);
  }

  Values sweep(const Values& carried) {
    Values next = matrices_.repeat(rotations_.rounds(), false, carried,
                                   [&](const Value&, const Values& v) { return round(v); });
    next.push_back(any_of(emit_, is_large_outside(next[0])));
    return next;
  }

  Values round(const Values& v) {
    const Value& a = v[0];
    const Value diagonal = matrices_.diagonal(a);
    const Value off = matrices_.diagonal(rotations_.lower(rotations_.upper(a, 1), 2));
    const Value rotates = emit_.compare("NE", off, matrices_.like(0, off));
    const auto angles = rotations_.diagonalizing(rotations_.upper(diagonal, 1),
                                                 rotations_.lower(diagonal, 1), off, rotates);
    const Value rotated =
        without_pairs(rotations_.rotate(rotations_.rotate(a, 1, angles), 2, angles));
    return {rotations_.advance(rotations_.advance(rotated, 1), 2),
            rotations_.advance(rotations_.rotate(v[1], 2, angles), 2)};
  }

  /// Sets elements to zero that the rotations made zero except for rounding errors.
  Value without_pairs(const Value& a) {
    const Ints& dims = a.type.dims;
    const Value distance = emit_.unary(
        "abs", emit_.binary("subtract", matrices_.row_index(dims), matrices_.column_index(dims)));
    const Value is_pair = emit_.compare("EQ", distance, emit_.fill_int(dims[1] / 2, distance.type));
    return emit_.select(is_pair, matrices_.like(0, a), a);
  }

  /// Whether the elements outside of the diagonal are larger than rounding errors, for each matrix.
  Value is_large_outside(const Value& a) {
    const Value square = emit_.binary("multiply", a, a);
    const Value all = matrices_.sum(matrices_.sum(square, 1), 1);
    const Value on_diagonal =
        emit_.compare("EQ", matrices_.row_index(a.type.dims), matrices_.column_index(a.type.dims));
    const Value outside = matrices_.sum(
        matrices_.sum(emit_.select(on_diagonal, matrices_.like(0, square), square), 1), 1);
    const double epsilon = epsilon_of_element(a.type);
    const Value limit = emit_.binary("multiply", all, matrices_.like(epsilon * epsilon, all));
    return emit_.compare("GT", outside, limit);
  }

  Emitter& emit_;
  Matrices& matrices_;
  Rotations rotations_;
  int64_t n_;
};

Values lower_eigh(const LowerArgs& args) {
  if (args[0].type.num_elements() == 0) return zero_results(args);
  Matrices matrices(args.emit);
  Value a = matrices.batch(args[0]);
  const Value scale = matrices.scale(a);
  a = args.emit.binary("divide", a, matrices.per_matrix(scale, a.type.dims));
  Values parts = SymmetricJacobi(args.emit, matrices, a.type.dims[1]).run(a);
  parts[0] = args.emit.binary("multiply", parts[0], matrices.per_matrix(scale, parts[0].type.dims));
  return {matrices.result(parts[0], args.result(0)), matrices.result(parts[1], args.result(1))};
}

/// Hestenes's method: rotates the columns of a matrix until they are orthogonal. Their lengths are
/// the singular values.
class OneSidedJacobi {
 public:
  OneSidedJacobi(Emitter& emit, Matrices& matrices, int64_t columns)
      : emit_(emit),
        matrices_(matrices),
        rotations_(emit, matrices, columns + columns % 2),
        columns_(columns) {}

  /// u [batch, m, k], s [batch, n] and v [batch, n, n] of a [batch, m, n], m >= n.
  Values run(const Value& a, int64_t k) {
    const Value start = padded_to_even(emit_, a, 2);
    const int64_t even = start.type.dims[2];
    const Type turns{a.type.element, {a.type.dims[0], even, even}};
    // For is_oblique(): anything smaller is only a rounding error.
    const Value total = matrices_.sum(matrices_.sum(emit_.binary("multiply", a, a), 1), 1);
    const double epsilon = epsilon_of_element(a.type);
    const Value limit =
        emit_.binary("multiply", matrices_.like(epsilon, total), emit_.unary("sqrt", total));
    const Values last = repeat_sweeps(emit_, {start, matrices_.identity(turns)},
                                      [&](const Values& v) { return sweep(v, limit); });
    const Value us = matrices_.part(last[0], 2, 0, columns_);
    const Value v = matrices_.part(matrices_.part(last[1], 1, 0, columns_), 2, 0, columns_);
    const Value s = emit_.unary("sqrt", matrices_.sum(emit_.binary("multiply", us, us), 1));
    const Value row = emit_.reshape(s, {s.type.dims[0], 1, columns_});
    return {directions(matrices_.sorted_columns(us, s, true), k),
            emit_.reshape(matrices_.sorted_columns(row, s, true), s.type.dims),
            matrices_.sorted_columns(v, s, true)};
  }

 private:
  /// Orthonormal columns in the directions of the columns of x, which are orthogonal; arbitrary
  /// ones for columns without a direction.
  Value directions(const Value& x, int64_t k) {
    const Values qr = Householder(emit_, matrices_).factors(x, k);
    const Value r = matrices_.diagonal(qr[1]);
    Value is_negative = emit_.compare("LT", r, matrices_.like(0, r));
    const Ints none{0, 0};
    is_negative = emit_.pad(is_negative, emit_.fill_int(0, {"i1", {}}), none,
                            Ints{0, k - r.type.dims[1]}, none);
    return emit_.select(matrices_.as_rows(is_negative, qr[0].type.dims),
                        emit_.unary("negate", qr[0]), qr[0]);
  }

  Values sweep(const Values& carried, const Value& limit) {
    Values start = carried;
    start.push_back(emit_.fill_int(0, {"i1", {}}));
    return matrices_.repeat(rotations_.rounds(), false, start,
                            [&](const Value&, const Values& v) { return round(v, limit); });
  }

  Values round(const Values& v, const Value& limit) {
    const Value p = rotations_.upper(v[0], 2);
    const Value q = rotations_.lower(v[0], 2);
    const auto dot = [&](const Value& x, const Value& y) {
      return matrices_.sum(emit_.binary("multiply", x, y), 1);
    };
    const Value pp = dot(p, p);
    const Value qq = dot(q, q);
    const Value pq = dot(p, q);
    const Value rotates = is_oblique(pp, qq, pq, limit);
    const auto angles = rotations_.diagonalizing(pp, qq, pq, rotates);
    return {rotations_.advance(rotations_.rotate(v[0], 2, angles), 2),
            rotations_.advance(rotations_.rotate(v[1], 2, angles), 2),
            emit_.binary("or", v[2], any_of(emit_, rotates))};
  }

  /// Whether the product of two columns is larger than rounding errors, relative to their lengths
  /// and to the whole matrix.
  Value is_oblique(const Value& pp, const Value& qq, const Value& pq, const Value& limit) {
    const Value size = emit_.unary("abs", pq);
    const Value longer = emit_.unary("sqrt", emit_.binary("maximum", pp, qq));
    const Value shorter = emit_.unary("sqrt", emit_.binary("minimum", pp, qq));
    const double epsilon = epsilon_of_element(pp.type) *
                           std::sqrt(static_cast<double>(std::max<int64_t>(columns_, 4)));
    const Value own = emit_.binary("multiply", matrices_.like(epsilon, shorter), shorter);
    const Value bound = emit_.binary("maximum", own, emit_.broadcast(limit, Ints{0}, pp.type.dims));
    return emit_.compare("GT", size, emit_.binary("multiply", longer, bound));
  }

  Emitter& emit_;
  Matrices& matrices_;
  Rotations rotations_;
  int64_t columns_;
};

/// A wide matrix is decomposed through its transpose.
Values lower_svd(const LowerArgs& args) {
  if (args[0].type.num_elements() == 0) return zero_results(args);
  Matrices matrices(args.emit);
  Value a = matrices.batch(args[0]);
  const bool is_wide = a.type.dims[1] < a.type.dims[2];
  if (is_wide) a = matrices.transposed(a);
  const Value scale = matrices.scale(a);
  a = args.emit.binary("divide", a, matrices.per_matrix(scale, a.type.dims));
  const int64_t k = args.attrs().flag("full") ? a.type.dims[1] : a.type.dims[2];
  Values parts = OneSidedJacobi(args.emit, matrices, a.type.dims[2]).run(a, k);
  parts[1] = args.emit.binary("multiply", parts[1], matrices.per_matrix(scale, parts[1].type.dims));
  if (is_wide) std::swap(parts[0], parts[2]);
  return {matrices.result(parts[0], args.result(0)), matrices.result(parts[1], args.result(1)),
          matrices.result(matrices.transposed(parts[2]), args.result(2))};
}

constexpr Rule kOrthogonalRules[] = {
    {"qr", lower_qr},
    {"eigh", lower_eigh},
    {"svd", lower_svd},
};

}  // namespace

Rules orthogonal_rules() { return kOrthogonalRules; }

}  // namespace antler::pjrt

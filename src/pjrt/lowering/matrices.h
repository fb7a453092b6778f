#pragma once

#include <functional>

#include "pjrt/lowering/families.h"

namespace antler::pjrt {

/// Writes operations on batches of matrices [batch, rows, columns] and of vectors [batch, n], for
/// decompositions. Work is done in float32 or float64.
class Matrices {
 public:
  explicit Matrices(Emitter& emit) : emit_(emit) {}

  /// batch(): a matrix [..., rows, columns] as a batch. result(): a result in the requested type.
  Value batch(const Value& x);
  Value result(const Value& x, const Type& type);

  /// Indices of rows or columns (axis 1 or 2), int32.
  Value row_index(const Ints& dims) { return emit_.iota(1, {"i32", dims}); }
  Value column_index(const Ints& dims) { return emit_.iota(2, {"i32", dims}); }
  Value identity(const Type& type);
  /// Elements on and above (below) the diagonal; zeros elsewhere.
  Value upper_triangle(const Value& x);
  Value lower_triangle(const Value& x);
  Value transposed(const Value& x);
  /// The diagonal [batch, min(rows, columns)].
  Value diagonal(const Value& x);

  // Repeated to `dims`: vectors along rows or columns, numbers [batch], and scalars.
  Value as_columns(const Value& x, const Ints& dims) {
    return emit_.broadcast(x, Ints{0, 1}, dims);
  }
  Value as_rows(const Value& x, const Ints& dims) { return emit_.broadcast(x, Ints{0, 2}, dims); }
  Value per_matrix(const Value& x, const Ints& dims) { return emit_.broadcast(x, Ints{0}, dims); }
  Value everywhere(const Value& x, const Ints& dims) { return emit_.broadcast(x, Ints{}, dims); }
  /// A value like x whose elements all equal `number`.
  Value like(double number, const Value& x) { return emit_.fill(number, x.type); }

  /// Sums over an axis, which is removed.
  Value sum(const Value& x, int64_t axis);
  /// Rows or columns first, ..., last - 1.
  Value part(const Value& x, int64_t axis, int64_t first, int64_t last);

  /// Orders the columns of each x by its keys [batch, columns].
  Value sorted_columns(const Value& x, const Value& keys, bool descending);

  /// The largest magnitude of each matrix, [batch]; 1 if it is zero or not finite. After division
  /// by it, squares of the elements neither overflow nor vanish.
  Value scale(const Value& x);

  /// Runs the body for i = 0, ..., count - 1, or the other way round.
  using Step = std::function<Values(const Value& i, const Values& carried)>;
  Values repeat(int64_t count, bool backwards, const Values& carried, const Step& step);

 private:
  Value triangle(const Value& x, const char* kept);

  Emitter& emit_;
};

/// Zeros if there is no matrix to decompose, as in the reference loops.
Values zero_results(const LowerArgs& args);

}  // namespace antler::pjrt

// Matrix decompositions as ops.
#include <algorithm>
#include <string>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/linalg.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "core/doubles.h"
#include "ops/families.h"
#include "ops/linalg/dense_solvers.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

using ir::InferArgs;
using ir::OpDef;
using ir::ReferenceArgs;
using ir::VjpArgs;

[[noreturn]] void fail_matrix(const char* op, const char* expected, const TensorSpec& spec) {
  throw ValueError("ops::{}: expected {}. Received: {}.", op, expected, spec_str(spec));
}

void require_matrix(const char* op, const TensorSpec& spec, bool square) {
  if (!is_floating(spec.dtype)) fail_matrix(op, "a floating dtype", spec);
  if (spec.shape.rank() < 2) fail_matrix(op, "a matrix [..., m, n]", spec);
  if (square && spec.shape.dim(-1) != spec.shape.dim(-2)) {
    fail_matrix(op, "a square matrix [..., n, n]", spec);
  }
}

/// The batch dimensions of `matrix`, followed by `dims`.
Shape after_batch(const Shape& matrix, std::initializer_list<int64_t> dims) {
  Shape shape(matrix.begin(), matrix.end() - 2);
  for (const int64_t d : dims) shape.push_back(d);
  return shape;
}

/// Calls f(index, rows, columns) for each matrix of a batch.
template <class F>
void each_matrix(const Tensor& x, const F& f) {
  const int64_t m = x.dim(-2);
  const int64_t n = x.dim(-1);
  const int64_t count = m * n == 0 ? 0 : x.size() / (m * n);
  for (int64_t i = 0; i < count; ++i) f(i, m, n);
}

/// The factors of matrices without elements, for which each_matrix() is not called.
void fill_with_identities(const Tensor& matrices) {
  std::vector<double> values(static_cast<size_t>(matrices.size()));
  const auto rows = static_cast<size_t>(matrices.dim(-2));
  const auto columns = static_cast<size_t>(matrices.dim(-1));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = i / columns % rows == i % columns ? 1 : 0;
  }
  store_doubles(matrices, values);
}

Tensor transposed(const Tensor& x) { return swapaxes(x, -1, -2); }

/// x * diag(by).
Tensor scale_columns(const Tensor& x, const Tensor& by) { return multiply(x, expand_dims(by, -2)); }

Tensor identity_like(const Tensor& x) { return eye(x.dim(-1), {}, 0, x.dtype()); }

/// The lower triangle with its diagonal halved.
Tensor half_lower(const Tensor& x) {
  return subtract(tril(x), multiply(multiply(x, identity_like(x)), 0.5));
}

Tensor triangular(const Tensor& a, const Tensor& b, bool lower);

constinit const OpDef kCholesky = {
    .name = "cholesky",
    .infer = [](const InferArgs& args) -> std::vector<TensorSpec> {
      require_matrix("cholesky", args.inputs[0], true);
      return {args.inputs[0]};
    },
    // Murray 2016, "Differentiation of the Cholesky decomposition".
    .vjp = [](const VjpArgs& v) -> Tensors {
      const Tensor& l = v.outputs[0];
      const Tensor inner_part = half_lower(matmul(transposed(l), tril(v.grads[0])));
      const Tensor left = triangular(transposed(l), inner_part, false);
      const Tensor both = transposed(triangular(transposed(l), transposed(left), false));
      // Only the lower triangle is an input.
      return {half_lower(add(both, transposed(both)))};
    },
    .reference =
        [](const ReferenceArgs& args) {
          const std::vector<double> a = args.inputs[0].to_doubles();
          std::vector<double> l(a.size());
          each_matrix(args.inputs[0], [&](int64_t i, int64_t n, int64_t) {
            dense::cholesky(n, a.data() + i * n * n, l.data() + i * n * n);
          });
          store_doubles(args.outputs[0], l);
        },
};

std::vector<TensorSpec> infer_solution(const char* op, const InferArgs& args) {
  require_matrix(op, args.inputs[0], true);
  require_matrix(op, args.inputs[1], false);
  const Shape& a = args.inputs[0].shape;
  const Shape& b = args.inputs[1].shape;
  if (args.inputs[0].dtype != args.inputs[1].dtype || a.rank() != b.rank() ||
      !std::equal(a.begin(), a.end() - 1, b.begin())) {
    throw ValueError("ops::{}: the shapes of `a` and `b` do not match. Received: {} and {}.", op,
                     spec_str(args.inputs[0]), spec_str(args.inputs[1]));
  }
  return {args.inputs[1]};
}

/// Calls solve(n, k, a, b, x) for each pair of matrices a [n, n] and b [n, k].
template <class F>
void solve_each(const ReferenceArgs& args, const F& solve) {
  const std::vector<double> a = args.inputs[0].to_doubles();
  const std::vector<double> b = args.inputs[1].to_doubles();
  std::vector<double> x(b.size());
  const int64_t n = args.inputs[0].dim(-1);
  each_matrix(args.inputs[1], [&](int64_t i, int64_t, int64_t k) {
    solve(n, k, a.data() + i * n * n, b.data() + i * n * k, x.data() + i * n * k);
  });
  store_doubles(args.outputs[0], x);
}

constinit const OpDef kTriangularSolve = {
    .name = "triangular_solve",
    .infer = [](const InferArgs& args) { return infer_solution("solve_triangular", args); },
    .vjp = [](const VjpArgs& v) -> Tensors {
      const bool lower = v.attrs.flag("lower");
      const Tensor b = triangular(transposed(v.inputs[0]), v.grads[0], !lower);
      const Tensor a = negative(matmul(b, transposed(v.outputs[0])));
      return {lower ? tril(a) : triu(a), b};
    },
    .reference =
        [](const ReferenceArgs& args) {
          solve_each(args, [lower = args.attrs.flag("lower")](int64_t n, int64_t k, const double* a,
                                                              const double* b, double* x) {
            dense::solve_triangular(n, k, a, b, lower, x);
          });
        },
};

Tensor triangular(const Tensor& a, const Tensor& b, bool lower) {
  return ir::emit_one(kTriangularSolve, {a, b}, {{"lower", lower}});
}

Tensor solution(const Tensor& a, const Tensor& b);

constinit const OpDef kSolve = {
    .name = "solve",
    .infer = [](const InferArgs& args) { return infer_solution("solve", args); },
    .vjp = [](const VjpArgs& v) -> Tensors {
      const Tensor b = solution(transposed(v.inputs[0]), v.grads[0]);
      return {negative(matmul(b, transposed(v.outputs[0]))), b};
    },
    .reference = [](const ReferenceArgs& args) { solve_each(args, dense::solve); },
};

Tensor solution(const Tensor& a, const Tensor& b) { return ir::emit_one(kSolve, {a, b}); }

constinit const OpDef kSlogDet = {
    .name = "slogdet",
    .infer = [](const InferArgs& args) -> std::vector<TensorSpec> {
      require_matrix("slogdet", args.inputs[0], true);
      const TensorSpec number{args.inputs[0].dtype, after_batch(args.inputs[0].shape, {})};
      return {number, number};
    },
    .vjp = [](const VjpArgs& v) -> Tensors {
      if (!v.grads[1].defined()) return {Tensor()};
      const Tensor weight = expand_dims(expand_dims(v.grads[1], -1), -1);
      return {multiply(transposed(inv(v.inputs[0])), weight)};
    },
    .reference =
        [](const ReferenceArgs& args) {
          const std::vector<double> a = args.inputs[0].to_doubles();
          std::vector<double> sign(static_cast<size_t>(args.outputs[0].size()), 1.0);
          std::vector<double> log_abs(sign.size(), 0.0);
          each_matrix(args.inputs[0], [&](int64_t i, int64_t n, int64_t) {
            dense::slogdet(n, a.data() + i * n * n, &sign[static_cast<size_t>(i)],
                           &log_abs[static_cast<size_t>(i)]);
          });
          store_doubles(args.outputs[0], sign);
          store_doubles(args.outputs[1], log_abs);
        },
};

Tensors no_vjp(const VjpArgs&) {
  throw NotImplementedError("ops::lu_factor and ops::eig have no gradient.");
}

constinit const OpDef kLu = {
    .name = "lu_factor",
    .infer = [](const InferArgs& args) -> std::vector<TensorSpec> {
      require_matrix("lu_factor", args.inputs[0], false);
      const Shape& shape = args.inputs[0].shape;
      return {args.inputs[0],
              {DType::int32, after_batch(shape, {std::min(shape.dim(-1), shape.dim(-2))})}};
    },
    .vjp = no_vjp,
    .reference =
        [](const ReferenceArgs& args) {
          const std::vector<double> a = args.inputs[0].to_doubles();
          std::vector<double> factors(a.size());
          std::vector<double> pivots(static_cast<size_t>(args.outputs[1].size()));
          each_matrix(args.inputs[0], [&](int64_t i, int64_t m, int64_t n) {
            dense::lu(m, n, a.data() + i * m * n, factors.data() + i * m * n,
                      pivots.data() + i * std::min(m, n));
          });
          store_doubles(args.outputs[0], factors);
          store_doubles(args.outputs[1], pivots);
        },
};

/// Seeger et al. 2017, "Auto-differentiating linear algebra", for reduced factors with m >= n.
Tensors qr_vjp(const VjpArgs& v) {
  const Tensor& q = v.outputs[0];
  const Tensor& r = v.outputs[1];
  if (q.dim(-1) != r.dim(-1)) {
    throw NotImplementedError(
        "ops::qr only has a gradient for reduced factors of matrices with at least as many rows as "
        "columns. Received: x.shape={}",
        v.inputs[0].shape());
  }
  const Tensor q_grad = v.grads[0].defined() ? v.grads[0] : zeros_like(q);
  const Tensor r_grad = v.grads[1].defined() ? triu(v.grads[1]) : zeros_like(r);
  const Tensor m = subtract(matmul(r, transposed(r_grad)), matmul(transposed(q_grad), q));
  const Tensor lower = tril(m, -1);
  const Tensor symmetric = add(add(lower, transposed(lower)), multiply(m, identity_like(m)));
  const Tensor right = add(q_grad, matmul(q, symmetric));
  // right * r^-T
  return {transposed(triangular(r, transposed(right), false))};
}

constinit const OpDef kQr = {
    .name = "qr",
    .infer = [](const InferArgs& args) -> std::vector<TensorSpec> {
      require_matrix("qr", args.inputs[0], false);
      const Shape& shape = args.inputs[0].shape;
      const int64_t m = shape.dim(-2);
      const int64_t n = shape.dim(-1);
      const int64_t k = args.attrs.flag("complete") ? m : std::min(m, n);
      return {{args.inputs[0].dtype, after_batch(shape, {m, k})},
              {args.inputs[0].dtype, after_batch(shape, {k, n})}};
    },
    .vjp = qr_vjp,
    .reference =
        [](const ReferenceArgs& args) {
          const std::vector<double> a = args.inputs[0].to_doubles();
          std::vector<double> q(static_cast<size_t>(args.outputs[0].size()));
          std::vector<double> r(static_cast<size_t>(args.outputs[1].size()));
          const int64_t k = args.outputs[0].dim(-1);
          each_matrix(args.inputs[0], [&](int64_t i, int64_t m, int64_t n) {
            dense::qr(m, n, a.data() + i * m * n, args.attrs.flag("complete"), q.data() + i * m * k,
                      r.data() + i * k * n);
          });
          if (args.inputs[0].size() == 0) return fill_with_identities(args.outputs[0]);
          store_doubles(args.outputs[0], q);
          store_doubles(args.outputs[1], r);
        },
};

/// 1 / (b_j - b_i) off the diagonal, 0 on it.
Tensor inverse_gaps(const Tensor& b) {
  const Tensor gaps = subtract(expand_dims(b, -2), expand_dims(b, -1));
  const Tensor diagonal_ones = eye(b.dim(-1), {}, 0, b.dtype());
  return divide(subtract(1, diagonal_ones), add(gaps, diagonal_ones));
}

constinit const OpDef kEigh = {
    .name = "eigh",
    .infer = [](const InferArgs& args) -> std::vector<TensorSpec> {
      require_matrix("eigh", args.inputs[0], true);
      const Shape& shape = args.inputs[0].shape;
      return {{args.inputs[0].dtype, after_batch(shape, {shape.dim(-1)})}, args.inputs[0]};
    },
    // Giles 2008, 3.1, for the symmetric part.
    .vjp = [](const VjpArgs& v) -> Tensors {
      const Tensor& w = v.outputs[0];
      const Tensor& vectors = v.outputs[1];
      Tensor middle = zeros_like(vectors);
      if (v.grads[0].defined()) middle = scale_columns(identity_like(vectors), v.grads[0]);
      if (v.grads[1].defined()) {
        middle = add(middle, multiply(inverse_gaps(w), matmul(transposed(vectors), v.grads[1])));
      }
      const Tensor whole = matmul(matmul(vectors, middle), transposed(vectors));
      // Only the lower triangle is an input.
      const Tensor symmetrized = add(whole, transposed(whole));
      return {half_lower(symmetrized)};
    },
    .reference =
        [](const ReferenceArgs& args) {
          const std::vector<double> a = args.inputs[0].to_doubles();
          std::vector<double> w(static_cast<size_t>(args.outputs[0].size()));
          std::vector<double> vectors(a.size());
          each_matrix(args.inputs[0], [&](int64_t i, int64_t n, int64_t) {
            dense::eigh(n, a.data() + i * n * n, w.data() + i * n, vectors.data() + i * n * n);
          });
          store_doubles(args.outputs[0], w);
          store_doubles(args.outputs[1], vectors);
        },
};

constinit const OpDef kEig = {
    .name = "eig",
    .infer = [](const InferArgs& args) -> std::vector<TensorSpec> {
      require_matrix("eig", args.inputs[0], true);
      const Shape& shape = args.inputs[0].shape;
      const TensorSpec values{args.inputs[0].dtype, after_batch(shape, {shape.dim(-1)})};
      return {values, values, args.inputs[0], args.inputs[0]};
    },
    .vjp = no_vjp,
    .reference =
        [](const ReferenceArgs& args) {
          const std::vector<double> a = args.inputs[0].to_doubles();
          std::vector<double> w_real(static_cast<size_t>(args.outputs[0].size()));
          std::vector<double> w_imag(w_real.size());
          std::vector<double> v_real(a.size());
          std::vector<double> v_imag(a.size());
          each_matrix(args.inputs[0], [&](int64_t i, int64_t n, int64_t) {
            dense::eig(n, a.data() + i * n * n, w_real.data() + i * n, w_imag.data() + i * n,
                       v_real.data() + i * n * n, v_imag.data() + i * n * n);
          });
          store_doubles(args.outputs[0], w_real);
          store_doubles(args.outputs[1], w_imag);
          store_doubles(args.outputs[2], v_real);
          store_doubles(args.outputs[3], v_imag);
        },
};

/// Townsend 2016, "Differentiating the singular value decomposition", for thin factors.
Tensors svd_vjp(const VjpArgs& v) {
  const Tensor& u = v.outputs[0];
  const Tensor& s = v.outputs[1];
  const Tensor& vt = v.outputs[2];
  if (u.dim(-1) != s.dim(-1) || vt.dim(-2) != s.dim(-1)) {
    throw NotImplementedError("ops::svd only has a gradient with full_matrices=false.");
  }
  const Tensor right = transposed(vt);
  const Tensor gaps = inverse_gaps(square(s));
  const Tensor diagonal_s = scale_columns(eye(s.dim(-1), {}, 0, s.dtype()), s);
  Tensor middle = zeros_like(diagonal_s);
  Tensor outside = zeros_like(v.inputs[0]);
  if (v.grads[1].defined()) {
    middle = scale_columns(eye(s.dim(-1), {}, 0, s.dtype()), v.grads[1]);
  }
  if (v.grads[0].defined()) {
    const Tensor part = matmul(transposed(u), v.grads[0]);
    const Tensor skew = multiply(gaps, subtract(part, transposed(part)));
    middle = add(middle, matmul(skew, diagonal_s));
    const Tensor rest = subtract(v.grads[0], matmul(u, part));
    outside = add(outside, matmul(scale_columns(rest, reciprocal(s)), vt));
  }
  if (v.grads[2].defined()) {
    const Tensor grad = transposed(v.grads[2]);
    const Tensor part = matmul(vt, grad);
    const Tensor skew = multiply(gaps, subtract(part, transposed(part)));
    middle = add(middle, matmul(diagonal_s, skew));
    const Tensor rest = subtract(grad, matmul(right, part));
    outside = add(outside, matmul(scale_columns(u, reciprocal(s)), transposed(rest)));
  }
  return {add(matmul(matmul(u, middle), vt), outside)};
}

constinit const OpDef kSvd = {
    .name = "svd",
    .infer = [](const InferArgs& args) -> std::vector<TensorSpec> {
      require_matrix("svd", args.inputs[0], false);
      const Shape& shape = args.inputs[0].shape;
      const DType dtype = args.inputs[0].dtype;
      const int64_t m = shape.dim(-2);
      const int64_t n = shape.dim(-1);
      const int64_t k = std::min(m, n);
      const bool full = args.attrs.flag("full");
      return {{dtype, after_batch(shape, {m, full ? m : k})},
              {dtype, after_batch(shape, {k})},
              {dtype, after_batch(shape, {full ? n : k, n})}};
    },
    .vjp = svd_vjp,
    .reference =
        [](const ReferenceArgs& args) {
          const std::vector<double> a = args.inputs[0].to_doubles();
          std::vector<double> u(static_cast<size_t>(args.outputs[0].size()));
          std::vector<double> s(static_cast<size_t>(args.outputs[1].size()));
          std::vector<double> vt(static_cast<size_t>(args.outputs[2].size()));
          const int64_t left = args.outputs[0].dim(-1);
          const int64_t right = args.outputs[2].dim(-2);
          each_matrix(args.inputs[0], [&](int64_t i, int64_t m, int64_t n) {
            dense::svd(m, n, a.data() + i * m * n, args.attrs.flag("full"), u.data() + i * m * left,
                       s.data() + i * std::min(m, n), vt.data() + i * right * n);
          });
          if (args.inputs[0].size() == 0) {
            fill_with_identities(args.outputs[0]);
            return fill_with_identities(args.outputs[2]);
          }
          store_doubles(args.outputs[0], u);
          store_doubles(args.outputs[1], s);
          store_doubles(args.outputs[2], vt);
        },
};

}  // namespace

OpSpan matrix_ops() {
  static constexpr const OpDef* kOps[] = {
      &kCholesky, &kTriangularSolve, &kSolve, &kSlogDet, &kLu, &kQr, &kEigh, &kEig, &kSvd};
  return kOps;
}

Tensor cholesky(const Tensor& x, CholeskyOptions options) {
  const Tensor l = ir::emit_one(kCholesky, {to_float("cholesky", x)});
  return options.upper ? transposed(l) : l;
}

namespace {

/// Calls `solver` with a and b of the same dtype and batch dimensions, and b as a matrix.
template <class Solver>
Tensor solve_by(const char* function, const Tensor& a, const Tensor& b, const Solver& solver) {
  Operands both{to_float(function, a), to_float(function, b)};
  const DType dtype = promote_types(both.x.dtype(), both.y.dtype());
  both = {to_dtype(both.x, dtype), to_dtype(both.y, dtype)};
  const bool vector = b.rank() == 1 || b.rank() == a.rank() - 1;
  if (vector) both.y = expand_dims(both.y, -1);
  require_matrix(function, both.x.spec(), true);
  require_matrix(function, both.y.spec(), false);
  const auto batch_of = [](const Tensor& x) {
    return Shape(x.shape().begin(), x.shape().end() - 2);
  };
  const Shape batch = broadcast_shape(function, batch_of(both.x), batch_of(both.y));
  const auto with_batch = [&](const Tensor& x) {
    Shape shape = batch;
    shape.push_back(x.dim(-2));
    shape.push_back(x.dim(-1));
    return expand_to(x, shape);
  };
  const Tensor x = solver(with_batch(both.x), with_batch(both.y));
  return vector ? squeeze(x, -1) : x;
}

}  // namespace

Tensor solve(const Tensor& a, const Tensor& b) { return solve_by("solve", a, b, solution); }

Tensor solve_triangular(const Tensor& a, const Tensor& b, SolveTriangularOptions options) {
  return solve_by("solve_triangular", a, b, [&](const Tensor& x, const Tensor& y) {
    return triangular(x, y, options.lower);
  });
}

SlogDet slogdet(const Tensor& x) {
  const Tensors both = ir::emit(kSlogDet, {to_float("slogdet", x)});
  return {both[0], both[1]};
}

LuFactors lu_factor(const Tensor& x) {
  const Tensors both = ir::emit(kLu, {to_float("lu_factor", x)});
  return {both[0], both[1]};
}

QrFactors qr(const Tensor& x, const std::string& mode) {
  if (mode != "reduced" && mode != "complete") {
    throw ValueError("ops::qr: `mode` must be 'reduced' or 'complete'. Received: mode={}.", mode);
  }
  const Tensors both = ir::emit(kQr, {to_float("qr", x)}, {{"complete", mode == "complete"}});
  return {both[0], both[1]};
}

Eigh eigh(const Tensor& x) {
  const Tensors both = ir::emit(kEigh, {to_float("eigh", x)});
  return {both[0], both[1]};
}

Eig eig(const Tensor& x) {
  const Tensors all = ir::emit(kEig, {to_float("eig", x)});
  return {{all[0], all[1]}, {all[2], all[3]}};
}

Svd svd(const Tensor& x, SvdOptions options) {
  const Tensors all = ir::emit(kSvd, {to_float("svd", x)}, {{"full", options.full_matrices}});
  return {all[0], all[1], all[2]};
}

}  // namespace antler::ops

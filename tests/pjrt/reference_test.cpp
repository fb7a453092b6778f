#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "antler/ir/tracer.h"
#include "antler/ops/core.h"
#include "antler/ops/linalg.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/op_list.h"
#include "pjrt/plugin_device.h"
#include "support/op_harness.h"

// Compares ops on the plug-in with the reference loops where StableHLO does not define the result:
// NaN, indices out of range, repeated indices, windows of all kinds. Also decompositions of larger
// matrices.
namespace antler::pjrt {
namespace {

using ReferenceOnDevice = test::OnDevice;
using ir::Ints;
using test::random_tensor;
using test::tensor_of;

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

test::OpCase op_case(const char* op, Tensors inputs, ir::Attrs attrs = {}, double tolerance = -1) {
  const std::string name =
      std::string(dtype_name(inputs[0].dtype())) + " " + inputs[0].shape().str();
  return {.op = op,
          .name = name,
          .inputs = std::move(inputs),
          .attrs = std::move(attrs),
          .tolerance = tolerance};
}

Tensors by_reference(const test::OpCase& c) {
  const ir::OpDef& op = *ops::find_op(c.op);
  std::vector<TensorSpec> specs;
  for (const Tensor& t : c.inputs) specs.push_back(t.spec());
  Tensors outputs;
  for (const TensorSpec& spec : op.infer({specs, c.attrs, c.regions}))
    outputs.push_back(Tensor::empty(spec.dtype, spec.shape));
  op.reference({c.inputs, outputs, c.attrs, c.regions});
  return outputs;
}

Tensors on_device(const test::OpCase& c) {
  std::string reason;
  const std::optional<Tensors> results = test::run_on_device(c, reason);
  EXPECT_TRUE(results.has_value()) << reason;
  return results.value_or(Tensors());
}

void expect_as_reference(const test::OpCase& c) {
  SCOPED_TRACE(c.op + ": " + c.name);
  const Tensors expected = by_reference(c);
  const Tensors actual = on_device(c);
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    test::expect_close(actual[i], expected[i].to_doubles(), c.tolerance);
}

TEST_F(ReferenceOnDevice, IndicesOutOfRange) {
  const Tensor x = random_tensor(DType::float32, {5, 3});
  const Tensor rows = random_tensor(DType::float32, {4, 3}, -1, 1, 2);
  for (const DType dtype : {DType::int8, DType::uint8, DType::int32, DType::uint32, DType::int64}) {
    const Tensor indices = tensor_of(dtype, {4}, {0, 4, 127, 5});
    expect_as_reference(op_case("gather", {x, indices}, {{"axis", int64_t{0}}}));
    expect_as_reference(op_case("scatter", {x, indices, rows},
                                {{"axis", int64_t{0}}, {"mode", std::string("add")}}));
    const Tensor corner = tensor_of(dtype, {2}, {100, 1});
    expect_as_reference(op_case("dynamic_slice", {x, corner}, {{"sizes", Ints{2, 2}}}));
    expect_as_reference(
        op_case("dynamic_update_slice", {x, tensor_of(DType::float32, {1, 2}, {7, 8}), corner}));
  }
  const Tensor low = tensor_of(DType::int8, {3}, {-128, -1, 2});
  expect_as_reference(op_case("gather", {x, low}, {{"axis", int64_t{1}}}));
}

TEST_F(ReferenceOnDevice, ScattersInOrder) {
  const Tensor x = tensor_of(DType::float32, {4}, {1, kNotANumber, 3, 4});
  const Tensor indices = tensor_of(DType::int32, {7}, {0, 0, 1, 2, 2, -1, 0});
  const Tensor updates = tensor_of(DType::float32, {7}, {5, kNotANumber, 9, kNotANumber, 1, 2, 4});
  for (const char* mode : {"set", "max", "min"}) {
    expect_as_reference({.op = "scatter",
                         .name = mode,
                         .inputs = {x, indices, updates},
                         .attrs = {{"axis", int64_t{0}}, {"mode", std::string(mode)}}});
  }
  for (const char* mode : {"set", "add", "mul", "max", "min"}) {
    const Tensor flags = tensor_of(DType::boolean, {3}, {1, 0, 1});
    expect_as_reference({.op = "scatter_nd",
                         .name = mode,
                         .inputs = {flags, tensor_of(DType::int64, {3, 1}, {0, 1, 1}),
                                    tensor_of(DType::boolean, {3}, {0, 1, 0})},
                         .attrs = {{"mode", std::string(mode)}}});
  }
}

// And a y that is the same in all steps.
TEST_F(ReferenceOnDevice, ScansRowsWithoutElements) {
  ir::Tracer tracer;
  const Tensor carry = tracer.input({DType::float32, {2}});
  const Tensor empty = tracer.input({DType::float32, {0}});
  const Tensor outer = tracer.input({DType::float32, {2}});
  const Tensors results = {ops::add(carry, outer), empty, outer};
  test::OpCase c =
      op_case("scan",
              {random_tensor(DType::float32, {2}), random_tensor(DType::float32, {3, 0}),
               random_tensor(DType::float32, {2}, -1, 1, 2)},
              {{"num_carry", int64_t{1}},
               {"num_xs", int64_t{1}},
               {"length", int64_t{3}},
               {"reverse", true}});
  c.regions = {std::make_shared<const ir::Graph>(tracer.finish(results).graph)};
  expect_as_reference(c);
}

/// Windows of `size` elements, with and without NaN in x.
void check_windows(int64_t size, int64_t stride, int64_t dilation, int64_t padding) {
  Tensor x = random_tensor(DType::float32, {2, 31}, -2, 2);
  const ir::Attrs attrs = {{"window", Ints{1, size}},
                           {"strides", Ints{1, stride}},
                           {"dilations", Ints{1, dilation}},
                           {"pad_low", Ints{0, padding}},
                           {"pad_high", Ints{1, padding}}};
  for (const bool has_nan : {false, true}) {
    if (has_nan) {
      for (const int64_t i : {0, 4, 5, 17, 40}) x.mutable_data<float>()[i] = std::nanf("");
    }
    for (const char* op : {"max", "min"}) {
      ir::Attrs own = attrs;
      own.set("op", std::string(op));
      const std::string name = std::to_string(size) + (has_nan ? " NaN " : " ") + op;
      test::OpCase c{.op = "reduce_window", .name = name, .inputs = {x}, .attrs = own};
      const Shape places = by_reference(c)[0].shape();
      expect_as_reference(c);
      c.op = "select_window";
      c.inputs = {x, random_tensor(DType::float32, x.shape(), -1, 1, 3)};
      expect_as_reference(c);
      c.op = "select_and_scatter_add";
      c.inputs = {x, random_tensor(DType::float32, places, -1, 1, 4)};
      expect_as_reference(c);
    }
  }
}

TEST_F(ReferenceOnDevice, Windows) {
  check_windows(2, 2, 1, 0);
  check_windows(3, 2, 1, 2);
  check_windows(4, 1, 2, 3);
  // Too many elements to be unrolled.
  Tensor x = random_tensor(DType::float32, {1, 90}, -2, 2);
  for (const int64_t padding : {0, 40}) {
    for (const char* op : {"max", "min"}) {
      test::OpCase c{.op = "select_and_scatter_add",
                     .name = op,
                     .inputs = {x, {}},
                     .attrs = {{"window", Ints{1, 35}},
                               {"strides", Ints{1, 5}},
                               {"dilations", Ints{1, 2}},
                               {"pad_low", Ints{0, padding}},
                               {"pad_high", Ints{0, 70}},
                               {"op", std::string(op)}}};
      test::OpCase forward = c;
      forward.op = "reduce_window";
      forward.inputs = {x};
      c.inputs[1] = random_tensor(DType::float32, by_reference(forward)[0].shape(), -1, 1, 4);
      expect_as_reference(c);
      c.op = "select_window";
      c.inputs[1] = random_tensor(DType::float32, x.shape(), -1, 1, 3);
      expect_as_reference(c);
    }
  }
}

Tensor flipped(const Tensor& x) { return ops::swapaxes(x, -1, -2); }

void expect_equal(const Tensor& actual, const Tensor& expected, double tolerance) {
  ASSERT_EQ(actual.shape(), expected.shape());
  test::expect_close(actual, expected.to_doubles(), tolerance);
}

void expect_orthonormal_columns(const Tensor& x, double tolerance) {
  const Tensor gram = ops::matmul(flipped(x), x);
  expect_equal(gram, ops::broadcast_to(ops::eye(gram.dim(-1), {}, 0, x.dtype()), gram.shape()),
               tolerance);
}

/// float32 and float64, of several shapes and sizes.
Tensors matrices() {
  Tensors all = {random_tensor(DType::float64, {2, 7, 7}), random_tensor(DType::float64, {6, 9}),
                 ops::multiply(random_tensor(DType::float32, {6, 6}), 1e-25)};
  for (const Shape& shape : {Shape{1, 1}, Shape{2, 2}, Shape{5, 3}, Shape{2, 4, 4}, Shape{1, 7},
                             Shape{7, 1}, Shape{19, 19}, Shape{40, 23}}) {
    all.push_back(random_tensor(DType::float32, shape, -3, 3));
  }
  return all;
}

/// And matrices that are not of full rank.
Tensors all_matrices() {
  Tensors all = matrices();
  const Tensor thin = random_tensor(DType::float32, {9, 2});
  all.push_back(ops::matmul(thin, random_tensor(DType::float32, {2, 6}, -1, 1, 2)));
  all.push_back(ops::zeros(Shape{4, 3}, DType::float32));
  return all;
}

double precision_of(const Tensor& x) { return x.dtype() == DType::float32 ? 2e-5 : 1e-12; }

TEST_F(ReferenceOnDevice, OrthogonalFactors) {
  for (const Tensor& a : all_matrices()) {
    for (const bool complete : {false, true}) {
      if (complete && a.dim(-2) <= a.dim(-1)) continue;  // the same
      const test::OpCase c = op_case("qr", {a}, {{"complete", complete}});
      SCOPED_TRACE("qr of " + a.shape().str());
      const Tensors factors = on_device(c);
      expect_equal(ops::matmul(factors[0], factors[1]), a, precision_of(a));
      expect_orthonormal_columns(factors[0], precision_of(a));
      expect_equal(ops::triu(factors[1]), factors[1], 0);
    }
  }
}

TEST_F(ReferenceOnDevice, SingularValues) {
  for (const Tensor& a : all_matrices()) {
    for (const bool full : {false, true}) {
      if (full && a.dim(-2) == a.dim(-1)) continue;  // the same
      const test::OpCase c = op_case("svd", {a}, {{"full", full}});
      SCOPED_TRACE("svd of " + a.shape().str());
      const Tensors parts = on_device(c);
      expect_equal(parts[1], by_reference(c)[1], precision_of(a));
      expect_orthonormal_columns(parts[0], precision_of(a));
      expect_orthonormal_columns(flipped(parts[2]), precision_of(a));
      const int64_t k = parts[1].dim(-1);
      const Tensor u = ops::slice_axis(parts[0], -1, 0, k);
      const Tensor vt = ops::slice_axis(parts[2], -2, 0, k);
      expect_equal(ops::matmul(ops::multiply(u, ops::expand_dims(parts[1], -2)), vt), a,
                   precision_of(a));
    }
  }
}

TEST_F(ReferenceOnDevice, Eigenvalues) {
  for (const Tensor& x : matrices()) {
    if (x.dim(-1) != x.dim(-2)) continue;
    const Tensor a = ops::add(x, flipped(x));
    const test::OpCase c = op_case("eigh", {x});
    const test::OpCase symmetric = op_case("eigh", {a});
    SCOPED_TRACE("eigh of " + a.shape().str());
    expect_equal(on_device(c)[0], by_reference(c)[0], precision_of(a));
    const Tensors parts = on_device(symmetric);
    expect_equal(parts[0], by_reference(symmetric)[0], precision_of(a));
    expect_orthonormal_columns(parts[1], precision_of(a));
    expect_equal(ops::matmul(a, parts[1]), ops::multiply(parts[1], ops::expand_dims(parts[0], -2)),
                 10 * precision_of(a));
  }
}

TEST_F(ReferenceOnDevice, TriangularFactors) {
  for (const Tensor& a : matrices()) {
    expect_as_reference({.op = "lu_factor",
                         .name = a.shape().str(),
                         .inputs = {a},
                         .tolerance = 10 * precision_of(a)});
    if (a.dim(-1) != a.dim(-2) || std::fabs(a.to_doubles()[0]) < 1e-20) continue;
    Shape right = a.shape();
    right[right.rank() - 1] = 3;
    const Tensor b = random_tensor(a.dtype(), right);
    expect_as_reference(op_case("solve", {a, b}, {}, 1e3 * precision_of(a)));
    expect_as_reference(op_case("slogdet", {a}, {}, 10 * precision_of(a)));
    const Tensor product = ops::matmul(a, flipped(a));
    expect_as_reference(op_case("cholesky", {product}, {}, 1e2 * precision_of(a)));
  }
  const Tensor singular = tensor_of(DType::float32, {2, 2, 2}, {1, 2, 2, 4, 0, 0, 0, 0});
  expect_as_reference(op_case("slogdet", {singular}));
  expect_as_reference(op_case("lu_factor", {singular}));
  const Tensor indefinite = tensor_of(DType::float32, {2, 2, 2}, {1, 2, 2, 1, 4, 2, 2, 3});
  expect_as_reference(op_case("cholesky", {indefinite}));
}

TEST_F(ReferenceOnDevice, ShortFloats) {
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    const Tensor a = tensor_of(dtype, {2, 2}, {4, 2, 2, 3});
    for (const char* op : {"cholesky", "slogdet", "lu_factor"}) {
      expect_as_reference(op_case(op, {a}, {}, 0.01));
    }
    expect_as_reference(op_case("solve", {a, a}, {}, 0.01));
    expect_as_reference(op_case("fourier", {a, a}, {{"inverse", true}}, 0.01));
  }
}

}  // namespace
}  // namespace antler::pjrt

#include "runtime/cpu/jit/jit.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/core/dispatch.h"
#include "runtime/nest_oracle.h"

namespace antler::runtime::jit {
namespace {

using compiler::Fold;
using compiler::LoopNest;
using test::addresses;
using test::copy;
using test::expect_close;
using test::interpret;
using test::NestBuilder;
using test::random_tensor;

Compiler& baseline() {
  static Compiler compiler(CpuTarget::baseline());
  return compiler;
}

/// Runs a nest compiled for the host and for the baseline, whole, in uneven parts, and as a
/// program, and compares with the interpreter. Parts must give the same bits as the whole.
void check(const LoopNest& nest, const std::vector<Tensor>& buffers, double tolerance = 1e-6) {
  std::vector<Tensor> expected;
  expected.reserve(buffers.size());
  for (const Tensor& t : buffers) expected.push_back(copy(t));
  interpret(nest, expected);
  const LoopNest* pointer = &nest;
  for (Compiler* compiler : {&Compiler::instance(), &baseline()}) {
    const std::string what = (compiler == &baseline() ? "baseline:\n" : "host:\n") + print(nest);
    const Kernel kernel = compiler->compile({&pointer, 1})[0];
    std::vector<Tensor> whole;
    std::vector<Tensor> parts;
    std::vector<Tensor> stepped;
    for (const Tensor& t : buffers) {
      whole.push_back(copy(t));
      parts.push_back(copy(t));
      stepped.push_back(copy(t));
    }
    kernel.fn(addresses(whole).data(), 0, kernel.range);
    const int64_t cut = kernel.range / 3;
    kernel.fn(addresses(parts).data(), cut, kernel.range);
    kernel.fn(addresses(parts).data(), 0, cut);
    kernel.fn(addresses(parts).data(), cut, cut);
    std::vector<int> ids;
    for (size_t i = 0; i < buffers.size(); ++i) ids.push_back(static_cast<int>(i));
    compiler->compile_program({&pointer, 1}, {&ids, 1})(addresses(stepped).data());
    for (size_t i = 0; i < buffers.size(); ++i) {
      expect_close(whole[i], expected[i], tolerance, what);
      EXPECT_EQ(std::memcmp(whole[i].data(), parts[i].data(), whole[i].bytes()), 0) << what;
      expect_close(stepped[i], expected[i], tolerance, "program, " + what);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

Tensor zeros(DType dtype, int64_t size) { return Tensor::zeros(dtype, {size}); }

class Sizes : public testing::TestWithParam<int64_t> {};
INSTANTIATE_TEST_SUITE_P(Odd, Sizes, testing::Values(0, 1, 2, 7, 8, 13, 32, 33, 100, 257),
                         [](const auto& info) { return format("{}_elements", info.param); });

TEST_P(Sizes, ElementwiseChain) {
  const int64_t n = GetParam();
  NestBuilder b({n});
  const int x = b.input(DType::float32);
  const int y = b.input(DType::float32);
  const int z = b.output(DType::float32);
  b.phase();
  const int sum = b.op("add", {b.load(x, {1}), b.op("mul", {b.load(y, {1}), b.number(2.5)})});
  b.store(z, b.op("max", {sum, b.number(0)}), {1});
  check(b.nest(), {random_tensor(DType::float32, n, 1), random_tensor(DType::float32, n, 2),
                   zeros(DType::float32, n)});
}

TEST_P(Sizes, RowSoftmax) {
  const int64_t n = GetParam();
  const int64_t rows = 5;
  NestBuilder b({rows});
  const int x = b.input(DType::float32);
  const int y = b.output(DType::float32);
  b.phase({n});
  b.fold(Fold::max, b.load(x, {n}, {1}));
  b.phase({n});
  b.fold(Fold::sum, b.op("exp", {b.op("sub", {b.load(x, {n}, {1}), b.row(0, 0)})}));
  b.phase({n});
  const int e = b.op("exp", {b.op("sub", {b.load(x, {n}, {1}), b.row(0, 0)})});
  b.store(y, b.op("div", {e, b.row(1, 0)}), {n}, {1});
  check(b.nest(), {random_tensor(DType::float32, rows * n, 3), zeros(DType::float32, rows * n)});
}

TEST_P(Sizes, ColumnSums) {
  const int64_t n = GetParam();
  const int64_t rows = 19;
  NestBuilder b({n});
  const int x = b.input(DType::float32);
  const int sums = b.output(DType::float32);
  const int highest = b.output(DType::float32);
  b.phase({rows});
  const int v = b.load(x, {1}, {n});
  b.fold(Fold::sum, b.op("mul", {v, v}));
  b.fold(Fold::max, v);
  b.phase();
  b.store(sums, b.op("sqrt", {b.row(0, 0)}), {1});
  b.store(highest, b.row(0, 1), {1});
  check(b.nest(), {random_tensor(DType::float32, rows * n, 4), zeros(DType::float32, n),
                   zeros(DType::float32, n)});
}

TEST_P(Sizes, FullReduction) {
  const int64_t n = GetParam();
  NestBuilder b({});
  const int x = b.input(DType::float64);
  const int y = b.output(DType::float64);
  b.phase({n});
  const int v = b.load(x, {}, {1});
  b.fold(Fold::sum, v);
  b.fold(Fold::min, v);
  b.phase();
  b.store(y, b.row(0, 0, DType::float64), {});
  b.store(y, b.row(0, 1, DType::float64), {}, {}, 1);
  check(b.nest(), {random_tensor(DType::float64, n, 5), zeros(DType::float64, 2)}, 1e-12);
}

/// c[m, n] = relu(sum_k a[m, k] b[k, n] + bias[n]), with either factor stored transposed.
void check_matmul(int64_t m, int64_t n, int64_t k, bool transpose_a, bool transpose_b) {
  NestBuilder builder({m, n});
  const int a = builder.input(DType::float32);
  const int b = builder.input(DType::float32);
  const int bias = builder.input(DType::float32);
  const int c = builder.output(DType::float32);
  builder.phase({k});
  const int x = transpose_a ? builder.load(a, {1, 0}, {m}) : builder.load(a, {k, 0}, {1});
  const int y = transpose_b ? builder.load(b, {0, k}, {1}) : builder.load(b, {0, 1}, {n});
  builder.fold(Fold::sum, builder.op("mul", {x, y}));
  builder.phase();
  const int sum = builder.op("add", {builder.row(0, 0), builder.load(bias, {0, 1})});
  builder.store(c, builder.op("max", {sum, builder.number(0)}), {n, 1});
  check(builder.nest(),
        {random_tensor(DType::float32, m * k, 6), random_tensor(DType::float32, k * n, 7),
         random_tensor(DType::float32, n, 8), zeros(DType::float32, m * n)},
        5e-5);
}

TEST_P(Sizes, SmallMatmul) {
  const int64_t n = GetParam();
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      check_matmul(6, n, 9, transpose_a, transpose_b);
      check_matmul(n, 10, 4, transpose_a, transpose_b);
      check_matmul(3, 5, n, transpose_a, transpose_b);
    }
  }
}

TEST_P(Sizes, TransposedAccess) {
  const int64_t n = GetParam();
  const int64_t m = 11;
  NestBuilder b({m, n});
  const int x = b.input(DType::float32);
  const int y = b.input(DType::float32);
  const int z = b.output(DType::float32);
  b.phase();
  b.store(z, b.op("sub", {b.load(x, {1, m}), b.load(y, {n, 1})}), {n, 1});
  check(b.nest(), {random_tensor(DType::float32, n * m, 9),
                   random_tensor(DType::float32, n * m, 10), zeros(DType::float32, n * m)});
}

TEST_P(Sizes, ReversedAndStrided) {
  const int64_t n = GetParam();
  if (n == 0) return;
  NestBuilder b({n});
  const int x = b.input(DType::float32);
  const int y = b.output(DType::float32);
  b.phase();
  b.store(y, b.op("add", {b.load(x, {-1}, {}, n - 1), b.load(x, {2})}), {3}, {}, 1);
  check(b.nest(), {random_tensor(DType::float32, 2 * n, 11), zeros(DType::float32, 3 * n + 1)});
}

TEST_P(Sizes, BooleansAndIndices) {
  const int64_t n = GetParam();
  NestBuilder b({n});
  const int flags = b.input(DType::boolean);
  const int x = b.input(DType::int32);
  const int y = b.output(DType::float32);
  const int z = b.output(DType::boolean);
  b.phase();
  const int i = b.index(DType::int32, {3}, {}, -5);
  const int small = b.op("lt", {b.load(x, {1}), i}, DType::boolean);
  const int both = b.op("xor", {small, b.load(flags, {1})});
  const int number = b.op("convert", {b.op("mul", {i, i})}, DType::float32);
  b.store(y, b.op("select", {both, number, b.number(-1)}), {1});
  b.store(z, b.op("not", {both}), {1});
  check(b.nest(),
        {random_tensor(DType::boolean, n, 12), random_tensor(DType::int32, n, 13, -50, 500),
         zeros(DType::float32, n), zeros(DType::boolean, n)});
}

/// Half types: every op rounds, so results equal those of the reference loops bit for bit.
TEST_P(Sizes, HalfTypesRoundAfterEveryOp) {
  const int64_t n = GetParam();
  for (const DType dtype : {DType::bfloat16, DType::float16}) {
    NestBuilder b({n});
    const int x = b.input(dtype);
    const int y = b.input(dtype);
    const int z = b.output(dtype);
    const int wide = b.output(DType::float32);
    b.phase();
    const int u = b.load(x, {1});
    const int v = b.load(y, {1});
    const int product = b.op("mul", {u, v});
    const int result = b.op("sub", {b.op("div", {product, b.number(3, dtype)}), b.op("abs", {u})});
    b.store(z, result, {1});
    b.store(wide, b.op("convert", {product}, DType::float32), {1});
    check(b.nest(),
          {random_tensor(dtype, n, 14), random_tensor(dtype, n, 15), zeros(dtype, n),
           zeros(DType::float32, n)},
          0);
  }
}

TEST(Jit, HalfTypesKeepSpecialValues) {
  for (const DType dtype : {DType::bfloat16, DType::float16}) {
    const float inf = std::numeric_limits<float>::infinity();
    // vcvtneps2bf16 flushes subnormals to zero, as all kernels of a program do.
    const float tiny = dtype == DType::bfloat16 ? 1.2e-38F : 1e-40F;
    const std::vector<float> values = {
        0.F,     -0.F,  inf,    -inf, std::nanf(""), 65504.F,  65520.F,  1e-8F,    5.96e-8F,
        6.1e-5F, 1e30F, -3e38F, tiny, 2.049e3F,      3.14159F, 6.09e-5F, 2.98e-8F, 2.99e-8F};
    const auto n = static_cast<int64_t>(values.size());
    NestBuilder b({n});
    const int x = b.input(DType::float32);
    const int half = b.output(dtype);
    const int y = b.output(DType::float32);
    b.phase();
    const int h = b.op("convert", {b.load(x, {1})}, dtype);
    b.store(half, h, {1});
    b.store(y, b.op("convert", {h}, DType::float32), {1});
    check(b.nest(), {Tensor::of(values), zeros(dtype, n), zeros(DType::float32, n)}, 0);
  }
}

TEST(Jit, HalfReductionAccumulatesInFloat) {
  const int64_t n = 1000;
  NestBuilder b({3});
  const int x = b.input(DType::bfloat16);
  const int y = b.output(DType::bfloat16);
  const int wide = b.output(DType::float32);
  b.phase({n});
  b.fold(Fold::sum, b.load(x, {n}, {1}));
  b.phase();
  b.store(y, b.row(0, 0, DType::bfloat16), {1});
  b.store(wide, b.row(0, 0, DType::float32), {1});
  check(b.nest(),
        {random_tensor(DType::bfloat16, 3 * n, 16, 0, 1), zeros(DType::bfloat16, 3),
         zeros(DType::float32, 3)},
        1e-5);
}

TEST(Jit, IntegerFoldsWrapAround) {
  for (const DType dtype : {DType::int8, DType::uint8, DType::int16, DType::uint16, DType::int32,
                            DType::uint32, DType::int64, DType::uint64}) {
    NestBuilder b({3});
    const int x = b.input(dtype);
    const int y = b.output(dtype);
    b.phase({37});
    const int v = b.load(x, {37}, {1});
    for (const Fold fold : {Fold::sum, Fold::prod, Fold::max, Fold::min}) b.fold(fold, v);
    b.phase();
    for (int r = 0; r < 4; ++r) b.store(y, b.row(0, r, dtype), {4}, {}, r);
    check(b.nest(), {random_tensor(dtype, int64_t{3} * 37, 17, -100, 100), zeros(dtype, 12)}, 0);
  }
}

TEST(Jit, AnyAndAll) {
  NestBuilder b({4});
  const int x = b.input(DType::float32);
  const int y = b.output(DType::boolean);
  b.phase({21});
  const int above = b.op("gt", {b.load(x, {21}, {1}), b.number(-3.7)}, DType::boolean);
  b.fold(Fold::any, b.op("not", {above}));
  b.fold(Fold::all, above);
  b.phase();
  b.store(y, b.row(0, 0, DType::boolean), {2});
  b.store(y, b.row(0, 1, DType::boolean), {2}, {}, 1);
  check(b.nest(), {random_tensor(DType::float32, 84, 18), zeros(DType::boolean, 8)}, 0);
}

TEST(Jit, NanWinsInExtremaAndSurvivesRelu) {
  const float nan = std::nanf("");
  std::vector<float> values(40, 1.F);
  values[33] = nan;
  NestBuilder b({2});
  const int x = b.input(DType::float32);
  const int y = b.output(DType::float32);
  b.phase({20});
  const int v = b.load(x, {20}, {1});
  b.fold(Fold::max, v);
  b.fold(Fold::min, v);
  b.fold(Fold::sum, b.op("max", {v, b.number(0)}));
  b.phase();
  for (int r = 0; r < 3; ++r) b.store(y, b.row(0, r), {3}, {}, r);
  check(b.nest(), {Tensor::of(values), zeros(DType::float32, 6)}, 0);
}

TEST(Jit, BroadcastsOfRankThree) {
  NestBuilder b({3, 5, 14});
  const int x = b.input(DType::float32);
  const int row = b.input(DType::float32);
  const int column = b.input(DType::float32);
  const int scalar = b.input(DType::float32);
  const int y = b.output(DType::float32);
  b.phase();
  const int scaled = b.op("mul", {b.load(x, {70, 14, 1}), b.load(row, {0, 0, 1})});
  const int shifted = b.op("add", {scaled, b.load(column, {5, 1, 0})});
  b.store(y, b.op("div", {shifted, b.op("exp", {b.load(scalar, {0, 0, 0})})}), {70, 14, 1});
  check(b.nest(), {random_tensor(DType::float32, 210, 19), random_tensor(DType::float32, 14, 20),
                   random_tensor(DType::float32, 15, 21), random_tensor(DType::float32, 1, 22),
                   zeros(DType::float32, 210)});
}

TEST(Jit, MomentsOfMiddleAxis) {
  // x [4, 6, 9, 10] reduced over axes 0 and 2: parallel [6, 10].
  NestBuilder b({6, 10});
  const int x = b.input(DType::float32);
  const int y = b.output(DType::float32);
  b.phase({4, 9});
  const int v = b.load(x, {90, 1}, {540, 10});
  b.fold(Fold::sum, v);
  b.phase({4, 9});
  const int mean = b.op("div", {b.row(0, 0), b.number(36)});
  const int centered = b.op("sub", {b.load(x, {90, 1}, {540, 10}), mean});
  b.fold(Fold::sum, b.op("mul", {centered, centered}));
  b.phase({4, 9});
  const int again =
      b.op("sub", {b.load(x, {90, 1}, {540, 10}), b.op("div", {b.row(0, 0), b.number(36)})});
  b.store(y, b.op("mul", {again, b.op("rsqrt", {b.row(1, 0)})}), {90, 1}, {540, 10});
  check(b.nest(), {random_tensor(DType::float32, 2160, 23), zeros(DType::float32, 2160)}, 1e-5);
}

TEST(Jit, UpdatesInPlace) {
  const int64_t n = 1003;
  NestBuilder b({n});
  const int p = b.output(DType::float32);
  const int g = b.input(DType::float32);
  const int q = b.input(DType::float32);  // the same memory as p
  b.phase();
  const int step = b.op("mul", {b.load(g, {1}), b.number(0.1)});
  b.store(p, b.op("sub", {b.op("add", {b.load(p, {1}), b.load(q, {1})}), step}), {1});
  const LoopNest* nest = &b.nest();
  const Kernel kernel = Compiler::instance().compile({&nest, 1})[0];
  const Tensor start = random_tensor(DType::float32, n, 24);
  const Tensor gradient = random_tensor(DType::float32, n, 25);
  Tensor memory = copy(start);
  const std::vector<void*> buffers = addresses({memory, gradient, memory});
  kernel.fn(buffers.data(), 0, kernel.range);
  Tensor expected = Tensor::empty(DType::float32, {n});
  for (int64_t i = 0; i < n; ++i) {
    expected.mutable_data<float>()[i] =
        2 * start.data<float>()[i] - 0.1F * gradient.data<float>()[i];
  }
  expect_close(memory, expected, 1e-6, "in place");
}

TEST(Jit, ThreadsGiveTheSameBits) {
  const int64_t rows = 3000;
  const int64_t n = 77;
  NestBuilder b({rows});
  const int x = b.input(DType::float32);
  const int y = b.output(DType::float32);
  b.phase({n});
  b.fold(Fold::sum, b.op("exp", {b.load(x, {n}, {1})}));
  b.phase();
  b.store(y, b.op("log", {b.row(0, 0)}), {1});
  const LoopNest* nest = &b.nest();
  const Kernel kernel = Compiler::instance().compile({&nest, 1})[0];
  ASSERT_GE(kernel.range / kernel.grain, 2) << "the test needs a kernel that threads share";
  const Tensor input = random_tensor(DType::float32, rows * n, 26);
  const Tensor serial = zeros(DType::float32, rows);
  kernel.fn(addresses({input, serial}).data(), 0, kernel.range);
  for (const int threads : {1, 2, 3, 4, 7}) {
    const Tensor parallel = zeros(DType::float32, rows);
    run_parallel(kernel, addresses({input, parallel}).data(), threads);
    EXPECT_EQ(std::memcmp(serial.data(), parallel.data(), serial.bytes()), 0) << threads;
  }
}

TEST(Jit, ProgramSharesBuffersBetweenNests) {
  const int64_t n = 21;
  NestBuilder first({n});
  {
    const int x = first.input(DType::float32);
    const int y = first.output(DType::float32);
    first.phase();
    first.store(y, first.op("add", {first.load(x, {1}), first.number(1)}), {1});
  }
  NestBuilder second({});
  {
    const int x = second.input(DType::float32);
    const int y = second.output(DType::float32);
    second.phase({n});
    second.fold(Fold::sum, second.load(x, {}, {1}));
    second.phase();
    second.store(y, second.row(0, 0), {});
  }
  const LoopNest* nests[] = {&first.nest(), &first.nest(), &second.nest()};
  const std::vector<int> ids[] = {{0, 1}, {1, 2}, {2, 3}};
  const StepFn step = Compiler::instance().compile_program(nests, ids);
  EXPECT_EQ(step, Compiler::instance().compile_program(nests, ids));
  const Tensor x = Tensor::full(DType::float32, {n}, 2);
  const Tensor y = zeros(DType::float32, n);
  const Tensor z = zeros(DType::float32, n);
  const Tensor sum = zeros(DType::float32, 1);
  step(addresses({x, y, z, sum}).data());
  EXPECT_EQ(sum.item(), 4.0 * n);
}

TEST(Jit, EqualNestsCompileOnce) {
  NestBuilder b({12});
  const int x = b.output(DType::float32);
  b.phase();
  b.store(x, b.op("neg", {b.load(x, {1})}), {1});
  const LoopNest again = b.nest();
  const LoopNest* nests[] = {&b.nest(), &again};
  const std::vector<Kernel> kernels = Compiler::instance().compile(nests);
  EXPECT_EQ(kernels[0].fn, kernels[1].fn);
  EXPECT_EQ(kernels[0].fn, Compiler::instance().compile({nests, 1})[0].fn);
}

TEST(Jit, RefusesABrokenNest) {
  NestBuilder b({12});
  const int x = b.input(DType::float32);
  b.phase();
  b.store(x, b.load(x, {1}), {1});
  const LoopNest* nest = &b.nest();
  EXPECT_THROW(Compiler::instance().compile({&nest, 1}), InternalError);
}

}  // namespace
}  // namespace antler::runtime::jit

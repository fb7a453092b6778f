#include "runtime/cpu/library_kernel.h"

#include <gtest/gtest.h>

#include "antler/ops/op_list.h"
#include "runtime/kernel_harness.h"
#include "runtime/random_ints.h"
#include "support/op_cases.h"
#include "support/op_harness.h"

namespace antler::test {
namespace {

using ir::Ints;

TEST(LibraryKernels, AgreeWithTheReferenceOnTheCasesOfEveryOp) {
  int accepted = 0;
  for (const OpCase& c : all_op_cases()) {
    const ir::OpDef* op = ops::find_op(c.op);
    if (op == nullptr || op->reference == nullptr || !c.regions.empty()) continue;
    SCOPED_TRACE(c.op + " " + c.name);
    accepted += check_kernels(c.op, c.inputs, c.attrs, c.tolerance);
  }
  EXPECT_GT(accepted, 100);
}

TEST(LibraryKernels, EveryListEndsWithTheReference) {
  for (const ir::OpDef* op : ops::all_ops()) {
    ASSERT_FALSE(runtime::candidates_for(*op).empty()) << op->name;
    EXPECT_STREQ(runtime::candidates_for(*op).back().name, "reference") << op->name;
  }
}

TEST(DotGeneralKernel, AllTransposesAndOddSizes) {
  const Ints sizes = {1, 2, 5, 6, 7, 16, 17, 33, 100};
  RandomInts rng(1);
  for (int i = 0; i < 60; ++i) {
    const auto pick = [&] { return sizes[static_cast<size_t>(rng(0, 8))]; };
    const int64_t m = pick();
    const int64_t n = pick();
    const int64_t k = pick();
    const bool left = rng(0, 1) == 1;
    const bool right = rng(0, 1) == 1;
    const DType dtype = i % 3 == 0 ? DType::float64 : DType::float32;
    EXPECT_EQ(check_kernels("dot_general",
                            {random_tensor(dtype, left ? Shape{k, m} : Shape{m, k}),
                             random_tensor(dtype, right ? Shape{n, k} : Shape{k, n}, -1, 1, 2)},
                            {{"lhs_contract", Ints{left ? 0 : 1}},
                             {"rhs_contract", Ints{right ? 1 : 0}},
                             {"lhs_batch", Ints{}},
                             {"rhs_batch", Ints{}}}),
              1);
  }
}

TEST(DotGeneralKernel, BatchesAndDimensionsInAnyOrder) {
  RandomInts rng(2);
  for (int i = 0; i < 60; ++i) {
    // Dimension kinds: 0, 1 batch; 2, 3 contracted; the rest free, of both operands.
    const Ints size = rng.many(4, 1, 5);
    const auto operand = [&](Ints& batch, Ints& contract) {
      std::vector<int> kinds = {0, 1, 2, 3, 4, 5};
      for (size_t j = kinds.size(); j-- > 1;) {
        std::swap(kinds[j], kinds[static_cast<size_t>(rng(0, static_cast<int64_t>(j)))]);
      }
      Shape shape;
      batch.resize(2);
      contract.resize(2);
      for (int64_t d = 0; d < 6; ++d) {
        const auto kind = static_cast<size_t>(kinds[static_cast<size_t>(d)]);
        if (kind < 2) batch[kind] = d;
        if (kind == 2 || kind == 3) contract[kind - 2] = d;
        shape.push_back(kind < 4 ? size[kind] : rng(1, 6));
      }
      return shape;
    };
    Ints lhs_batch, rhs_batch, lhs_contract, rhs_contract;
    const Shape lhs = operand(lhs_batch, lhs_contract);
    const Shape rhs = operand(rhs_batch, rhs_contract);
    check_kernels(
        "dot_general",
        {random_tensor(DType::float32, lhs), random_tensor(DType::float32, rhs, -1, 1, 2)},
        {{"lhs_contract", lhs_contract},
         {"rhs_contract", rhs_contract},
         {"lhs_batch", lhs_batch},
         {"rhs_batch", rhs_batch}});
  }
}

TEST(DotGeneralKernel, LargeProductsOfSeveralBlocks) {
  // Several blocks of k, n and m.
  const Ints none;
  check_kernels("dot_general",
                {random_tensor(DType::float32, {203, 700}),
                 random_tensor(DType::float32, {700, 90}, -1, 1, 2)},
                {{"lhs_contract", Ints{1}},
                 {"rhs_contract", Ints{0}},
                 {"lhs_batch", none},
                 {"rhs_batch", none}},
                1e-4);
  check_kernels("dot_general",
                {random_tensor(DType::float32, {300, 7}),
                 random_tensor(DType::float32, {1100, 300}, -1, 1, 2)},
                {{"lhs_contract", Ints{0}},
                 {"rhs_contract", Ints{1}},
                 {"lhs_batch", none},
                 {"rhs_batch", none}},
                1e-4);
}

TEST(OnednnKernels, ProductsOfEveryLayout) {
  const bool wide = __builtin_cpu_supports("avx512bw") != 0;
  const auto dot = [wide](const Shape& lhs, const Shape& rhs, Ints lhs_contract, Ints rhs_contract,
                          Ints lhs_batch = {}, Ints rhs_batch = {}) {
    for (const DType dtype : {DType::float32, DType::bfloat16}) {
      if (dtype == DType::bfloat16 && !__builtin_cpu_supports("avx512bf16")) continue;
      SCOPED_TRACE(lhs.str() + " " + rhs.str() + " " + dtype_name(dtype));
      // Our own GEMM, and oneDNN's where it has a fast implementation.
      EXPECT_EQ(check_kernels("dot_general",
                              {random_tensor(dtype, lhs), random_tensor(dtype, rhs, -1, 1, 2)},
                              {{"lhs_contract", lhs_contract},
                               {"rhs_contract", rhs_contract},
                               {"lhs_batch", lhs_batch},
                               {"rhs_batch", rhs_batch}},
                              dtype == DType::float32 ? 1e-4 : 0.3),
                wide ? 2 : 1);
    }
  };
  dot({128, 96}, {96, 112}, {1}, {0});
  dot({96, 128}, {96, 112}, {0}, {0});
  dot({128, 96}, {112, 96}, {1}, {1});
  dot({96, 128}, {112, 96}, {0}, {1});
  dot({1, 1500}, {1500, 900}, {1}, {0});
  dot({1500, 900}, {900, 1}, {1}, {0});
  // Attention: heads between time and features.
  dot({3, 60, 4, 48}, {3, 44, 4, 48}, {3}, {3}, {0, 2}, {0, 2});
  dot({3, 4, 60, 44}, {3, 44, 4, 48}, {3}, {1}, {0, 1}, {0, 2});
  // Contracted dimensions that are not adjacent in one operand.
  dot({8, 4, 32, 40}, {4, 40, 48}, {1, 3}, {0, 1});
}

TEST(DotGeneralKernel, HalfPrecisionAndNothing) {
  const Ints none;
  for (const DType dtype : {DType::bfloat16, DType::float16}) {
    for (const Shape& lhs : {Shape{9, 20}, Shape{0, 20}, Shape{9, 0}}) {
      EXPECT_EQ(
          check_kernels("dot_general",
                        {random_tensor(dtype, lhs), random_tensor(dtype, {lhs[1], 7}, -1, 1, 2)},
                        {{"lhs_contract", Ints{1}},
                         {"rhs_contract", Ints{0}},
                         {"lhs_batch", none},
                         {"rhs_batch", none}}),
          1);
    }
  }
}

TEST(RandomBitsKernel, EqualsTheReference) {
  for (const int64_t count : {0, 1, 3, 4, 63, 64, 65, 1000, 100003}) {
    EXPECT_EQ(
        check_kernels("random_bits", {Tensor::of<uint32_t>({7, 99})}, {{"shape", Ints{count}}}), 1);
  }
}

TEST(MovementKernels, RandomTransposes) {
  RandomInts rng(5);
  for (int i = 0; i < 80; ++i) {
    const int64_t rank = rng(0, 5);
    Shape x;
    Ints perm;
    for (int64_t d = 0; d < rank; ++d) {
      x.push_back(rng(0, 20) == 0 ? 0 : rng(1, rank <= 2 ? 70 : 9));
      perm.insert(perm.begin() + rng(0, d), d);
    }
    const DType dtypes[] = {DType::float32, DType::float64, DType::bfloat16, DType::int8};
    EXPECT_EQ(check_kernels("transpose", {random_tensor(dtypes[rng(0, 3)], x, -100, 100)},
                            {{"perm", perm}}),
              1);
  }
}

TEST(OrderKernels, RandomLanesWithTies) {
  RandomInts rng(6);
  for (int i = 0; i < 60; ++i) {
    const int64_t rank = rng(1, 3);
    Shape x;
    for (int64_t d = 0; d < rank; ++d) x.push_back(rng(1, 40));
    const int64_t axis = rng(0, rank - 1);
    const DType dtypes[] = {DType::float32, DType::int32, DType::float16, DType::float64};
    const DType dtype = dtypes[rng(0, 3)];
    std::vector<double> values = random_tensor(DType::float64, x, -6, 6).to_doubles();
    for (double& v : values) {
      v = static_cast<int>(v);
      if (is_floating(dtype) && rng(0, 15) == 0) v = std::nan("");
    }
    const Tensor t = tensor_of(dtype, x, values);
    const bool flag = rng(0, 1) == 0;
    const bool other = rng(0, 1) == 0;
    check_kernels("sort", {t}, {{"axis", axis}, {"descending", flag}});
    check_kernels("argsort", {t}, {{"axis", axis}, {"descending", flag}});
    check_kernels("top_k", {t}, {{"k", rng(0, x.back())}});
    check_kernels("argmax", {t}, {{"axis", axis}});
    check_kernels("argmin", {t}, {{"axis", axis}});
    for (const char* op : {"cumsum", "cummax", "cummin", "cumprod"}) {
      check_kernels(op, {random_tensor(dtype, x)},
                    {{"axis", axis}, {"reverse", flag}, {"exclusive", other}});
    }
  }
}

TEST(ScatterKernel, RepeatedRowsAreSummedInOrder) {
  for (const int64_t width : {1, 7, 64, 200}) {
    Tensor indices = random_tensor(DType::int32, {300}, -2, 12);
    check_kernels("scatter",
                  {random_tensor(DType::float32, {10, width}), indices,
                   random_tensor(DType::float32, {300, width}, -1, 1, 3)},
                  {{"axis", int64_t{0}}, {"mode", std::string("add")}}, 1e-4);
  }
}

// Large enough for the kernels to use several threads.
TEST(LibraryKernels, LargeArraysOnSeveralThreads) {
  const Tensor x = random_tensor(DType::float32, {12, 31, 29, 24});
  const Ints none(4, 0);
  const Ints ones(4, 1);
  check_kernels("transpose", {x}, {{"perm", Ints{3, 1, 0, 2}}});
  check_kernels("slice", {x},
                {{"starts", Ints{1, 3, 0, 2}},
                 {"limits", Ints{12, 31, 28, 24}},
                 {"strides", Ints{1, 2, 3, 1}}});
  check_kernels("concatenate", {x, x}, {{"axis", int64_t{2}}});
  check_kernels(
      "pad", {x, Tensor::full(DType::float32, {}, 3)},
      {{"low", Ints{0, -2, 1, 0}}, {"high", Ints{1, 3, -4, 0}}, {"interior", Ints{0, 1, 2, 0}}});
  const Tensor corner = Tensor::of<int32_t>({3, 40, -1, 0});
  check_kernels("dynamic_slice", {x, corner}, {{"sizes", Ints{9, 30, 20, 24}}});
  check_kernels("dynamic_update_slice",
                {x, random_tensor(DType::float32, {9, 30, 20, 24}, -1, 1, 2), corner}, {});
  for (const std::string op : {"max", "sum"}) {
    const ir::Attrs attrs = {{"op", op},
                             {"window", Ints{1, 3, 3, 1}},
                             {"strides", Ints{1, 2, 2, 1}},
                             {"dilations", ones},
                             {"pad_low", none},
                             {"pad_high", none}};
    check_kernels("reduce_window", {x}, attrs);
    if (op == "sum") continue;
    check_kernels("select_and_scatter_add", {x, random_tensor(DType::float32, {12, 15, 14, 24})},
                  attrs);
  }
  for (const int64_t axis : {1, 3}) {
    check_kernels("sort", {x}, {{"axis", axis}, {"descending", false}});
    check_kernels("argmax", {x}, {{"axis", axis}});
    check_kernels("cumsum", {x}, {{"axis", axis}, {"reverse", false}, {"exclusive", false}});
  }
  // Long rows, some with NaN and with several maxima.
  std::vector<double> values = random_tensor(DType::float32, {40, 300}, -4, 4).to_doubles();
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::floor(values[i]);
  for (const size_t i : {700, 710, 3000}) values[i] = std::nan("");
  for (const char* op : {"argmax", "argmin"}) {
    check_kernels(op, {tensor_of(DType::float32, {40, 300}, values)}, {{"axis", int64_t{1}}});
  }
  const Tensor table = random_tensor(DType::float32, {500, 130});
  const Tensor rows = random_tensor(DType::int64, {40, 50}, -5, 510);
  check_kernels("gather", {table, rows}, {{"axis", int64_t{0}}});
  check_kernels("gather", {table, random_tensor(DType::int32, {90}, 0, 130)},
                {{"axis", int64_t{1}}});
  for (const std::string mode : {"set", "add", "max"}) {
    check_kernels("scatter", {table, rows, random_tensor(DType::float32, {40, 50, 130}, -1, 1, 3)},
                  {{"axis", int64_t{0}}, {"mode", mode}}, 1e-4);
    check_kernels("scatter_nd",
                  {table, random_tensor(DType::int32, {20000, 2}, 0, 130),
                   random_tensor(DType::float32, {20000}, -1, 1, 3)},
                  {{"mode", mode}}, 1e-4);
  }
}

}  // namespace
}  // namespace antler::test

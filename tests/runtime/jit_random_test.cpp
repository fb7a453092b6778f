#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "antler/base/format.h"
#include "runtime/cpu/jit/jit.h"
#include "runtime/nest_oracle.h"

/// Random nests against the interpreter: the choice of axes, blocks and tails has many cases.
namespace antler::runtime::jit {
namespace {

using compiler::Fold;
using test::NestBuilder;

using Extents = std::vector<int64_t>;

class RandomNest {
 public:
  RandomNest(uint64_t seed, DType dtype) : engine_(seed), dtype_(dtype), builder_(Extents()) {
    extents_ = extents(3, 40);
    builder_ = NestBuilder(extents_);
    const int phases = pick(1, 3);
    for (int p = 0; p < phases; ++p) add_phase(p);
  }

  const compiler::LoopNest& nest() const { return builder_.nest(); }

  std::vector<Tensor> buffers(uint64_t seed) const {
    std::vector<Tensor> result;
    for (size_t i = 0; i < sizes_.size(); ++i) {
      const compiler::BufferInfo& info = nest().buffers[i];
      result.push_back(info.written ? Tensor::zeros(info.dtype, {sizes_[i]})
                                    : test::random_tensor(info.dtype, sizes_[i], seed + i, -2, 2));
    }
    return result;
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }

  Extents extents(int max_rank, int max_extent) {
    Extents result;
    const int rank = pick(0, max_rank);
    for (int d = 0; d < rank; ++d) {
      const int extent = pick(1, pick(0, 2) == 0 ? max_extent : 9);
      result.push_back(product(result) * extent > 2000 ? 1 : extent);
    }
    return result;
  }
  static int64_t product(const Extents& e) {
    return std::accumulate(e.begin(), e.end(), int64_t{1}, std::multiplies<>());
  }

  /// Strides of a packed array over some of the dimensions, in any order; `all`: over every
  /// dimension.
  struct Layout {
    Extents parallel;
    Extents reduction;
    int64_t offset = 0;
    int64_t size = 1;
  };
  Layout layout(const Extents& reduction, bool all) {
    Layout result{Extents(extents_.size(), 0), Extents(reduction.size(), 0), pick(0, 3), 1};
    std::vector<std::pair<int64_t*, int64_t>> dims;
    for (size_t d = 0; d < extents_.size(); ++d)
      dims.emplace_back(&result.parallel[d], extents_[d]);
    for (size_t d = 0; d < reduction.size(); ++d) {
      dims.emplace_back(&result.reduction[d], reduction[d]);
    }
    if (pick(0, 1) == 0) std::shuffle(dims.begin(), dims.end(), engine_);
    std::reverse(dims.begin(), dims.end());
    for (auto& [stride, extent] : dims) {
      if (!all && pick(0, 3) == 0) continue;
      *stride = result.size;
      result.size *= extent;
      if (pick(0, 7) == 0) ++result.size;  // padding
      if (!all && pick(0, 9) == 0) {       // reversed
        result.offset += *stride * (extent - 1);
        *stride = -*stride;
      }
    }
    result.size += result.offset;
    return result;
  }

  void add_phase(int p) {
    const Extents reduction = pick(0, 3) == 0 ? Extents() : extents(2, 40);
    builder_.phase(reduction);
    std::vector<int> values;
    std::vector<int> flags;
    auto any = [&](const std::vector<int>& list) {
      return list[static_cast<size_t>(pick(0, static_cast<int>(list.size()) - 1))];
    };
    const int loads = pick(1, 3);
    for (int i = 0; i < loads; ++i) {
      const Layout l = layout(reduction, false);
      sizes_.push_back(l.size);
      values.push_back(builder_.load(builder_.input(dtype_), l.parallel, l.reduction, l.offset));
    }
    values.push_back(builder_.number(pick(-2, 2), dtype_));
    if (pick(0, 2) == 0) {
      const Layout l = layout(reduction, false);
      values.push_back(builder_.index(dtype_, l.parallel, l.reduction, l.offset));
    }
    for (int q = 0; q < p; ++q) {
      for (int r = 0; r < rows_[static_cast<size_t>(q)]; ++r) {
        values.push_back(builder_.row(q, r, dtype_));
      }
    }
    flags.push_back(builder_.op("lt", {any(values), any(values)}, DType::boolean));
    const int ops = pick(0, 5);
    for (int i = 0; i < ops; ++i) {
      switch (pick(0, 6)) {
        case 0:
          values.push_back(builder_.op("add", {any(values), any(values)}));
          break;
        case 1:
          values.push_back(builder_.op("sub", {any(values), any(values)}));
          break;
        case 2:
          values.push_back(builder_.op("max", {any(values), any(values)}));
          break;
        case 3:
          values.push_back(builder_.op("neg", {any(values)}));
          break;
        case 4:
          values.push_back(builder_.op("select", {any(flags), any(values), any(values)}));
          break;
        case 5:
          flags.push_back(builder_.op("not", {any(flags)}));
          break;
        case 6:
          flags.push_back(builder_.op("ge", {any(values), any(values)}, DType::boolean));
          break;
      }
    }
    if (pick(0, 2) > 0) store(any(values), dtype_, reduction);
    if (pick(0, 3) == 0) store(any(flags), DType::boolean, reduction);
    int rows = 0;
    const Fold folds[] = {Fold::sum, Fold::max, Fold::min};
    for (; rows < pick(0, 2); ++rows) builder_.fold(folds[pick(0, 2)], any(values));
    rows_.push_back(rows);
  }

  void store(int value, DType dtype, const Extents& reduction) {
    const Layout l = layout(reduction, true);
    sizes_.push_back(l.size);
    builder_.store(builder_.output(dtype), value, l.parallel, l.reduction, l.offset);
  }

  std::mt19937_64 engine_;
  DType dtype_;
  NestBuilder builder_;
  Extents extents_;
  std::vector<int64_t> sizes_;
  std::vector<int> rows_;  ///< row values per phase
};

class JitRandom : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(DTypes, JitRandom,
                         testing::Values("float32", "float64", "int32", "int8", "uint16"),
                         [](const auto& info) { return info.param; });

TEST_P(JitRandom, AgreesWithInterpreter) {
  const DType dtype = parse_dtype(GetParam());
  const double tolerance = dtype == DType::float32 ? 1e-4 : dtype == DType::float64 ? 1e-11 : 0;
  static Compiler baseline(CpuTarget::baseline());
  for (uint64_t seed = 0; seed < 25; ++seed) {
    const RandomNest random(seed, dtype);
    const compiler::LoopNest* nest = &random.nest();
    const std::vector<Tensor> expected = random.buffers(seed);
    test::interpret(*nest, expected);
    for (Compiler* compiler : {&Compiler::instance(), &baseline}) {
      const std::string what =
          format("seed {}{}:\n{}", seed, compiler == &baseline ? ", baseline" : "", print(*nest));
      const Kernel kernel = compiler->compile({&nest, 1})[0];
      const std::vector<Tensor> whole = random.buffers(seed);
      const std::vector<Tensor> parts = random.buffers(seed);
      kernel.fn(test::addresses(whole).data(), 0, kernel.range);
      for (int64_t i = 0; i < kernel.range; i += 2) {
        kernel.fn(test::addresses(parts).data(), i, std::min(i + 2, kernel.range));
      }
      for (size_t b = 0; b < whole.size(); ++b) {
        test::expect_close(whole[b], expected[b], tolerance, what);
        ASSERT_EQ(std::memcmp(whole[b].data(), parts[b].data(), whole[b].bytes()), 0) << what;
      }
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace antler::runtime::jit

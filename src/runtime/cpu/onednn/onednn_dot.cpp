#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "runtime/cpu/ceil_div.h"
#include "runtime/cpu/gemm/dot_layout.h"
#include "runtime/cpu/gemm/dot_split.h"
#include "runtime/cpu/gemm/operand_copy.h"
#include "runtime/cpu/node_view.h"
#include "runtime/cpu/onednn/kernels.h"
#include "runtime/cpu/onednn/onednn.h"
#include "runtime/cpu/parallel.h"

namespace antler::runtime {
namespace {

using dnnl::memory;

// Multiply-adds of all products below which our own product, which has nearly no overhead, is as
// good.
constexpr int64_t kSmallProducts = 1 << 20;

/// A batch of matrices as two nested progressions of offsets.
struct Progression {
  int64_t outer = 1;
  int64_t inner = 1;
  int64_t outer_stride[2] = {0, 0};  // of the left and the right operand
  int64_t inner_stride[2] = {0, 0};
};

/// Nothing where the matrices do not lie so.
std::optional<Progression> progression(const std::vector<int64_t>& lhs,
                                       const std::vector<int64_t>& rhs) {
  const std::vector<int64_t>* offsets[2] = {&lhs, &rhs};
  const auto count = static_cast<int64_t>(lhs.size());
  Progression p;
  p.inner = count;
  const auto at = [&](int side, int64_t i) { return (*offsets[side])[static_cast<size_t>(i)]; };
  if (count == 1) return p;
  for (int side : {0, 1}) p.inner_stride[side] = at(side, 1) - at(side, 0);
  for (int64_t i = 2; i < count && p.inner == count; ++i) {
    for (int side : {0, 1}) {
      if (at(side, i) - at(side, 0) != i * p.inner_stride[side]) p.inner = i;
    }
  }
  if (count % p.inner != 0) return std::nullopt;
  p.outer = count / p.inner;
  if (p.outer > 1) {
    for (int side : {0, 1}) p.outer_stride[side] = at(side, p.inner) - at(side, 0);
  }
  for (int side : {0, 1}) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t expected =
          i / p.inner * p.outer_stride[side] + i % p.inner * p.inner_stride[side];
      if (at(side, i) - at(side, 0) != expected) return std::nullopt;
    }
  }
  return p;
}

/// A batch of matrices with rows and columns of these sizes and strides.
memory::desc matrices(const Progression& p, int side, int64_t rows, int64_t columns,
                      int64_t row_stride, int64_t column_stride, memory::data_type type) {
  memory::dims dims = {rows, columns};
  // A dimension of one element has no stride of its own; oneDNN wants one that fits the layout.
  memory::dims strides = {row_stride, column_stride};
  if (rows == 1) strides[0] = columns * column_stride;
  if (columns == 1) strides[1] = 1;
  if (p.outer * p.inner > 1) {
    dims.insert(dims.begin(), p.inner);
    strides.insert(strides.begin(), p.inner_stride[side]);
  }
  if (p.outer > 1) {
    dims.insert(dims.begin(), p.outer);
    strides.insert(strides.begin(), p.outer_stride[side]);
  }
  return {dims, type, strides};
}

// Columns and depth from which a left operand that is read across is worth a copy.
constexpr int64_t kManyColumns = 256;
constexpr int64_t kDeep = 1024;
// Where the result is no wider or no higher, float32 is faster without: see split_dot().
constexpr int64_t kNarrow = 512;

/// A left operand whose rows lie across memory, as that of a weight gradient: oneDNN gathers its
/// blocks again for each block of columns, one copy in order is cheaper.
void straighten(DotLayout& layout, bool is_float32) {
  DotOperand& lhs = layout.lhs;
  if (layout.batches != 1 || lhs.copied || lhs.contract_stride == 1 || layout.k < kDeep ||
      layout.m == 1 || layout.n < kManyColumns) {
    return;
  }
  if (is_float32 && std::min(layout.m, layout.n) <= kNarrow) return;
  lhs.copied = true;
  lhs.copy_shape = {layout.m, layout.k};
  lhs.copy_strides = {lhs.free_stride, lhs.contract_stride};
  lhs.free_stride = layout.k;
  lhs.contract_stride = 1;
}

class OnednnDot final : public LibraryKernel {
 public:
  OnednnDot(const DotLayout& layout, const Progression& batch, memory::data_type type, int threads,
            std::string* refusal)
      : threads_(threads), element_(memory::data_type_size(type)) {
    lhs_ = OperandCopy(layout.lhs, element_, scratch_bytes_);
    rhs_ = OperandCopy(layout.rhs, element_, scratch_bytes_);
    lhs_first_ = layout.lhs.batch[0];
    rhs_first_ = layout.rhs.batch[0];
    row_ = layout.n;
    const DotShare whole{.m = layout.m, .n = layout.n, .k = layout.k};
    {
      const onednn::ThreadScope scope(threads);
      const std::string kind = kind_of(layout, batch, whole, type);
      if (!onednn::is_fast(kind.c_str())) {
        if (refusal != nullptr) *refusal = "only has " + kind;
        return;
      }
    }
    DotSplit split = split_dot(layout, threads, type == memory::data_type::f32);
    is_columns_ = !split.shares.empty() && split.shares[0].n < layout.n;
    // Shares lie apart in memory, which oneDNN's plain product takes, as fast on one thread.
    const auto is_slow = [&](const DotShare& share) {
      const std::string kind = kind_of(layout, batch, share, type);
      return !onednn::is_fast(kind.c_str()) && !kind.starts_with("gemm:jit");
    };
    if (split.shares.empty() || is_slow(split.shares[0])) {
      split = {.shares = {whole}};
      is_columns_ = false;
      share_threads_ = threads;
    }
    if (split.of_terms) result_size_ = layout.m * layout.n;
    const onednn::ThreadScope scope(share_threads_);
    for (const DotShare& share : split.shares) add_share(layout, batch, share, type);
    sums_at_ = scratch_bytes_;
    scratch_bytes_ += partial_results() * static_cast<size_t>(sum_size()) * element_;
  }
  /// False after a refusal.
  bool usable() const { return !shares_.empty(); }

  void run(void* const* buffers) override {
    const void* const lhs = lhs_.prepare(buffers[0], scratch_, threads_);
    const void* const rhs = rhs_.prepare(buffers[1], scratch_, threads_);
    const onednn::ThreadScope scope(share_threads_);
    const auto run_share = [&](int part) {
      Share& share = shares_[static_cast<size_t>(part)];
      share.product.set(0, at(lhs, lhs_first_ + share.at.lhs_at));
      share.product.set(1, at(rhs, rhs_first_ + share.at.rhs_at));
      char* const result = at(buffers[2], share.at.result_at);
      char* const dense = scratch_ + share.columns_at;
      void* to = is_columns_ ? dense : result;
      if (result_size_ > 0 && part > 0) to = partial(part);
      share.product.set(2, to);
      share.product.run();
      if (is_columns_) {
        const size_t row = static_cast<size_t>(share.at.n) * element_;
        for (int64_t i = 0; i < share.at.m; ++i) {
          std::memcpy(at(result, i * row_), dense + static_cast<size_t>(i) * row, row);
        }
      }
    };
    if (shares_.size() == 1) {
      run_share(0);
    } else {
      Team::run(static_cast<int>(shares_.size()), run_share);
    }
    if (result_size_ > 0) add_partial_results(static_cast<float*>(buffers[2]));
  }
  size_t scratch_bytes() const override { return scratch_bytes_; }
  void set_scratch(void* memory) override {
    scratch_ = static_cast<char*>(memory);
    for (Share& share : shares_) share.product.set(3, scratch_ + share.scratchpad_at);
  }
  bool starts_threads() const override { return share_threads_ > 1; }
  const char* name() const override { return "onednn matmul"; }

 private:
  struct Share {
    onednn::Call product;
    DotShare at;
    size_t scratchpad_at = 0;
    size_t columns_at = 0;
  };

  struct Descs {
    memory::desc lhs;
    memory::desc rhs;
    memory::desc result;
  };
  Descs descs(const DotLayout& layout, const Progression& batch, const DotShare& share,
              memory::data_type type) const {
    Progression dense = batch;
    dense.inner_stride[0] = layout.m * layout.n;
    dense.outer_stride[0] = layout.m * layout.n * batch.inner;
    // The fast products write dense results only.
    const int64_t row = is_columns_ ? share.n : layout.n;
    return {.lhs = matrices(batch, 0, share.m, share.k, layout.lhs.free_stride,
                            layout.lhs.contract_stride, type),
            .rhs = matrices(batch, 1, share.k, share.n, layout.rhs.contract_stride,
                            layout.rhs.free_stride, type),
            .result = matrices(dense, 0, share.m, share.n, row, 1, type)};
  }
  dnnl::matmul::primitive_desc describe(const DotLayout& layout, const Progression& batch,
                                        const DotShare& share, memory::data_type type) const {
    const Descs d = descs(layout, batch, share, type);
    return {{d.lhs, d.rhs, d.result}, onednn::caller_scratchpad(), onednn::engine()};
  }

  /// The implementation that oneDNN has for it.
  std::string kind_of(const DotLayout& layout, const Progression& batch, const DotShare& share,
                      memory::data_type type) const {
    return describe(layout, batch, share, type).impl_info_str();
  }

  void add_share(const DotLayout& layout, const Progression& batch, const DotShare& share,
                 memory::data_type type) {
    const Descs d = descs(layout, batch, share, type);
    const auto desc = describe(layout, batch, share, type);
    shares_.push_back(
        {onednn::Call(dnnl::matmul(desc), {{DNNL_ARG_SRC, d.lhs},
                                           {DNNL_ARG_WEIGHTS, d.rhs},
                                           {DNNL_ARG_DST, d.result},
                                           {DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc()}}),
         share, scratch_bytes_});
    scratch_bytes_ += (desc.scratchpad_desc().get_size() + 63) / 64 * 64;
    if (is_columns_) {
      shares_.back().columns_at = scratch_bytes_;
      scratch_bytes_ += (static_cast<size_t>(share.m * share.n) * element_ + 63) / 64 * 64;
    }
  }

  const char* at(const void* data, int64_t element) const {
    return static_cast<const char*>(data) + element * static_cast<int64_t>(element_);
  }
  char* at(void* data, int64_t element) const {
    return static_cast<char*>(data) + element * static_cast<int64_t>(element_);
  }
  size_t partial_results() const { return result_size_ > 0 ? shares_.size() - 1 : 0; }
  /// Elements from one partial result to the next.
  int64_t sum_size() const { return pad_to_cache_line(result_size_); }
  float* partial(int part) const {
    return reinterpret_cast<float*>(scratch_ + sums_at_) + (part - 1) * sum_size();
  }
  void add_partial_results(float* result) const {
    const auto parts = static_cast<int>(shares_.size());
    const int threads = threads_for_bytes(threads_, result_size_ * 4 * parts);
    parallel_ranges(threads, result_size_, [&](int64_t begin, int64_t end) {
      for (int part = 1; part < parts; ++part) {
        const float* const from = partial(part);
        for (int64_t i = begin; i < end; ++i) result[i] += from[i];
      }
    });
  }

  int threads_;
  int share_threads_ = 1;
  size_t element_;
  size_t scratch_bytes_ = 0;
  OperandCopy lhs_;
  OperandCopy rhs_;
  int64_t lhs_first_ = 0;
  int64_t rhs_first_ = 0;
  std::vector<Share> shares_;
  bool is_columns_ = false;  // each share computes some columns
  int64_t row_ = 0;          // elements of a row of the result
  int64_t result_size_ = 0;  // where the shares are partial results; their sum is the result
  size_t sums_at_ = 0;
  char* scratch_ = nullptr;
};

}  // namespace

std::unique_ptr<LibraryKernel> make_onednn_dot(const ir::Graph& graph, const ir::Node& node,
                                               const KernelContext& context, std::string* refusal) {
  const TensorSpec& lhs = input_spec(graph, node, 0);
  const TensorSpec& rhs = input_spec(graph, node, 1);
  const auto type = onednn::data_type(lhs.dtype);
  if (!type || rhs.dtype != lhs.dtype || output_spec(graph, node).dtype != lhs.dtype) {
    return refuse(refusal, "operands and result are not all float32 or all bfloat16");
  }
  if (context.deterministic) return refuse(refusal, "its sums depend on the number of threads");
  DotLayout layout = dot_layout(lhs.shape, rhs.shape, node.attrs);
  if (layout.batches * layout.m * layout.n * layout.k < kSmallProducts) {
    return refuse(refusal, "too small");
  }
  straighten(layout, lhs.dtype == DType::float32);
  const auto batch = progression(layout.lhs.batch, layout.rhs.batch);
  if (!batch) return refuse(refusal, "matrices that lie at irregular distances");
  try {
    auto kernel = std::make_unique<OnednnDot>(layout, *batch, *type, context.threads, refusal);
    if (!kernel->usable()) return nullptr;
    return kernel;
  } catch (const dnnl::error& error) {
    return refuse(refusal, error.what());
  }
}

}  // namespace antler::runtime

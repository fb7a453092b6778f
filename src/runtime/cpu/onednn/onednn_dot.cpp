#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "antler/base/format.h"
#include "runtime/cpu/cache_line.h"
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

// Multiply-adds of the whole batch below which our own GEMM, which has little overhead, is as fast.
constexpr int64_t kSmallProducts = 1 << 20;

/// A batch of matrices with up to two batch dimensions.
struct BatchDims {
  int64_t outer = 1;
  int64_t inner = 1;
  int64_t outer_stride[2] = {0, 0};  // of the left and the right operand
  int64_t inner_stride[2] = {0, 0};
};

/// nullopt if the offsets of the matrices do not form two batch dimensions.
std::optional<BatchDims> batch_dims(const std::vector<int64_t>& lhs,
                                    const std::vector<int64_t>& rhs) {
  const std::vector<int64_t>* offsets[2] = {&lhs, &rhs};
  const auto count = static_cast<int64_t>(lhs.size());
  BatchDims p;
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

memory::desc matrix_desc(const BatchDims& p, int side, int64_t rows, int64_t columns,
                         int64_t row_stride, int64_t column_stride, memory::data_type type) {
  memory::dims dims = {rows, columns};
  // The stride of a dimension of size 1 is arbitrary, but oneDNN needs one that fits the layout.
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

// Smallest n and k for which transposing the left operand pays off.
constexpr int64_t kMinTransposeN = 256;
constexpr int64_t kMinTransposeK = 1024;
// In float32, the transpose is slower if m or n is at most this; see split_dot().
constexpr int64_t kMaxSplitSize = 512;

/// Copies a transposed left operand, as in a weight gradient, to row-major. Otherwise oneDNN packs
/// its blocks again for each block of columns.
void make_lhs_row_major(DotLayout& layout, bool is_float32) {
  DotOperand& lhs = layout.lhs;
  if (layout.batches != 1 || lhs.copied || lhs.contract_stride == 1 || layout.k < kMinTransposeK ||
      layout.m == 1 || layout.n < kMinTransposeN) {
    return;
  }
  if (is_float32 && std::min(layout.m, layout.n) <= kMaxSplitSize) return;
  lhs.copied = true;
  lhs.copy_shape = {layout.m, layout.k};
  lhs.copy_strides = {lhs.free_stride, lhs.contract_stride};
  lhs.free_stride = layout.k;
  lhs.contract_stride = 1;
}

class OnednnDot final : public LibraryKernel {
 public:
  OnednnDot(const DotLayout& layout, const BatchDims& batch, memory::data_type type, int threads,
            std::string* refusal)
      : threads_(threads), element_size_(memory::data_type_size(type)) {
    lhs_ = OperandCopy(layout.lhs, element_size_, layout_);
    rhs_ = OperandCopy(layout.rhs, element_size_, layout_);
    lhs_offset_ = layout.lhs.batch[0];
    rhs_offset_ = layout.rhs.batch[0];
    result_row_ = layout.n;
    const DotShare whole{.m = layout.m, .n = layout.n, .k = layout.k};
    {
      const onednn::ThreadScope scope(threads);
      const std::string implementation = implementation_of(layout, batch, whole, type);
      if (!onednn::is_fast(implementation)) {
        refuse(refusal, format("only has {}", implementation));
        return;
      }
    }
    DotSplit split = split_dot(layout, threads, type == memory::data_type::f32);
    splits_columns_ = !split.shares.empty() && split.shares[0].n < layout.n;
    // Shares are strided matrices. Only oneDNN's plain GEMM accepts these; it is as fast on one
    // thread.
    const auto is_slow = [&](const DotShare& share) {
      const std::string implementation = implementation_of(layout, batch, share, type);
      return !onednn::is_fast(implementation) && !implementation.starts_with("gemm:jit");
    };
    if (split.shares.empty() || is_slow(split.shares[0])) {
      split = {.shares = {whole}};
      splits_columns_ = false;
      share_threads_ = threads;
    }
    if (split.split_k) partial_size_ = layout.m * layout.n;
    const onednn::ThreadScope scope(share_threads_);
    for (const DotShare& share : split.shares) add_share(layout, batch, share, type);
    if (partial_size_ > 0) {
      const auto partials = static_cast<int64_t>(shares_.size()) - 1;
      partials_offset_ =
          layout_.add(static_cast<size_t>(partials * partial_stride()) * element_size_);
    }
  }
  /// False if the constructor refused.
  bool usable() const { return !shares_.empty(); }

  void run(void* const* buffers) override {
    const void* const lhs = lhs_.prepare(buffers[0], scratch_, threads_);
    const void* const rhs = rhs_.prepare(buffers[1], scratch_, threads_);
    const onednn::ThreadScope scope(share_threads_);
    const auto run_share = [&](int part) {
      Share& share = shares_[static_cast<size_t>(part)];
      share.matmul.set(0, at(lhs, lhs_offset_ + share.share.lhs_offset));
      share.matmul.set(1, at(rhs, rhs_offset_ + share.share.rhs_offset));
      char* const result = at(buffers[2], share.share.result_offset);
      char* const dense = scratch_ + share.dense_offset;
      void* to = splits_columns_ ? dense : result;
      if (partial_size_ > 0 && part > 0) to = partial(part);
      share.matmul.set(2, to);
      share.matmul.run();
      if (splits_columns_) {
        const size_t row = static_cast<size_t>(share.share.n) * element_size_;
        for (int64_t i = 0; i < share.share.m; ++i) {
          std::memcpy(at(result, i * result_row_), dense + static_cast<size_t>(i) * row, row);
        }
      }
    };
    if (shares_.size() == 1) {
      run_share(0);
    } else {
      Team::run(static_cast<int>(shares_.size()), run_share);
    }
    if (partial_size_ > 0) add_partial_results(static_cast<float*>(buffers[2]));
  }
  size_t scratch_bytes() const override { return layout_.bytes(); }
  void set_scratch(void* memory) override {
    scratch_ = static_cast<char*>(memory);
    for (Share& share : shares_) share.matmul.set(3, scratch_ + share.scratchpad_offset);
  }
  bool starts_threads() const override { return share_threads_ > 1; }
  const char* name() const override { return "onednn matmul"; }

 private:
  struct Share {
    onednn::BoundPrimitive matmul;
    DotShare share;
    size_t scratchpad_offset = 0;
    size_t dense_offset = 0;  // of the share's columns, if splits_columns_
  };

  struct Descs {
    memory::desc lhs;
    memory::desc rhs;
    memory::desc result;
  };
  Descs descs(const DotLayout& layout, const BatchDims& batch, const DotShare& share,
              memory::data_type type) const {
    BatchDims dense = batch;
    dense.inner_stride[0] = layout.m * layout.n;
    dense.outer_stride[0] = layout.m * layout.n * batch.inner;
    // The fast implementations write dense results only.
    const int64_t row = splits_columns_ ? share.n : layout.n;
    return {.lhs = matrix_desc(batch, 0, share.m, share.k, layout.lhs.free_stride,
                               layout.lhs.contract_stride, type),
            .rhs = matrix_desc(batch, 1, share.k, share.n, layout.rhs.contract_stride,
                               layout.rhs.free_stride, type),
            .result = matrix_desc(dense, 0, share.m, share.n, row, 1, type)};
  }
  static dnnl::matmul::primitive_desc primitive_desc(const Descs& d) {
    return {{d.lhs, d.rhs, d.result}, onednn::user_scratchpad(), onednn::engine()};
  }
  std::string implementation_of(const DotLayout& layout, const BatchDims& batch,
                                const DotShare& share, memory::data_type type) const {
    return primitive_desc(descs(layout, batch, share, type)).impl_info_str();
  }

  void add_share(const DotLayout& layout, const BatchDims& batch, const DotShare& share,
                 memory::data_type type) {
    const Descs d = descs(layout, batch, share, type);
    const auto desc = primitive_desc(d);
    shares_.push_back({onednn::BoundPrimitive(dnnl::matmul(desc),
                                              {{DNNL_ARG_SRC, d.lhs},
                                               {DNNL_ARG_WEIGHTS, d.rhs},
                                               {DNNL_ARG_DST, d.result},
                                               {DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc()}}),
                       share, layout_.add(desc.scratchpad_desc().get_size())});
    if (splits_columns_) {
      shares_.back().dense_offset =
          layout_.add(static_cast<size_t>(share.m * share.n) * element_size_);
    }
  }

  const char* at(const void* data, int64_t element) const {
    return static_cast<const char*>(data) + element * static_cast<int64_t>(element_size_);
  }
  char* at(void* data, int64_t element) const {
    return static_cast<char*>(data) + element * static_cast<int64_t>(element_size_);
  }
  /// Elements from one partial result to the next.
  int64_t partial_stride() const { return pad_to_cache_line(partial_size_); }
  /// Part 0 is computed in the result's buffer.
  float* partial(int part) const {
    return reinterpret_cast<float*>(scratch_ + partials_offset_) + (part - 1) * partial_stride();
  }
  void add_partial_results(float* result) const {
    const auto parts = static_cast<int>(shares_.size());
    const int threads = threads_for_bytes(threads_, partial_size_ * 4 * parts);
    parallel_ranges(threads, partial_size_, [&](int64_t begin, int64_t end) {
      for (int part = 1; part < parts; ++part) {
        const float* const from = partial(part);
        for (int64_t i = begin; i < end; ++i) result[i] += from[i];
      }
    });
  }

  int threads_;
  int share_threads_ = 1;
  size_t element_size_;
  ScratchLayout layout_;
  OperandCopy lhs_;
  OperandCopy rhs_;
  int64_t lhs_offset_ = 0;
  int64_t rhs_offset_ = 0;
  std::vector<Share> shares_;
  bool splits_columns_ = false;  // shares are ranges of columns, computed densely and then copied
  int64_t result_row_ = 0;       // elements of a row of the result
  int64_t partial_size_ = 0;     // elements of a partial result; 0: no split-K
  size_t partials_offset_ = 0;
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
  make_lhs_row_major(layout, lhs.dtype == DType::float32);
  const auto batch = batch_dims(layout.lhs.batch, layout.rhs.batch);
  if (!batch) return refuse(refusal, "the batch has more than two strides");
  try {
    auto kernel = std::make_unique<OnednnDot>(layout, *batch, *type, context.threads, refusal);
    if (!kernel->usable()) return nullptr;
    return kernel;
  } catch (const dnnl::error& error) {
    return refuse(refusal, error.what());
  }
}

}  // namespace antler::runtime

#include <algorithm>
#include <memory>
#include <string>

#include "runtime/cpu/gemm/dot_layout.h"
#include "runtime/cpu/gemm/operand_copy.h"
#include "runtime/cpu/node_view.h"
#include "runtime/cpu/onednn/kernels.h"
#include "runtime/cpu/onednn/onednn.h"

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

/// A left operand whose rows lie across memory, as that of a weight gradient: oneDNN gathers its
/// blocks again for each block of columns, one copy in order is cheaper.
void straighten(DotLayout& layout) {
  DotOperand& lhs = layout.lhs;
  if (layout.batches != 1 || lhs.copied || lhs.contract_stride == 1 || layout.k < kDeep ||
      layout.m == 1 || layout.n < kManyColumns) {
    return;
  }
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
    const auto lhs = matrices(batch, 0, layout.m, layout.k, layout.lhs.free_stride,
                              layout.lhs.contract_stride, type);
    const auto rhs = matrices(batch, 1, layout.k, layout.n, layout.rhs.contract_stride,
                              layout.rhs.free_stride, type);
    Progression dense = batch;
    dense.inner_stride[0] = layout.m * layout.n;
    dense.outer_stride[0] = layout.m * layout.n * batch.inner;
    const auto result = matrices(dense, 0, layout.m, layout.n, layout.n, 1, type);
    const dnnl::matmul::primitive_desc desc({lhs, rhs, result}, onednn::caller_scratchpad(),
                                            onednn::engine());
    if (!onednn::is_fast(desc.impl_info_str())) {
      if (refusal != nullptr) *refusal = std::string("only has ") + desc.impl_info_str();
      return;
    }
    lhs_ = OperandCopy(layout.lhs, element_, scratch_bytes_);
    rhs_ = OperandCopy(layout.rhs, element_, scratch_bytes_);
    lhs_first_ = layout.lhs.batch[0];
    rhs_first_ = layout.rhs.batch[0];
    scratchpad_at_ = scratch_bytes_;
    scratch_bytes_ += desc.scratchpad_desc().get_size();
    product_ = onednn::Call(dnnl::matmul(desc), {{DNNL_ARG_SRC, lhs},
                                                 {DNNL_ARG_WEIGHTS, rhs},
                                                 {DNNL_ARG_DST, result},
                                                 {DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc()}});
  }
  /// False after a refusal.
  bool usable() const { return product_.defined(); }

  void run(void* const* buffers) override {
    const onednn::ThreadScope scope(threads_);
    product_.set(0, at(lhs_.prepare(buffers[0], scratch_, threads_), lhs_first_));
    product_.set(1, at(rhs_.prepare(buffers[1], scratch_, threads_), rhs_first_));
    product_.set(2, buffers[2]);
    product_.run();
  }
  size_t scratch_bytes() const override { return scratch_bytes_; }
  void set_scratch(void* memory) override {
    scratch_ = static_cast<char*>(memory);
    product_.set(3, scratch_ + scratchpad_at_);
  }
  const char* name() const override { return "onednn matmul"; }

 private:
  const void* at(const void* data, int64_t element) const {
    return static_cast<const char*>(data) + element * static_cast<int64_t>(element_);
  }

  int threads_;
  size_t element_;
  size_t scratch_bytes_ = 0;
  size_t scratchpad_at_ = 0;
  OperandCopy lhs_;
  OperandCopy rhs_;
  int64_t lhs_first_ = 0;
  int64_t rhs_first_ = 0;
  onednn::Call product_;
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
  straighten(layout);
  const auto batch = progression(layout.lhs.batch, layout.rhs.batch);
  if (!batch) return refuse(refusal, "matrices that lie at irregular distances");
  const onednn::ThreadScope scope(context.threads);
  try {
    auto kernel = std::make_unique<OnednnDot>(layout, *batch, *type, context.threads, refusal);
    if (!kernel->usable()) return nullptr;
    return kernel;
  } catch (const dnnl::error& error) {
    return refuse(refusal, error.what());
  }
}

}  // namespace antler::runtime

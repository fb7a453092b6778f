#include <memory>
#include <string>
#include <utility>

#include "runtime/cpu/gemm/dot_layout.h"
#include "runtime/cpu/gemm/gemm.h"
#include "runtime/cpu/gemm/operand_copy.h"
#include "runtime/cpu/kernel_lists.h"
#include "runtime/cpu/node_view.h"
#include "runtime/cpu/onednn/kernels.h"
#include "runtime/cpu/widened.h"

namespace antler::runtime {
namespace {

/// dot_general by Gemm.
template <class T>
class DotGeneral final : public LibraryKernel {
 public:
  DotGeneral(const DotLayout& layout, int threads)
      : threads_(threads),
        lhs_(layout.lhs, sizeof(T), layout_),
        rhs_(layout.rhs, sizeof(T), layout_) {
    GemmBlock<T> block;
    block.m = layout.m;
    block.n = layout.n;
    block.k = layout.k;
    block.a_row_stride = layout.lhs.free_stride;
    block.a_col_stride = layout.lhs.contract_stride;
    block.b_row_stride = layout.rhs.contract_stride;
    block.b_col_stride = layout.rhs.free_stride;
    block.c_row_stride = layout.n;
    typename Gemm<T>::Batch batch{layout.lhs.batch, layout.rhs.batch, {}};
    for (int64_t i = 0; i < layout.batches; ++i) batch.c.push_back(i * layout.m * layout.n);
    gemm_ = Gemm<T>(block, std::move(batch), threads);
    gemm_offset_ = layout_.add(gemm_.scratch_bytes());
  }

  void run(void* const* buffers) override {
    const auto* a = static_cast<const T*>(lhs_.prepare(buffers[0], scratch_, threads_));
    const auto* b = static_cast<const T*>(rhs_.prepare(buffers[1], scratch_, threads_));
    gemm_.run(a, b, static_cast<T*>(buffers[2]), scratch_ + gemm_offset_);
  }
  size_t scratch_bytes() const override { return layout_.bytes(); }
  void set_scratch(void* memory) override { scratch_ = static_cast<char*>(memory); }
  const char* name() const override { return micro_kernels<T>().name; }

 private:
  int threads_;
  ScratchLayout layout_;
  OperandCopy lhs_;
  OperandCopy rhs_;
  Gemm<T> gemm_;
  size_t gemm_offset_ = 0;
  char* scratch_ = nullptr;
};

std::unique_ptr<LibraryKernel> make_gemm(const ir::Graph& graph, const ir::Node& node,
                                         const KernelContext& context, std::string* refusal) {
  const TensorSpec& lhs = input_spec(graph, node, 0);
  const TensorSpec& rhs = input_spec(graph, node, 1);
  if (!is_floating(lhs.dtype) || rhs.dtype != lhs.dtype) {
    return refuse(refusal, "operands do not have the same floating dtype");
  }
  if (dtype_size(lhs.dtype) == 2) return make_widened(graph, node, context, make_gemm, refusal);
  const DotLayout layout = dot_layout(lhs.shape, rhs.shape, node.attrs);
  if (lhs.dtype == DType::float64) {
    return std::make_unique<DotGeneral<double>>(layout, context.threads);
  }
  return std::make_unique<DotGeneral<float>>(layout, context.threads);
}

}  // namespace

CandidateSpan dot_general_kernels() {
  static constexpr Candidate kKernels[] = {{"onednn", make_onednn_dot}, {"gemm", make_gemm}};
  return kKernels;
}

}  // namespace antler::runtime

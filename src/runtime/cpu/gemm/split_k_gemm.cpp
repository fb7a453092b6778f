#include "runtime/cpu/gemm/split_k_gemm.h"

#include <algorithm>

#include "base/ceil_div.h"
#include "runtime/cpu/cache_line.h"
#include "runtime/cpu/parallel.h"

namespace antler::runtime {
namespace {

constexpr int64_t kMinPartDepth = 512;  // k of one part
constexpr int64_t kMaxParts = 16;
// If k is at least this many times m and n, adding the parts costs little compared to the product.
constexpr int64_t kMinDepthRatio = 16;

}  // namespace

template <class T>
bool SplitKGemm<T>::accepts(const GemmBlock<T>& block) {
  return block.k >= 2 * kMinPartDepth && block.k >= kMinDepthRatio * std::max(block.m, block.n);
}

template <class T>
SplitKGemm<T>::SplitKGemm(const GemmBlock<T>& block, int threads)
    : block_(block),
      threads_(threads_for_work(threads, block.m * block.n * block.k)),
      parts_(std::clamp<int64_t>(block.k / kMinPartDepth, 1, kMaxParts)),
      part_size_(pad_to_cache_line(block.m * block.n)),
      workspace_size_(
          pad_to_cache_line(gemm_workspace<T>(block.m, block.n, ceil_div(block.k, parts_)))) {
  block_.c_row_stride = block.n;
}

template <class T>
size_t SplitKGemm<T>::scratch_bytes() const {
  return static_cast<size_t>(parts_ * part_size_ + threads_ * workspace_size_) * sizeof(T);
}

template <class T>
void SplitKGemm<T>::run(const T* a, const T* b, T* c, void* scratch) const {
  T* const partial = static_cast<T*>(scratch);
  T* const workspaces = partial + parts_ * part_size_;
  parallel_each(threads_, parts_, [&](int64_t part, int worker) {
    const int64_t begin = block_.k * part / parts_;
    GemmBlock<T> block = block_;
    block.k = block_.k * (part + 1) / parts_ - begin;
    block.a = a + begin * block_.a_col_stride;
    block.b = b + begin * block_.b_row_stride;
    block.c = partial + part * part_size_;
    gemm_block(block, workspaces + worker * workspace_size_);
  });
  const int64_t size = block_.m * block_.n;
  std::copy_n(partial, size, c);
  for (int64_t part = 1; part < parts_; ++part) {
    const T* const from = partial + part * part_size_;
    for (int64_t i = 0; i < size; ++i) c[i] += from[i];
  }
}

template class SplitKGemm<float>;
template class SplitKGemm<double>;

}  // namespace antler::runtime

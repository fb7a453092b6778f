#include "runtime/cpu/gemm/deep_gemm.h"

#include <algorithm>

#include "runtime/cpu/ceil_div.h"
#include "runtime/cpu/parallel.h"

namespace antler::runtime {
namespace {

// Terms of a part's sum at least; and how many parts there are at most.
constexpr int64_t kMinDepth = 512;
constexpr int64_t kMaxParts = 16;
// Terms per row or column of C from which the sums of parts cost little beside the product.
constexpr int64_t kDeep = 16;

}  // namespace

template <class T>
bool DeepGemm<T>::serves(const GemmBlock<T>& block) {
  return block.k >= 2 * kMinDepth && block.k >= kDeep * std::max(block.m, block.n);
}

template <class T>
DeepGemm<T>::DeepGemm(const GemmBlock<T>& block, int threads)
    : block_(block),
      threads_(threads_for_work(threads, block.m * block.n * block.k)),
      parts_(std::clamp<int64_t>(block.k / kMinDepth, 1, kMaxParts)),
      part_size_(pad_to_cache_line(block.m * block.n)),
      workspace_(
          pad_to_cache_line(gemm_workspace<T>(block.m, block.n, ceil_div(block.k, parts_)))) {
  block_.c_row = block.n;
}

template <class T>
size_t DeepGemm<T>::scratch_bytes() const {
  return static_cast<size_t>(parts_ * part_size_ + threads_ * workspace_) * sizeof(T);
}

template <class T>
void DeepGemm<T>::run(const T* a, const T* b, T* c, void* scratch) const {
  T* const partial = static_cast<T*>(scratch);
  T* const workspaces = partial + parts_ * part_size_;
  parallel_each(threads_, parts_, [&](int64_t part, int worker) {
    const int64_t begin = block_.k * part / parts_;
    GemmBlock<T> block = block_;
    block.k = block_.k * (part + 1) / parts_ - begin;
    block.a = a + begin * block_.a_column;
    block.b = b + begin * block_.b_row;
    block.c = partial + part * part_size_;
    gemm_block(block, workspaces + worker * workspace_);
  });
  const int64_t size = block_.m * block_.n;
  std::copy_n(partial, size, c);
  for (int64_t part = 1; part < parts_; ++part) {
    const T* const from = partial + part * part_size_;
    for (int64_t i = 0; i < size; ++i) c[i] += from[i];
  }
}

template class DeepGemm<float>;
template class DeepGemm<double>;

}  // namespace antler::runtime

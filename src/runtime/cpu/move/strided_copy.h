#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace antler::runtime {

/// Copies an n-dimensional array between two strided layouts: the kernel of transposes, slices,
/// pads and concatenations that are not fused. oneDNN's reorder supports neither negative strides,
/// which reversals need, nor all dtypes.
class StridedCopy {
 public:
  StridedCopy() = default;
  /// Strides are in elements; those of the input may be negative or 0. Elements of the output must
  /// not overlap. element_size: 1, 2, 4 or 8 bytes.
  StridedCopy(size_t element_size, const std::vector<int64_t>& shape,
              const std::vector<int64_t>& in_strides, const std::vector<int64_t>& out_strides);

  /// The pointers are the addresses of the element with all indices 0.
  void run(const void* in, void* out, int threads) const;
  int64_t bytes() const { return bytes_; }

 private:
  struct Dim {
    int64_t size = 1;
    int64_t in = 0;
    int64_t out = 0;
  };
  template <class T>
  void run_typed(const T* in, T* out, int threads) const;

  size_t element_size_ = 1;
  int64_t bytes_ = 0;  // of the elements that are copied
  int64_t items_ = 0;  // product of the outer sizes
  std::vector<Dim> outer_;
  Dim transposed_;  // contiguous in the input, if that is not `inner_`; otherwise of size 1
  Dim inner_;       // innermost in the output
};

}  // namespace antler::runtime

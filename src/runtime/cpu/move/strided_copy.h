#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace antler::runtime {

/// Copies an n-dimensional array between two layouts, prepared once: transposes, slices, pads and
/// joins are this with different strides.
class StridedCopy {
 public:
  StridedCopy() = default;
  /// Strides in elements, one per dimension of `shape`; those of the input may be negative or 0.
  /// Distinct elements of the output lie at distinct places. element_size: 1, 2, 4 or 8 bytes.
  StridedCopy(size_t element_size, const std::vector<int64_t>& shape,
              const std::vector<int64_t>& in_strides, const std::vector<int64_t>& out_strides);

  /// The pointers are those of the element with all indices 0.
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
  Dim across_;  // contiguous in the input where that is not `along_`; else of size 1
  Dim along_;   // innermost in the output
};

}  // namespace antler::runtime

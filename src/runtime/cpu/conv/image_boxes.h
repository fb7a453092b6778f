#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace antler::runtime {

/// How windows walk over a channels-last array [batch, in0, in1, in2, channels]. Window j of a
/// dimension begins at j * step + low and spans `reach` elements; elements outside of the array are
/// zero. With spread > 1 the array has spread - 1 zeros between its elements, and all positions
/// count those too.
struct WindowWalk {
  struct Dim {
    int64_t in = 1;
    int64_t spread = 1;
    int64_t count = 1;  ///< windows
    int64_t step = 1;
    int64_t low = 0;
    int64_t reach = 1;
  };
  int64_t batch = 0;
  int64_t channels = 1;
  std::array<Dim, 3> dims;
};

/// The windows of an array cut into boxes that a core's cache holds, and where the elements of each
/// window are: in the array itself or, where windows reach over its border, in a padded copy of the
/// box's part of it (the slab). T: float, double.
template <class T>
class ImageBoxes {
 public:
  ImageBoxes() = default;
  explicit ImageBoxes(const WindowWalk& walk);

  int64_t count() const { return blocks_[0] * blocks_[1] * blocks_[2]; }
  /// Windows of a box, and of the boxes before it: windows are numbered (n, j0, j1, j2), row-major.
  int64_t windows(int64_t box) const;
  int64_t first_window(int64_t box) const;
  /// The indices of a box's first window.
  std::array<int64_t, 3> first_index(int64_t box) const;
  /// Indices n, j0, j1, j2 of the windows of a whole box, relative to first_index.
  const std::vector<std::array<int64_t, 4>>& window_indices() const { return indices_; }

  /// Elements of a slab; 0 where none is needed.
  int64_t slab_size() const { return in_place_ ? 0 : slab_size_; }
  /// The address of element (0, 0, 0), channel 0, of the box's first window.
  const T* prepare(const T* array, int64_t box, T* slab) const;
  /// Distances, in elements, of the windows of a box from its first window.
  const int64_t* window_offsets() const { return offsets_.data(); }
  /// Distance of neighbours within a window along a dimension.
  int64_t stride(size_t dim) const { return strides_[dim]; }

 private:
  void choose_blocks();
  void fill(const T* array, int64_t box, T* slab) const;

  WindowWalk walk_;
  bool in_place_ = true;
  std::array<int64_t, 3> block_ = {1, 1, 1};   // windows per box along n, j0, j1
  std::array<int64_t, 3> blocks_ = {0, 1, 1};  // boxes along n, j0, j1
  std::array<int64_t, 3> extent_ = {1, 1, 1};  // of a slab
  std::array<int64_t, 3> strides_ = {0, 0, 0};
  int64_t image_stride_ = 0;
  int64_t slab_size_ = 0;
  std::vector<std::array<int64_t, 4>> indices_;
  std::vector<int64_t> offsets_;
};

}  // namespace antler::runtime

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace antler::runtime {

/// Windows that slide over a channels-last array [batch, in0, in1, in2, channels]. Along each
/// dimension, window j covers the positions [j * stride + start, j * stride + start + extent).
/// Positions outside of the array are zero. An array with dilation d has d - 1 zeros between its
/// elements, which count as positions.
struct WindowLayout {
  struct Dim {
    int64_t in = 1;
    int64_t dilation = 1;  ///< of the array
    int64_t count = 1;     ///< windows
    int64_t stride = 1;
    int64_t start = 0;
    int64_t extent = 1;
  };
  int64_t batch = 0;
  int64_t channels = 1;
  std::array<Dim, 3> dims;
};

/// Splits the windows into tiles that fit into a core's cache, and gives the addresses of their
/// elements: in the array itself or, if windows cover padding, in a padded copy of the tile's part
/// of the array. T: float, double.
template <class T>
class ImageTiles {
 public:
  ImageTiles() = default;
  explicit ImageTiles(const WindowLayout& layout);

  int64_t count() const { return tiles_[0] * tiles_[1] * tiles_[2]; }
  /// Number of windows of a tile, and index of its first one. Windows (n, j0, j1, j2) are numbered
  /// in row-major order.
  int64_t windows(int64_t tile) const;
  int64_t first_window(int64_t tile) const;
  /// n, j0 and j1 of a tile's first window.
  std::array<int64_t, 3> first_index(int64_t tile) const;
  /// n, j0, j1 and j2 of the windows of a full tile, relative to its first window.
  const std::vector<std::array<int64_t, 4>>& window_indices() const { return indices_; }

  /// Elements of a tile's padded copy; 0 if none is needed.
  int64_t padded_size() const { return in_place_ ? 0 : padded_size_; }
  /// Address of the first element of the tile's first window. Fills `padded` if needed.
  const T* prepare(const T* array, int64_t tile, T* padded) const;
  /// Offsets of a tile's windows from its first window.
  const int64_t* window_offsets() const { return offsets_.data(); }
  /// Stride of a dimension within a window.
  int64_t stride(size_t dim) const { return strides_[dim]; }

 private:
  void choose_tiles();
  void pad(const T* array, int64_t tile, T* padded) const;

  WindowLayout layout_;
  bool in_place_ = true;
  std::array<int64_t, 3> tile_ = {1, 1, 1};    // windows per tile along n, j0, j1
  std::array<int64_t, 3> tiles_ = {0, 1, 1};   // tiles along n, j0, j1
  std::array<int64_t, 3> extent_ = {1, 1, 1};  // of a padded copy
  std::array<int64_t, 3> strides_ = {0, 0, 0};
  int64_t image_stride_ = 0;
  int64_t padded_size_ = 0;
  std::vector<std::array<int64_t, 4>> indices_;
  std::vector<int64_t> offsets_;
};

}  // namespace antler::runtime

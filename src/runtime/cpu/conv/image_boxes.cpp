#include "runtime/cpu/conv/image_boxes.h"

#include <algorithm>
#include <cstring>
#include "runtime/cpu/ceil_div.h"

namespace antler::runtime {
namespace {

// Windows of a box: enough to use each packed panel of weights many times.
constexpr int64_t kWindows = 256;
// Images are taken together until a box has this many.
constexpr int64_t kFewWindows = 96;

}  // namespace

template <class T>
ImageBoxes<T>::ImageBoxes(const WindowWalk& walk) : walk_(walk) {
  for (const WindowWalk::Dim& d : walk_.dims) {
    in_place_ = in_place_ && d.spread == 1 && d.low >= 0 &&
                (d.count - 1) * d.step + d.low + d.reach <= d.in;
  }
  choose_blocks();
  if (count() == 0) return;
  const std::array<int64_t, 3> windows = {block_[1], block_[2], walk_.dims[2].count};
  for (size_t d = 0; d < 3; ++d) {
    extent_[d] =
        in_place_ ? walk_.dims[d].in : (windows[d] - 1) * walk_.dims[d].step + walk_.dims[d].reach;
  }
  strides_[2] = walk_.channels;
  strides_[1] = strides_[2] * extent_[2];
  strides_[0] = strides_[1] * extent_[1];
  image_stride_ = strides_[0] * extent_[0];
  slab_size_ = image_stride_ * block_[0];
  for (int64_t n = 0; n < block_[0]; ++n) {
    for (int64_t j0 = 0; j0 < windows[0]; ++j0) {
      for (int64_t j1 = 0; j1 < windows[1]; ++j1) {
        for (int64_t j2 = 0; j2 < windows[2]; ++j2) {
          indices_.push_back({n, j0, j1, j2});
          offsets_.push_back(n * image_stride_ + j0 * walk_.dims[0].step * strides_[0] +
                             j1 * walk_.dims[1].step * strides_[1] +
                             j2 * walk_.dims[2].step * strides_[2]);
        }
      }
    }
  }
}

/// Cuts one of n, j0 and j1: those outside of it have one index per box, those inside all of them,
/// so that the windows of a box follow each other.
template <class T>
void ImageBoxes<T>::choose_blocks() {
  const int64_t c0 = walk_.dims[0].count;
  const int64_t c1 = walk_.dims[1].count;
  const int64_t row = walk_.dims[2].count;
  if (walk_.batch == 0 || c0 * c1 * row == 0) {
    blocks_ = {0, 1, 1};
    return;
  }
  const int64_t plane = c1 * row;
  const int64_t image = c0 * plane;
  const auto even = [](int64_t total, int64_t most) {
    return ceil_div(total, ceil_div(total, most));
  };
  if (image <= kWindows) {
    block_ = {std::min(walk_.batch, std::max<int64_t>(1, kFewWindows / image)), c0, c1};
  } else if (plane <= kWindows) {
    block_ = {1, even(c0, std::max<int64_t>(1, kWindows / plane)), c1};
  } else {
    block_ = {1, 1, even(c1, std::max<int64_t>(1, kWindows / row))};
  }
  blocks_ = {ceil_div(walk_.batch, block_[0]), ceil_div(c0, block_[1]), ceil_div(c1, block_[2])};
}

template <class T>
std::array<int64_t, 3> ImageBoxes<T>::first_index(int64_t box) const {
  return {box / blocks_[2] / blocks_[1] * block_[0], box / blocks_[2] % blocks_[1] * block_[1],
          box % blocks_[2] * block_[2]};
}

template <class T>
int64_t ImageBoxes<T>::first_window(int64_t box) const {
  const auto [n, j0, j1] = first_index(box);
  return ((n * walk_.dims[0].count + j0) * walk_.dims[1].count + j1) * walk_.dims[2].count;
}

template <class T>
int64_t ImageBoxes<T>::windows(int64_t box) const {
  const auto [n, j0, j1] = first_index(box);
  return std::min(block_[0], walk_.batch - n) * std::min(block_[1], walk_.dims[0].count - j0) *
         std::min(block_[2], walk_.dims[1].count - j1) * walk_.dims[2].count;
}

template <class T>
const T* ImageBoxes<T>::prepare(const T* array, int64_t box, T* slab) const {
  if (!in_place_) {
    fill(array, box, slab);
    return slab;
  }
  const auto [n, j0, j1] = first_index(box);
  const auto& d = walk_.dims;
  return array + n * image_stride_ + (j0 * d[0].step + d[0].low) * strides_[0] +
         (j1 * d[1].step + d[1].low) * strides_[1] + d[2].low * strides_[2];
}

template <class T>
void ImageBoxes<T>::fill(const T* array, int64_t box, T* slab) const {
  const std::array<int64_t, 3> first = first_index(box);
  const auto& d = walk_.dims;
  const int64_t images = std::min(block_[0], walk_.batch - first[0]);
  const int64_t begin0 = first[1] * d[0].step + d[0].low;
  const int64_t begin1 = first[2] * d[1].step + d[1].low;
  const int64_t begin2 = d[2].low;
  const auto c = static_cast<size_t>(walk_.channels);
  // Index in the array of a position, -1 for zeros.
  const auto at = [](const WindowWalk::Dim& dim, int64_t position) -> int64_t {
    if (position < 0 || position % dim.spread != 0) return -1;
    return position / dim.spread < dim.in ? position / dim.spread : -1;
  };
  const int64_t row_size = extent_[2] * walk_.channels;
  T* to = slab;
  for (int64_t n = 0; n < images; ++n) {
    for (int64_t e0 = 0; e0 < extent_[0]; ++e0) {
      for (int64_t e1 = 0; e1 < extent_[1]; ++e1, to += row_size) {
        const int64_t i0 = at(d[0], begin0 + e0);
        const int64_t i1 = at(d[1], begin1 + e1);
        if (i0 < 0 || i1 < 0) {
          std::memset(to, 0, static_cast<size_t>(row_size) * sizeof(T));
          continue;
        }
        const T* from =
            array + (((first[0] + n) * d[0].in + i0) * d[1].in + i1) * d[2].in * walk_.channels;
        if (d[2].spread == 1) {
          const int64_t skip = std::clamp<int64_t>(-begin2, 0, extent_[2]);
          const int64_t end = std::clamp<int64_t>(d[2].in - begin2, skip, extent_[2]);
          std::memset(to, 0, static_cast<size_t>(skip) * c * sizeof(T));
          std::memcpy(to + skip * walk_.channels, from + (begin2 + skip) * walk_.channels,
                      static_cast<size_t>(end - skip) * c * sizeof(T));
          std::memset(to + end * walk_.channels, 0,
                      static_cast<size_t>(extent_[2] - end) * c * sizeof(T));
          continue;
        }
        for (int64_t e2 = 0; e2 < extent_[2]; ++e2) {
          const int64_t i2 = at(d[2], begin2 + e2);
          if (i2 < 0) {
            std::memset(to + e2 * walk_.channels, 0, c * sizeof(T));
          } else {
            std::memcpy(to + e2 * walk_.channels, from + i2 * walk_.channels, c * sizeof(T));
          }
        }
      }
    }
  }
}

template class ImageBoxes<float>;
template class ImageBoxes<double>;

}  // namespace antler::runtime

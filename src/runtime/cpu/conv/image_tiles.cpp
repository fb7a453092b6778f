#include "runtime/cpu/conv/image_tiles.h"

#include <algorithm>
#include <cstring>

#include "base/ceil_div.h"

namespace antler::runtime {
namespace {

// Windows per tile: enough to reuse each packed panel of weights many times.
constexpr int64_t kMaxWindows = 256;
// Tiles of small images span several images until they have this many windows.
constexpr int64_t kMinWindows = 96;

}  // namespace

template <class T>
ImageTiles<T>::ImageTiles(const WindowLayout& layout) : layout_(layout) {
  for (const WindowLayout::Dim& d : layout_.dims) {
    in_place_ = in_place_ && d.dilation == 1 && d.start >= 0 &&
                (d.count - 1) * d.stride + d.start + d.extent <= d.in;
  }
  choose_tiles();
  if (count() == 0) return;
  const std::array<int64_t, 3> windows = {tile_[1], tile_[2], layout_.dims[2].count};
  for (size_t d = 0; d < 3; ++d) {
    extent_[d] = in_place_ ? layout_.dims[d].in
                           : (windows[d] - 1) * layout_.dims[d].stride + layout_.dims[d].extent;
  }
  strides_[2] = layout_.channels;
  strides_[1] = strides_[2] * extent_[2];
  strides_[0] = strides_[1] * extent_[1];
  image_stride_ = strides_[0] * extent_[0];
  padded_size_ = image_stride_ * tile_[0];
  for (int64_t n = 0; n < tile_[0]; ++n) {
    for (int64_t j0 = 0; j0 < windows[0]; ++j0) {
      for (int64_t j1 = 0; j1 < windows[1]; ++j1) {
        for (int64_t j2 = 0; j2 < windows[2]; ++j2) {
          indices_.push_back({n, j0, j1, j2});
          offsets_.push_back(n * image_stride_ + j0 * layout_.dims[0].stride * strides_[0] +
                             j1 * layout_.dims[1].stride * strides_[1] +
                             j2 * layout_.dims[2].stride * strides_[2]);
        }
      }
    }
  }
}

/// Splits one of the dimensions n, j0 and j1. A tile covers a single index of each dimension
/// outside of the split one and all indices of each dimension inside of it, so its windows are
/// consecutive.
template <class T>
void ImageTiles<T>::choose_tiles() {
  const int64_t c0 = layout_.dims[0].count;
  const int64_t c1 = layout_.dims[1].count;
  const int64_t row = layout_.dims[2].count;
  if (layout_.batch == 0 || c0 * c1 * row == 0) {
    tiles_ = {0, 1, 1};
    return;
  }
  const int64_t plane = c1 * row;
  const int64_t image = c0 * plane;
  const auto even_part = [](int64_t total, int64_t max) {
    return ceil_div(total, ceil_div(total, max));
  };
  if (image <= kMaxWindows) {
    tile_ = {std::min(layout_.batch, std::max<int64_t>(1, kMinWindows / image)), c0, c1};
  } else if (plane <= kMaxWindows) {
    tile_ = {1, even_part(c0, std::max<int64_t>(1, kMaxWindows / plane)), c1};
  } else {
    tile_ = {1, 1, even_part(c1, std::max<int64_t>(1, kMaxWindows / row))};
  }
  tiles_ = {ceil_div(layout_.batch, tile_[0]), ceil_div(c0, tile_[1]), ceil_div(c1, tile_[2])};
}

template <class T>
std::array<int64_t, 3> ImageTiles<T>::first_index(int64_t tile) const {
  return {tile / tiles_[2] / tiles_[1] * tile_[0], tile / tiles_[2] % tiles_[1] * tile_[1],
          tile % tiles_[2] * tile_[2]};
}

template <class T>
int64_t ImageTiles<T>::first_window(int64_t tile) const {
  const auto [n, j0, j1] = first_index(tile);
  return ((n * layout_.dims[0].count + j0) * layout_.dims[1].count + j1) * layout_.dims[2].count;
}

template <class T>
int64_t ImageTiles<T>::windows(int64_t tile) const {
  const auto [n, j0, j1] = first_index(tile);
  return std::min(tile_[0], layout_.batch - n) * std::min(tile_[1], layout_.dims[0].count - j0) *
         std::min(tile_[2], layout_.dims[1].count - j1) * layout_.dims[2].count;
}

template <class T>
const T* ImageTiles<T>::prepare(const T* array, int64_t tile, T* padded) const {
  if (!in_place_) {
    pad(array, tile, padded);
    return padded;
  }
  const auto [n, j0, j1] = first_index(tile);
  const auto& d = layout_.dims;
  return array + n * image_stride_ + (j0 * d[0].stride + d[0].start) * strides_[0] +
         (j1 * d[1].stride + d[1].start) * strides_[1] + d[2].start * strides_[2];
}

template <class T>
void ImageTiles<T>::pad(const T* array, int64_t tile, T* padded) const {
  const std::array<int64_t, 3> first = first_index(tile);
  const auto& d = layout_.dims;
  const int64_t images = std::min(tile_[0], layout_.batch - first[0]);
  const int64_t begin0 = first[1] * d[0].stride + d[0].start;
  const int64_t begin1 = first[2] * d[1].stride + d[1].start;
  const int64_t begin2 = d[2].start;
  const auto c = static_cast<size_t>(layout_.channels);
  // Index of a position in the array; -1: zero.
  const auto at = [](const WindowLayout::Dim& dim, int64_t position) -> int64_t {
    if (position < 0 || position % dim.dilation != 0) return -1;
    return position / dim.dilation < dim.in ? position / dim.dilation : -1;
  };
  const int64_t row_size = extent_[2] * layout_.channels;
  T* to = padded;
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
            array + (((first[0] + n) * d[0].in + i0) * d[1].in + i1) * d[2].in * layout_.channels;
        if (d[2].dilation == 1) {
          const int64_t skip = std::clamp<int64_t>(-begin2, 0, extent_[2]);
          const int64_t end = std::clamp<int64_t>(d[2].in - begin2, skip, extent_[2]);
          std::memset(to, 0, static_cast<size_t>(skip) * c * sizeof(T));
          std::memcpy(to + skip * layout_.channels, from + (begin2 + skip) * layout_.channels,
                      static_cast<size_t>(end - skip) * c * sizeof(T));
          std::memset(to + end * layout_.channels, 0,
                      static_cast<size_t>(extent_[2] - end) * c * sizeof(T));
          continue;
        }
        for (int64_t e2 = 0; e2 < extent_[2]; ++e2) {
          const int64_t i2 = at(d[2], begin2 + e2);
          if (i2 < 0) {
            std::memset(to + e2 * layout_.channels, 0, c * sizeof(T));
          } else {
            std::memcpy(to + e2 * layout_.channels, from + i2 * layout_.channels, c * sizeof(T));
          }
        }
      }
    }
  }
}

template class ImageTiles<float>;
template class ImageTiles<double>;

}  // namespace antler::runtime

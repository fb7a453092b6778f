#include "runtime/cpu/conv/direct_filter_grad.h"

#include <algorithm>
#include <cstring>

#include "base/ceil_div.h"
#include "runtime/cpu/cache_line.h"
#include "runtime/cpu/parallel.h"
#include "runtime/cpu/simd.h"

namespace antler::runtime {
namespace {

// Many parts balance the load, but take memory for their partial results.
constexpr int64_t kMaxParts = 8;
constexpr int64_t kMaxPartialElements = 1 << 20;  // of all partial results
constexpr int64_t kMinTasks = 8;

ANTLER_CLONES void add_floats(const float* from, float* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] += from[i];
}
ANTLER_CLONES void add_doubles(const double* from, double* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] += from[i];
}
void add(const float* from, float* to, int64_t count) { add_floats(from, to, count); }
void add(const double* from, double* to, int64_t count) { add_doubles(from, to, count); }

}  // namespace

template <class T>
DirectFilterGrad<T>::DirectFilterGrad(const ops::ConvGeometry& geometry, int threads)
    : micro_(&micro_kernels<T>()), geometry_(geometry), threads_(threads) {
  WindowLayout layout;
  layout.batch = geometry.batch;
  layout.channels = geometry.groups * geometry.group_inputs;
  for (size_t d = 0; d < 3; ++d) {
    const ops::ConvDimension& dim = geometry.dims[d];
    layout.dims[d] = {.in = dim.input,
                      .dilation = dim.lhs_dilation,
                      .count = dim.output,
                      .stride = dim.stride,
                      .start = -dim.pad_low,
                      .extent = (dim.kernel - 1) * dim.rhs_dilation + 1};
  }
  tiles_ = ImageTiles<T>(layout);
  const int64_t outputs = geometry.groups * geometry.group_outputs;
  const auto& d = geometry.dims;
  for (int64_t k0 = 0; k0 < d[0].kernel; ++k0) {
    for (int64_t k1 = 0; k1 < d[1].kernel; ++k1) {
      for (int64_t k2 = 0; k2 < d[2].kernel; ++k2) {
        for (int64_t c = 0; c < geometry.group_inputs; ++c) {
          dw_rows_.push_back(rows() * outputs);
          x_rows_.push_back(k0 * d[0].rhs_dilation * tiles_.stride(0) +
                            k1 * d[1].rhs_dilation * tiles_.stride(1) +
                            k2 * d[2].rhs_dilation * tiles_.stride(2) + c);
        }
      }
    }
  }
  threads_ = threads_for_work(
      threads, geometry.batch * d[0].output * d[1].output * d[2].output * rows() * outputs);
  const auto row_windows = static_cast<size_t>(std::max<int64_t>(d[2].output, 1));
  for (size_t i = 0; i < tiles_.window_indices().size(); i += row_windows) {
    segments_.push_back(tiles_.window_offsets()[i]);
  }
  parts_ =
      std::clamp<int64_t>(kMaxPartialElements / std::max<int64_t>(result_size(), 1), 1, kMaxParts);
  parts_ = std::max<int64_t>(std::min(parts_, tiles_.count()), 1);
  row_parts_ =
      std::clamp<int64_t>(ceil_div(kMinTasks, parts_), 1, ceil_div(rows(), 4 * micro_->rows));
  padded_size_ = pad_to_cache_line(tiles_.padded_size());
  // Full vectors of dy are read in place; a group's last columns are packed.
  if (geometry.group_outputs % micro_->lanes != 0) {
    tail_size_ = static_cast<int64_t>(tiles_.window_indices().size()) * micro_->columns();
  }
}

template <class T>
size_t DirectFilterGrad<T>::scratch_bytes() const {
  const int64_t partial = parts_ > 1 ? pad_to_cache_line(parts_ * result_size()) : 0;
  return static_cast<size_t>(partial + (padded_size_ + tail_size_) * threads_) * sizeof(T);
}

template <class T>
void DirectFilterGrad<T>::run(const T* x, const T* dy, T* dw, void* scratch) const {
  if (tiles_.count() == 0) {
    std::memset(dw, 0, static_cast<size_t>(result_size()) * sizeof(T));
    return;
  }
  T* const partial = static_cast<T*>(scratch);
  T* const workspaces = partial + (parts_ > 1 ? pad_to_cache_line(parts_ * result_size()) : 0);
  parallel_each(threads_, parts_ * row_parts_, [&](int64_t task, int worker) {
    const int64_t part = task / row_parts_;
    run_part(part, task % row_parts_, x, dy, parts_ > 1 ? partial + part * result_size() : dw,
             workspaces + worker * (padded_size_ + tail_size_));
  });
  if (parts_ == 1) return;
  const int64_t bytes = parts_ * result_size() * static_cast<int64_t>(sizeof(T));
  parallel_ranges(
      threads_for_bytes(threads_, bytes), result_size(), [&](int64_t begin, int64_t end) {
        std::memcpy(dw + begin, partial + begin, static_cast<size_t>(end - begin) * sizeof(T));
        for (int64_t p = 1; p < parts_; ++p) {
          add(partial + p * result_size() + begin, dw + begin, end - begin);
        }
      });
}

template <class T>
void DirectFilterGrad<T>::run_part(int64_t part, int64_t row_part, const T* x, const T* dy, T* dw,
                                   T* workspace) const {
  const int64_t blocks = ceil_div(rows(), micro_->rows);
  const int64_t outputs = geometry_.groups * geometry_.group_outputs;
  const int64_t first_tile = tiles_.count() * part / parts_;
  const int64_t width = micro_->columns();
  T* const tail = workspace + padded_size_;
  IndirectArgs<T> args;
  args.depth = geometry_.dims[2].output;
  args.a_col_stride = geometry_.dims[2].stride * tiles_.stride(2);
  args.segment_offsets = segments_.data();
  for (int64_t tile = first_tile; tile < tiles_.count() * (part + 1) / parts_; ++tile) {
    const T* const image = tiles_.prepare(x, tile, workspace);
    const int64_t windows = tiles_.windows(tile);
    const T* const grads = dy + tiles_.first_window(tile) * outputs;
    args.segments = windows / args.depth;
    args.accumulate = tile > first_tile;
    for (int64_t group = 0; group < geometry_.groups; ++group) {
      args.a = image + group * geometry_.group_inputs;
      for (int64_t j = 0; j < geometry_.group_outputs; j += width) {
        const int64_t column = group * geometry_.group_outputs + j;
        args.columns = std::min(width, geometry_.group_outputs - j);
        args.b = grads + column;
        args.b_row_stride = outputs;
        if (args.columns % micro_->lanes != 0) {
          micro_->pack(windows, args.columns, args.b, outputs, 1, width, micro_->lanes, tail);
          args.b = tail;
          args.b_row_stride = micro_->padded(args.columns);
        }
        args.c = dw + column;
        for (int64_t i = blocks * row_part / row_parts_; i < blocks * (row_part + 1) / row_parts_;
             ++i) {
          const int64_t begin = rows() * i / blocks;
          args.a_row_offsets = x_rows_.data() + begin;
          args.c_row_offsets = dw_rows_.data() + begin;
          micro_->run_indirect(rows() * (i + 1) / blocks - begin, args);
        }
      }
    }
  }
}

template class DirectFilterGrad<float>;
template class DirectFilterGrad<double>;

}  // namespace antler::runtime

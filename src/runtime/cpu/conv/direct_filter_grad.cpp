#include "runtime/cpu/conv/direct_filter_grad.h"

#include <algorithm>
#include <cstring>

#include "runtime/cpu/ceil_div.h"
#include "runtime/cpu/parallel.h"
#include "runtime/cpu/simd.h"

namespace antler::runtime {
namespace {

// Sums of parts are added at the end: many parts share the work out well, but take memory.
constexpr int64_t kMaxParts = 8;
constexpr int64_t kPartElements = 1 << 20;
constexpr int64_t kTasks = 8;

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
  WindowWalk walk;
  walk.batch = geometry.batch;
  walk.channels = geometry.groups * geometry.group_inputs;
  for (size_t d = 0; d < 3; ++d) {
    const ops::ConvDimension& dim = geometry.dims[d];
    walk.dims[d] = {.in = dim.input,
                    .spread = dim.lhs_dilation,
                    .count = dim.output,
                    .step = dim.stride,
                    .low = -dim.pad_low,
                    .reach = (dim.kernel - 1) * dim.rhs_dilation + 1};
  }
  boxes_ = ImageBoxes<T>(walk);
  const int64_t outputs = geometry.groups * geometry.group_outputs;
  const auto& d = geometry.dims;
  for (int64_t k0 = 0; k0 < d[0].kernel; ++k0) {
    for (int64_t k1 = 0; k1 < d[1].kernel; ++k1) {
      for (int64_t k2 = 0; k2 < d[2].kernel; ++k2) {
        for (int64_t c = 0; c < geometry.group_inputs; ++c) {
          dw_rows_.push_back(rows() * outputs);
          x_rows_.push_back(k0 * d[0].rhs_dilation * boxes_.stride(0) +
                            k1 * d[1].rhs_dilation * boxes_.stride(1) +
                            k2 * d[2].rhs_dilation * boxes_.stride(2) + c);
        }
      }
    }
  }
  threads_ = threads_for_work(
      threads, geometry.batch * d[0].output * d[1].output * d[2].output * rows() * outputs);
  const auto row_windows = static_cast<size_t>(std::max<int64_t>(d[2].output, 1));
  for (size_t i = 0; i < boxes_.window_indices().size(); i += row_windows) {
    segments_.push_back(boxes_.window_offsets()[i]);
  }
  parts_ = std::clamp<int64_t>(kPartElements / std::max<int64_t>(result_size(), 1), 1, kMaxParts);
  parts_ = std::max<int64_t>(std::min(parts_, boxes_.count()), 1);
  strips_ = std::clamp<int64_t>(ceil_div(kTasks, parts_), 1, ceil_div(rows(), 4 * micro_->rows));
  slab_size_ = pad_to_cache_line(boxes_.slab_size());
  // Whole vectors of dy are read in place; what remains of a group's columns is packed.
  if (geometry.group_outputs % micro_->lanes != 0) {
    tail_size_ = static_cast<int64_t>(boxes_.window_indices().size()) * micro_->columns();
  }
}

template <class T>
size_t DirectFilterGrad<T>::scratch_bytes() const {
  const int64_t partial = parts_ > 1 ? pad_to_cache_line(parts_ * result_size()) : 0;
  return static_cast<size_t>(partial + (slab_size_ + tail_size_) * threads_) * sizeof(T);
}

template <class T>
void DirectFilterGrad<T>::run(const T* x, const T* dy, T* dw, void* scratch) const {
  if (boxes_.count() == 0) {
    std::memset(dw, 0, static_cast<size_t>(result_size()) * sizeof(T));
    return;
  }
  T* const partial = static_cast<T*>(scratch);
  T* const slabs = partial + (parts_ > 1 ? pad_to_cache_line(parts_ * result_size()) : 0);
  parallel_each(threads_, parts_ * strips_, [&](int64_t task, int worker) {
    const int64_t part = task / strips_;
    run_part(part, task % strips_, x, dy, parts_ > 1 ? partial + part * result_size() : dw,
             slabs + worker * (slab_size_ + tail_size_));
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
void DirectFilterGrad<T>::run_part(int64_t part, int64_t strip, const T* x, const T* dy, T* dw,
                                   T* slab) const {
  const int64_t blocks = ceil_div(rows(), micro_->rows);
  const int64_t outputs = geometry_.groups * geometry_.group_outputs;
  const int64_t first_box = boxes_.count() * part / parts_;
  const int64_t width = micro_->columns();
  T* const tail = slab + slab_size_;
  Walk<T> walk;
  walk.depth = geometry_.dims[2].output;
  walk.a_step = geometry_.dims[2].stride * boxes_.stride(2);
  walk.a_segments = segments_.data();
  for (int64_t box = first_box; box < boxes_.count() * (part + 1) / parts_; ++box) {
    const T* const image = boxes_.prepare(x, box, slab);
    const int64_t windows = boxes_.windows(box);
    const T* const grads = dy + boxes_.first_window(box) * outputs;
    walk.segments = windows / walk.depth;
    walk.accumulate = box > first_box;
    for (int64_t group = 0; group < geometry_.groups; ++group) {
      walk.a = image + group * geometry_.group_inputs;
      for (int64_t j = 0; j < geometry_.group_outputs; j += width) {
        const int64_t column = group * geometry_.group_outputs + j;
        walk.columns = std::min(width, geometry_.group_outputs - j);
        walk.b = grads + column;
        walk.b_step = outputs;
        if (walk.columns % micro_->lanes != 0) {
          micro_->pack(windows, walk.columns, walk.b, outputs, 1, width, micro_->lanes, tail);
          walk.b = tail;
          walk.b_step = micro_->padded(walk.columns);
        }
        walk.c = dw + column;
        for (int64_t i = blocks * strip / strips_; i < blocks * (strip + 1) / strips_; ++i) {
          const int64_t begin = rows() * i / blocks;
          walk.a_rows = x_rows_.data() + begin;
          walk.c_rows = dw_rows_.data() + begin;
          micro_->run(rows() * (i + 1) / blocks - begin, walk);
        }
      }
    }
  }
}

template class DirectFilterGrad<float>;
template class DirectFilterGrad<double>;

}  // namespace antler::runtime

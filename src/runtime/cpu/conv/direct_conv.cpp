#include "runtime/cpu/conv/direct_conv.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "runtime/cpu/ceil_div.h"
#include "runtime/cpu/parallel.h"

namespace antler::runtime {
namespace {

using ops::ConvDimension;

// Depth of a panel of weights that stays in the first-level cache with the image rows.
constexpr int64_t kDepth = 384;
// Runs of fewer elements are not worth a loop of their own.
constexpr int64_t kShortRun = 8;
// Shorter rows of windows would make blocks of few rows.
constexpr int64_t kEvenWindows = 8;

struct Tap {
  int64_t k;       // index in the kernel
  int64_t offset;  // of the input element that output 0 of the phase meets
};

/// The outputs start, start + step, ... of one dimension: output start + j * step meets input
/// j * in_step + offset for each tap.
struct DimPhase {
  int64_t start = 0;
  int64_t step = 1;
  int64_t count = 0;
  int64_t in_step = 1;
  std::vector<Tap> taps;  // by offset
};

/// The relation of a convolution, input * holes = output * stride - pad + k * dilation, is solved
/// for the input; for the gradient both change places.
std::vector<DimPhase> phases_of(const ConvDimension& d, bool is_grad) {
  const int64_t holes = is_grad ? d.stride : d.lhs_dilation;
  const int64_t stride = is_grad ? d.lhs_dilation : d.stride;
  const int64_t base = is_grad ? d.pad_low : -d.pad_low;
  const int64_t tap_step = is_grad ? -d.rhs_dilation : d.rhs_dilation;
  const int64_t outputs = is_grad ? d.input : d.output;
  const int64_t common = std::gcd(holes, stride);
  std::vector<DimPhase> phases;
  for (int64_t r = 0; r < std::min(holes / common, outputs); ++r) {
    DimPhase phase;
    phase.start = r;
    phase.step = holes / common;
    phase.count = ceil_div(outputs - r, phase.step);
    phase.in_step = stride / common;
    for (int64_t k = 0; k < d.kernel; ++k) {
      const int64_t position = r * stride + base + k * tap_step;
      if (position % holes == 0) phase.taps.push_back({k, position / holes});
    }
    std::sort(phase.taps.begin(), phase.taps.end(),
              [](const Tap& a, const Tap& b) { return a.offset < b.offset; });
    phases.push_back(std::move(phase));
  }
  return phases;
}

/// The taps [first, second) of window j that meet an input element.
std::pair<int64_t, int64_t> taps_inside(const DimPhase& phase, int64_t j, int64_t inputs) {
  const auto outside = [&](const Tap& tap) {
    const int64_t i = j * phase.in_step + tap.offset;
    return i < 0 || i >= inputs;
  };
  const auto first = std::find_if_not(phase.taps.begin(), phase.taps.end(), outside);
  const auto last = std::find_if(first, phase.taps.end(), outside);
  return {first - phase.taps.begin(), last - phase.taps.begin()};
}

/// Whether all taps are neighbours.
bool are_neighbours(const std::vector<Tap>& taps) {
  return taps.empty() ||
         taps.back().offset - taps.front().offset == static_cast<int64_t>(taps.size()) - 1;
}

}  // namespace

template <class T>
DirectConv<T>::DirectConv(const ops::ConvGeometry& geometry, Direction direction, int threads)
    : micro_(&micro_kernels<T>()),
      geometry_(geometry),
      is_grad_(direction == Direction::input_grad),
      threads_(threads),
      inputs_(is_grad_ ? geometry.group_outputs : geometry.group_inputs),
      outputs_(is_grad_ ? geometry.group_inputs : geometry.group_outputs) {
  std::array<int, 3> counts{};
  for (size_t d = 0; d < 3; ++d) {
    const ConvDimension& dim = geometry.dims[d];
    out_sizes_[d] = is_grad_ ? dim.input : dim.output;
    counts[d] = static_cast<int>(phases_of(dim, is_grad_).size());
  }
  for (int i = 0; i < counts[0]; ++i) {
    for (int j = 0; j < counts[1]; ++j) {
      for (int k = 0; k < counts[2]; ++k) add_phase({i, j, k});
    }
  }
  int64_t work = geometry.batch * geometry.groups * inputs_ * outputs_;
  for (const ConvDimension& dim : geometry.dims) work *= dim.kernel * dim.output;
  threads_ = threads_for_work(threads, work);
}

template <class T>
void DirectConv<T>::add_phase(const std::array<int, 3>& index) {
  std::array<DimPhase, 3> dims;
  WindowWalk walk;
  walk.batch = geometry_.batch;
  walk.channels = geometry_.groups * inputs_;
  Phase phase;
  for (size_t d = 0; d < 3; ++d) {
    const ConvDimension& dim = geometry_.dims[d];
    dims[d] = phases_of(dim, is_grad_)[static_cast<size_t>(index[d])];
    phase.out_start[d] = dims[d].start;
    phase.out_step[d] = dims[d].step;
    WindowWalk::Dim& w = walk.dims[d];
    w.in = is_grad_ ? dim.output : dim.input;
    w.count = dims[d].count;
    w.step = dims[d].in_step;
    if (!dims[d].taps.empty()) {
      w.low = dims[d].taps.front().offset;
      w.reach = dims[d].taps.back().offset - w.low + 1;
    }
  }
  phase.boxes = ImageBoxes<T>(walk);
  const bool merge = geometry_.groups == 1 && are_neighbours(dims[2].taps);
  phase.depth = inputs_ * (merge ? static_cast<int64_t>(dims[2].taps.size()) : 1);
  for (const Tap& t0 : dims[0].taps) {
    for (const Tap& t1 : dims[1].taps) {
      for (const Tap& t2 : dims[2].taps) {
        phase.taps.push_back((t0.k * geometry_.dims[1].kernel + t1.k) * geometry_.dims[2].kernel +
                             t2.k);
        if (merge && &t2 != &dims[2].taps.front()) continue;
        phase.segments.push_back((t0.offset - walk.dims[0].low) * phase.boxes.stride(0) +
                                 (t1.offset - walk.dims[1].low) * phase.boxes.stride(1) +
                                 (t2.offset - walk.dims[2].low) * phase.boxes.stride(2));
      }
    }
  }
  if (phase.depth < kShortRun) {
    std::vector<int64_t> elements;
    for (const int64_t segment : phase.segments) {
      for (int64_t p = 0; p < phase.depth; ++p) elements.push_back(segment + p);
    }
    phase.segments = std::move(elements);
    phase.depth = 1;
  }
  const auto segments = static_cast<int64_t>(phase.segments.size());
  // Rows of windows that lie partly in the padding need only some of the taps: a range of the first
  // dimension that has several.
  const size_t cut = dims[0].taps.size() > 1 ? 0 : 1;
  const int64_t unit = segments / std::max<int64_t>(static_cast<int64_t>(dims[cut].taps.size()), 1);
  phase.row_windows = dims[2].count;
  for (int64_t j0 = 0; j0 < dims[0].count; ++j0) {
    for (int64_t j1 = 0; j1 < dims[1].count; ++j1) {
      const auto [first, last] = taps_inside(dims[cut], cut == 0 ? j0 : j1, walk.dims[cut].in);
      phase.row_runs.emplace_back(first * unit, last * unit);
    }
  }
  const int64_t passes = std::clamp<int64_t>(ceil_div(segments * phase.depth, kDepth), 1,
                                             std::max<int64_t>(segments, 1));
  phase.chunk = std::max<int64_t>(1, ceil_div(segments, passes));
  const int64_t row = geometry_.groups * outputs_;
  for (const auto& [n, j0, j1, j2] : phase.boxes.window_indices()) {
    phase.out_rows.push_back(
        (((n * out_sizes_[0] + j0 * dims[0].step) * out_sizes_[1] + j1 * dims[1].step) *
             out_sizes_[2] +
         j2 * dims[2].step) *
        row);
  }
  phase.packed_at = packed_size_;
  phase.first_box = boxes_;
  const int64_t columns = panels() * micro_->columns();
  packed_size_ += geometry_.groups * columns * inputs_ * static_cast<int64_t>(phase.taps.size());
  boxes_ += phase.boxes.count();
  slab_size_ = std::max(slab_size_, pad_to_cache_line(phase.boxes.slab_size()));
  phases_.push_back(std::move(phase));
}

template <class T>
size_t DirectConv<T>::scratch_bytes() const {
  return static_cast<size_t>(packed_size() + slab_size_ * threads_) * sizeof(T);
}

/// Weights in panels of columns: [phase][group][panel][tap][input channel][column].
template <class T>
void DirectConv<T>::pack(const T* weights, T* packed) const {
  const int64_t all_outputs = geometry_.groups * geometry_.group_outputs;
  const int64_t tap_size = geometry_.group_inputs * all_outputs;
  const int64_t k_stride = is_grad_ ? 1 : all_outputs;
  const int64_t column_stride = is_grad_ ? all_outputs : 1;
  const int64_t width = micro_->columns();
  const int64_t per_phase = geometry_.groups * panels();
  const int64_t items = per_phase * static_cast<int64_t>(phases_.size());
  const int threads = threads_for_bytes(threads_, packed_size_ * static_cast<int64_t>(sizeof(T)));
  parallel_ranges(threads, items, [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      const Phase& phase = phases_[static_cast<size_t>(item / per_phase)];
      const int64_t panel = item % panels();
      const int64_t group = item % per_phase / panels();
      const int64_t count = std::min(width, outputs_ - panel * width);
      const int64_t padded = micro_->padded(count);
      const auto taps = static_cast<int64_t>(phase.taps.size());
      T* to = packed + phase.packed_at + (item % per_phase) * width * inputs_ * taps;
      for (const int64_t tap : phase.taps) {
        const T* from = weights + tap * tap_size + group * geometry_.group_outputs +
                        panel * width * column_stride;
        micro_->pack(inputs_, count, from, k_stride, column_stride, width, micro_->lanes, to);
        to += inputs_ * padded;
      }
    }
  });
}

template <class T>
void DirectConv<T>::run(const T* in, const T* weights, T* out, void* scratch) const {
  T* const packed = static_cast<T*>(scratch);
  T* const slabs = packed + packed_size();
  pack(weights, packed);
  parallel_each(threads_, boxes_, [&](int64_t i, int worker) {
    size_t p = 0;
    while (p + 1 < phases_.size() && phases_[p + 1].first_box <= i) ++p;
    run_box(phases_[p], i - phases_[p].first_box, in, packed, out, slabs + worker * slab_size_);
  });
}

template <class T>
void DirectConv<T>::run_packed(const T* in, const T* packed, T* out, T* slab) const {
  for (const Phase& phase : phases_) {
    for (int64_t box = 0; box < phase.boxes.count(); ++box) {
      run_box(phase, box, in, packed, out, slab);
    }
  }
}

template <class T>
void DirectConv<T>::run_box(const Phase& phase, int64_t box, const T* in, const T* packed, T* out,
                            T* slab) const {
  const T* const first = phase.boxes.prepare(in, box, slab);
  const auto [n, j0, j1] = phase.boxes.first_index(box);
  const int64_t row = geometry_.groups * outputs_;
  T* const to =
      out + (((n * out_sizes_[0] + phase.out_start[0] + j0 * phase.out_step[0]) * out_sizes_[1] +
              phase.out_start[1] + j1 * phase.out_step[1]) *
                 out_sizes_[2] +
             phase.out_start[2]) *
                row;
  const int64_t width = micro_->columns();
  const auto taps = static_cast<int64_t>(phase.taps.size());
  const auto segments = static_cast<int64_t>(phase.segments.size());
  const int64_t rows = phase.boxes.windows(box) / phase.row_windows;
  const int64_t first_row = phase.boxes.first_window(box) / phase.row_windows;
  const auto runs_of = [&](int64_t r) {
    return phase.row_runs[static_cast<size_t>(first_row + r) % phase.row_runs.size()];
  };
  Walk<T> walk;
  walk.depth = phase.depth;
  for (int64_t s = 0; s == 0 || s < segments; s += phase.chunk) {
    for (int64_t item = 0; item < geometry_.groups * panels(); ++item) {
      const int64_t group = item / panels();
      const int64_t j = item % panels() * width;
      walk.columns = std::min(width, outputs_ - j);
      walk.b_step = micro_->padded(walk.columns);
      const T* const weights = packed + phase.packed_at + item * width * inputs_ * taps;
      walk.a = first + group * inputs_;
      walk.c = to + group * outputs_ + j;
      for (int64_t r = 0, end = 0; r < rows; r = end) {
        const auto runs = runs_of(r);
        for (end = r + 1; end < rows && runs_of(end) == runs;) ++end;
        const int64_t begin_run = std::max(s, runs.first);
        const int64_t end_run = std::min(s + phase.chunk, runs.second);
        // Windows that meet nothing are zero.
        if (begin_run >= end_run && !(s == 0 && runs.first >= runs.second)) continue;
        walk.segments = std::max<int64_t>(end_run - begin_run, 0);
        walk.a_segments = phase.segments.data() + begin_run;
        walk.accumulate = begin_run > runs.first;
        walk.b = weights + begin_run * phase.depth * walk.b_step;
        run_windows(phase, r * phase.row_windows, end * phase.row_windows, walk);
      }
    }
  }
}

template <class T>
void DirectConv<T>::run_windows(const Phase& phase, int64_t begin, int64_t end,
                                Walk<T> walk) const {
  // Windows of one row are evenly spaced, which the kernels of few outputs can use.
  const bool by_rows = walk.columns <= micro_->lanes && phase.row_windows >= kEvenWindows;
  if (!by_rows) return run_blocks(phase, begin, end, walk);
  const int64_t* const offsets = phase.boxes.window_offsets();
  for (int64_t row = begin; row < end; row += phase.row_windows) {
    walk.a_row_step = offsets[row + 1] - offsets[row];
    run_blocks(phase, row, row + phase.row_windows, walk);
  }
}

/// Blocks of windows that differ in size by one at most.
template <class T>
void DirectConv<T>::run_blocks(const Phase& phase, int64_t begin, int64_t end, Walk<T> walk) const {
  const int64_t count = end - begin;
  const int64_t blocks = ceil_div(count, micro_->rows);
  for (int64_t i = 0; i < blocks; ++i) {
    const int64_t at = begin + count * i / blocks;
    walk.a_rows = phase.boxes.window_offsets() + at;
    walk.c_rows = phase.out_rows.data() + at;
    micro_->run(begin + count * (i + 1) / blocks - at, walk);
  }
}

template class DirectConv<float>;
template class DirectConv<double>;

}  // namespace antler::runtime

#include "runtime/cpu/conv/direct_conv.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/ceil_div.h"
#include "runtime/cpu/cache_line.h"
#include "runtime/cpu/parallel.h"

namespace antler::runtime {
namespace {

using ops::ConvDimension;

// Depth of a panel of weights that stays in L1 together with the image rows.
constexpr int64_t kMaxDepth = 384;
// Shorter segments are not worth a loop.
constexpr int64_t kMinSegment = 8;
// With shorter rows of windows, each micro-kernel call would process too few rows.
constexpr int64_t kMinRowWindows = 8;

struct Tap {
  int64_t k;       // index in the filter
  int64_t offset;  // input index for output 0 of the grid
};

/// The outputs start, start + step, ... of one dimension of a sub-convolution: for each tap, output
/// start + j * step reads input j * in_step + offset.
struct SubGrid {
  int64_t start = 0;
  int64_t step = 1;
  int64_t count = 0;
  int64_t in_step = 1;
  std::vector<Tap> taps;  // by offset
};

/// Solves input * lhs_dilation = output * stride - pad + k * rhs_dilation for the input. For the
/// gradient, input and output are exchanged.
std::vector<SubGrid> sub_grids_of(const ConvDimension& d, bool is_grad) {
  const int64_t in_dilation = is_grad ? d.stride : d.lhs_dilation;
  const int64_t stride = is_grad ? d.lhs_dilation : d.stride;
  const int64_t base = is_grad ? d.pad_low : -d.pad_low;
  const int64_t tap_step = is_grad ? -d.rhs_dilation : d.rhs_dilation;
  const int64_t outputs = is_grad ? d.input : d.output;
  const int64_t common = std::gcd(in_dilation, stride);
  std::vector<SubGrid> grids;
  for (int64_t r = 0; r < std::min(in_dilation / common, outputs); ++r) {
    SubGrid grid;
    grid.start = r;
    grid.step = in_dilation / common;
    grid.count = ceil_div(outputs - r, grid.step);
    grid.in_step = stride / common;
    for (int64_t k = 0; k < d.kernel; ++k) {
      const int64_t position = r * stride + base + k * tap_step;
      if (position % in_dilation == 0) grid.taps.push_back({k, position / in_dilation});
    }
    std::sort(grid.taps.begin(), grid.taps.end(),
              [](const Tap& a, const Tap& b) { return a.offset < b.offset; });
    grids.push_back(std::move(grid));
  }
  return grids;
}

/// The taps [first, second) of window j that are not padding.
std::pair<int64_t, int64_t> taps_inside(const SubGrid& grid, int64_t j, int64_t inputs) {
  const auto outside = [&](const Tap& tap) {
    const int64_t i = j * grid.in_step + tap.offset;
    return i < 0 || i >= inputs;
  };
  const auto first = std::find_if_not(grid.taps.begin(), grid.taps.end(), outside);
  const auto last = std::find_if(first, grid.taps.end(), outside);
  return {first - grid.taps.begin(), last - grid.taps.begin()};
}

bool are_adjacent(const std::vector<Tap>& taps) {
  return taps.empty() ||
         taps.back().offset - taps.front().offset == static_cast<int64_t>(taps.size()) - 1;
}

}  // namespace

template <class T>
DirectConv<T>::DirectConv(const ops::ConvGeometry& geometry, ConvOp op, int threads)
    : micro_(&micro_kernels<T>()),
      geometry_(geometry),
      is_grad_(op == ConvOp::input_grad),
      threads_(threads),
      inputs_(is_grad_ ? geometry.group_outputs : geometry.group_inputs),
      outputs_(is_grad_ ? geometry.group_inputs : geometry.group_outputs) {
  std::array<int, 3> counts{};
  for (size_t d = 0; d < 3; ++d) {
    const ConvDimension& dim = geometry.dims[d];
    out_sizes_[d] = is_grad_ ? dim.input : dim.output;
    counts[d] = static_cast<int>(sub_grids_of(dim, is_grad_).size());
  }
  for (int i = 0; i < counts[0]; ++i) {
    for (int j = 0; j < counts[1]; ++j) {
      for (int k = 0; k < counts[2]; ++k) add_sub_conv({i, j, k});
    }
  }
  int64_t work = geometry.batch * geometry.groups * inputs_ * outputs_;
  for (const ConvDimension& dim : geometry.dims) work *= dim.kernel * dim.output;
  threads_ = threads_for_work(threads, work);
}

template <class T>
void DirectConv<T>::add_sub_conv(const std::array<int, 3>& index) {
  std::array<SubGrid, 3> dims;
  WindowLayout layout;
  layout.batch = geometry_.batch;
  layout.channels = geometry_.groups * inputs_;
  SubConv conv;
  for (size_t d = 0; d < 3; ++d) {
    const ConvDimension& dim = geometry_.dims[d];
    dims[d] = sub_grids_of(dim, is_grad_)[static_cast<size_t>(index[d])];
    conv.out_start[d] = dims[d].start;
    conv.out_step[d] = dims[d].step;
    WindowLayout::Dim& w = layout.dims[d];
    w.in = is_grad_ ? dim.output : dim.input;
    w.count = dims[d].count;
    w.stride = dims[d].in_step;
    if (!dims[d].taps.empty()) {
      w.start = dims[d].taps.front().offset;
      w.extent = dims[d].taps.back().offset - w.start + 1;
    }
  }
  conv.tiles = ImageTiles<T>(layout);
  const bool merge = geometry_.groups == 1 && are_adjacent(dims[2].taps);
  conv.depth = inputs_ * (merge ? static_cast<int64_t>(dims[2].taps.size()) : 1);
  for (const Tap& t0 : dims[0].taps) {
    for (const Tap& t1 : dims[1].taps) {
      for (const Tap& t2 : dims[2].taps) {
        conv.taps.push_back((t0.k * geometry_.dims[1].kernel + t1.k) * geometry_.dims[2].kernel +
                            t2.k);
        if (merge && &t2 != &dims[2].taps.front()) continue;
        conv.segments.push_back((t0.offset - layout.dims[0].start) * conv.tiles.stride(0) +
                                (t1.offset - layout.dims[1].start) * conv.tiles.stride(1) +
                                (t2.offset - layout.dims[2].start) * conv.tiles.stride(2));
      }
    }
  }
  if (conv.depth < kMinSegment) {
    std::vector<int64_t> elements;
    for (const int64_t segment : conv.segments) {
      for (int64_t p = 0; p < conv.depth; ++p) elements.push_back(segment + p);
    }
    conv.segments = std::move(elements);
    conv.depth = 1;
  }
  const auto segments = static_cast<int64_t>(conv.segments.size());
  // Rows of windows that are partly padding need only some of the taps: a range along the first
  // dimension with several taps.
  const size_t dim = dims[0].taps.size() > 1 ? 0 : 1;
  const int64_t unit = segments / std::max<int64_t>(static_cast<int64_t>(dims[dim].taps.size()), 1);
  conv.row_windows = dims[2].count;
  for (int64_t j0 = 0; j0 < dims[0].count; ++j0) {
    for (int64_t j1 = 0; j1 < dims[1].count; ++j1) {
      const auto [first, last] = taps_inside(dims[dim], dim == 0 ? j0 : j1, layout.dims[dim].in);
      conv.row_segments.emplace_back(first * unit, last * unit);
    }
  }
  const int64_t passes = std::clamp<int64_t>(ceil_div(segments * conv.depth, kMaxDepth), 1,
                                             std::max<int64_t>(segments, 1));
  conv.segments_per_pass = std::max<int64_t>(1, ceil_div(segments, passes));
  const int64_t row = geometry_.groups * outputs_;
  for (const auto& [n, j0, j1, j2] : conv.tiles.window_indices()) {
    conv.out_rows.push_back(
        (((n * out_sizes_[0] + j0 * dims[0].step) * out_sizes_[1] + j1 * dims[1].step) *
             out_sizes_[2] +
         j2 * dims[2].step) *
        row);
  }
  conv.packed_offset = packed_size_;
  conv.first_tile = tiles_;
  const int64_t columns = panels() * micro_->columns();
  packed_size_ += geometry_.groups * columns * inputs_ * static_cast<int64_t>(conv.taps.size());
  tiles_ += conv.tiles.count();
  workspace_size_ = std::max(workspace_size_, pad_to_cache_line(conv.tiles.padded_size()));
  sub_convs_.push_back(std::move(conv));
}

template <class T>
size_t DirectConv<T>::scratch_bytes() const {
  return static_cast<size_t>(packed_size() + workspace_size_ * threads_) * sizeof(T);
}

/// Packed weights: [sub-convolution][group][panel][tap][input channel][column].
template <class T>
void DirectConv<T>::pack(const T* weights, T* packed) const {
  const int64_t all_outputs = geometry_.groups * geometry_.group_outputs;
  const int64_t tap_size = geometry_.group_inputs * all_outputs;
  const int64_t k_stride = is_grad_ ? 1 : all_outputs;
  const int64_t column_stride = is_grad_ ? all_outputs : 1;
  const int64_t width = micro_->columns();
  const int64_t per_sub_conv = geometry_.groups * panels();
  const int64_t items = per_sub_conv * static_cast<int64_t>(sub_convs_.size());
  const int threads = threads_for_bytes(threads_, packed_size_ * static_cast<int64_t>(sizeof(T)));
  parallel_ranges(threads, items, [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      const SubConv& conv = sub_convs_[static_cast<size_t>(item / per_sub_conv)];
      const int64_t panel = item % panels();
      const int64_t group = item % per_sub_conv / panels();
      const int64_t count = std::min(width, outputs_ - panel * width);
      const int64_t padded = micro_->padded(count);
      const auto taps = static_cast<int64_t>(conv.taps.size());
      T* to = packed + conv.packed_offset + (item % per_sub_conv) * width * inputs_ * taps;
      for (const int64_t tap : conv.taps) {
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
  T* const workspaces = packed + packed_size();
  pack(weights, packed);
  parallel_each(threads_, tiles_, [&](int64_t tile, int worker) {
    size_t i = sub_convs_.size() - 1;
    while (sub_convs_[i].first_tile > tile) --i;
    const SubConv& conv = sub_convs_[i];
    run_tile(conv, tile - conv.first_tile, in, packed, out, workspaces + worker * workspace_size_);
  });
}

template <class T>
void DirectConv<T>::run_packed(const T* in, const T* packed, T* out, T* workspace) const {
  for (const SubConv& conv : sub_convs_) {
    for (int64_t tile = 0; tile < conv.tiles.count(); ++tile) {
      run_tile(conv, tile, in, packed, out, workspace);
    }
  }
}

template <class T>
void DirectConv<T>::run_tile(const SubConv& conv, int64_t tile, const T* in, const T* packed,
                             T* out, T* workspace) const {
  const T* const first = conv.tiles.prepare(in, tile, workspace);
  const auto [n, j0, j1] = conv.tiles.first_index(tile);
  const int64_t row = geometry_.groups * outputs_;
  T* const to =
      out + (((n * out_sizes_[0] + conv.out_start[0] + j0 * conv.out_step[0]) * out_sizes_[1] +
              conv.out_start[1] + j1 * conv.out_step[1]) *
                 out_sizes_[2] +
             conv.out_start[2]) *
                row;
  const int64_t width = micro_->columns();
  const auto taps = static_cast<int64_t>(conv.taps.size());
  const auto segments = static_cast<int64_t>(conv.segments.size());
  const int64_t rows = conv.tiles.windows(tile) / conv.row_windows;
  const int64_t first_row = conv.tiles.first_window(tile) / conv.row_windows;
  const auto segments_of = [&](int64_t r) {
    return conv.row_segments[static_cast<size_t>(first_row + r) % conv.row_segments.size()];
  };
  IndirectArgs<T> args;
  args.depth = conv.depth;
  for (int64_t s = 0; s == 0 || s < segments; s += conv.segments_per_pass) {
    for (int64_t item = 0; item < geometry_.groups * panels(); ++item) {
      const int64_t group = item / panels();
      const int64_t j = item % panels() * width;
      args.columns = std::min(width, outputs_ - j);
      args.b_row_stride = micro_->padded(args.columns);
      const T* const weights = packed + conv.packed_offset + item * width * inputs_ * taps;
      args.a = first + group * inputs_;
      args.c = to + group * outputs_ + j;
      for (int64_t r = 0, end = 0; r < rows; r = end) {
        const auto [first_segment, last_segment] = segments_of(r);
        for (end = r + 1; end < rows && segments_of(end) == segments_of(r);) ++end;
        const int64_t begin = std::max(s, first_segment);
        const int64_t count = std::min(s + conv.segments_per_pass, last_segment) - begin;
        // Windows that are all padding are set to zero in the first pass.
        if (count <= 0 && !(s == 0 && first_segment >= last_segment)) continue;
        args.segments = std::max<int64_t>(count, 0);
        args.segment_offsets = conv.segments.data() + begin;
        args.accumulate = begin > first_segment;
        args.b = weights + begin * conv.depth * args.b_row_stride;
        run_windows(conv, r * conv.row_windows, end * conv.row_windows, args);
      }
    }
  }
}

template <class T>
void DirectConv<T>::run_windows(const SubConv& conv, int64_t begin, int64_t end,
                                IndirectArgs<T> args) const {
  // Windows of one row have a fixed stride, which the micro-kernels of one vector can use.
  const bool by_rows = args.columns <= micro_->lanes && conv.row_windows >= kMinRowWindows;
  if (!by_rows) return run_row_blocks(conv, begin, end, args);
  const int64_t* const offsets = conv.tiles.window_offsets();
  for (int64_t row = begin; row < end; row += conv.row_windows) {
    args.a_row_stride = offsets[row + 1] - offsets[row];
    run_row_blocks(conv, row, row + conv.row_windows, args);
  }
}

/// One micro-kernel call per block of windows. Block sizes differ by at most one.
template <class T>
void DirectConv<T>::run_row_blocks(const SubConv& conv, int64_t begin, int64_t end,
                                   IndirectArgs<T> args) const {
  const int64_t count = end - begin;
  const int64_t blocks = ceil_div(count, micro_->rows);
  for (int64_t i = 0; i < blocks; ++i) {
    const int64_t at = begin + count * i / blocks;
    args.a_row_offsets = conv.tiles.window_offsets() + at;
    args.c_row_offsets = conv.out_rows.data() + at;
    micro_->run_indirect(begin + count * (i + 1) / blocks - at, args);
  }
}

template class DirectConv<float>;
template class DirectConv<double>;

}  // namespace antler::runtime

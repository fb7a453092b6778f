#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/host_map.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/nn/losses.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "ops/support.h"

/// Prefix beam search (Graves, Jaitly 2014; Hannun et al. 2014). All alignments of the same label
/// sequence form one path, with separate probabilities of ending in a label and in a blank.
namespace antler::ops {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

double log_sum(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kNever ? a : a + std::log1p(std::exp(b - a));
}

/// Log probabilities.
struct PathScore {
  double label = kNever;  ///< of alignments that end in the last label
  double blank = kNever;  ///< of alignments that end in a blank
  double total() const { return log_sum(label, blank); }
};
using Path = std::vector<int32_t>;
using Beam = std::map<Path, PathScore>;

/// Better paths first; ties are ordered by smaller labels, then by greater length.
bool goes_before(const std::pair<Path, double>& a, const std::pair<Path, double>& b) {
  if (a.second != b.second) return a.second > b.second;
  const auto [x, y] = std::mismatch(a.first.begin(), a.first.end(), b.first.begin(), b.first.end());
  if (x == a.first.end() || y == b.first.end()) return a.first.size() > b.first.size();
  return *x < *y;
}

std::vector<std::pair<Path, double>> ranked(const Beam& beam, int64_t count) {
  std::vector<std::pair<Path, double>> paths;
  for (const auto& [path, score] : beam) paths.emplace_back(path, score.total());
  std::sort(paths.begin(), paths.end(), goes_before);
  if (std::ssize(paths) > count) paths.resize(static_cast<size_t>(count));
  return paths;
}

void keep_best(Beam& beam, int64_t width) {
  if (std::ssize(beam) <= width) return;
  Beam kept;
  for (const auto& [path, total] : ranked(beam, width)) kept.emplace(path, beam.at(path));
  beam = std::move(kept);
}

/// Extends all paths by one step, given the log probabilities of the classes.
Beam extended(const Beam& beam, const float* classes, int64_t count, int64_t blank) {
  Beam next;
  for (const auto& [path, score] : beam) {
    const double total = score.total();
    for (int64_t c = 0; c < count; ++c) {
      const double p = classes[c];
      if (c == blank) {
        double& same = next[path].blank;
        same = log_sum(same, total + p);
        continue;
      }
      // A repeated label is merged unless there is a blank in between.
      const bool again = !path.empty() && path.back() == c;
      if (again) {
        double& same = next[path].label;
        same = log_sum(same, score.label + p);
      }
      const double before = again ? score.blank : total;
      if (before == kNever) continue;
      Path longer = path;
      longer.push_back(static_cast<int32_t>(c));
      double& grown = next[std::move(longer)].label;
      grown = log_sum(grown, before + p);
    }
  }
  return next;
}

/// Searches one sequence. Each row has `classes` log probabilities and a flag that tells whether
/// the step counts.
std::vector<std::pair<Path, double>> best_paths(const float* rows, int64_t time, int64_t classes,
                                                const CtcBeamOptions& o) {
  Beam beam = {{Path(), {.blank = 0}}};
  for (int64_t t = 0; t < time; ++t) {
    const float* row = rows + t * (classes + 1);
    if (row[classes] == 0) continue;
    beam = extended(beam, row, classes, o.mask_index);
    keep_best(beam, o.beam_width);
  }
  return ranked(beam, o.top_paths);
}

/// [batch, time, classes + 1] -> [batch, paths, time + 1]: the labels, then the score.
void search_batch(const Tensor& input, const Tensor& output, const CtcBeamOptions& o) {
  const int64_t time = input.dim(1);
  const int64_t classes = input.dim(2) - 1;
  const auto* in = input.data<float>();
  auto* out = output.mutable_data<float>();
  std::fill_n(out, output.size(), -1.0F);
  for (int64_t b = 0; b < input.dim(0); ++b) {
    const auto paths = best_paths(in + b * time * (classes + 1), time, classes, o);
    for (int64_t k = 0; k < o.top_paths; ++k) {
      float* row = out + (b * o.top_paths + k) * (time + 1);
      const bool found = k < std::ssize(paths);
      row[time] = static_cast<float>(found ? paths[static_cast<size_t>(k)].second : kNever);
      if (!found) continue;
      const Path& path = paths[static_cast<size_t>(k)].first;
      std::copy(path.begin(), path.end(), row);
    }
  }
}

/// The host function for these options. Never freed, because programs may call it at any time.
HostFunctionPtr beam_search_function(const CtcBeamOptions& o) {
  static std::mutex mutex;
  static std::map<std::tuple<int64_t, int64_t, int64_t>, HostFunctionPtr> functions;
  const std::lock_guard lock(mutex);
  HostFunctionPtr& function = functions[{o.beam_width, o.top_paths, o.mask_index}];
  if (function == nullptr) {
    function = host_function(
        [o](const TensorSpec& in) -> TensorSpec {
          return {DType::float32, {in.shape[0], o.top_paths, in.shape[1] + 1}};
        },
        [o](const Tensor& in, const Tensor& out) { search_batch(in, out, o); });
  }
  return function;
}

}  // namespace

CtcDecoded ctc_beam_search(const Tensor& inputs, const Tensor& sequence_lengths,
                           const CtcBeamOptions& o) {
  const Shape& shape = known_shape("ctc_beam_search", inputs);
  if (shape.rank() != 3 || o.beam_width < 1 || o.top_paths < 1 || o.mask_index < 0 ||
      o.mask_index >= shape[2]) {
    throw ValueError(
        "ops::ctc_beam_search: expected logits [batch, time, classes], a positive `beam_width` and "
        "`top_paths`, and a `mask_index` in [0, classes). Received: inputs.shape={}, "
        "beam_width={}, top_paths={}, mask_index={}",
        shape, o.beam_width, o.top_paths, o.mask_index);
  }
  const Shape table{shape[0], shape[1]};
  // As in Keras, the first step always counts.
  const Tensor steps =
      sequence_lengths.defined()
          ? maximum(reshape(cast(sequence_lengths, DType::int32), {shape[0], 1}), 1)
          : scalar(static_cast<double>(shape[1]), DType::int32);
  const Tensor counts = cast(less(iota(table, 1), steps), DType::float32);
  const Tensor rows =
      concatenate({log_softmax(cast(inputs, DType::float32), -1), expand_dims(counts, -1)}, -1);
  const Tensor found = host_map(beam_search_function(o), rows);
  const Tensor labels = cast(slice_axis(found, 2, 0, shape[1]), DType::int32);
  return {transpose(labels, {1, 0, 2}), squeeze(slice_axis(found, 2, shape[1], shape[1] + 1), 2)};
}

}  // namespace antler::ops

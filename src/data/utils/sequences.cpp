#include <algorithm>
#include <cmath>
#include <cstring>

#include "antler/base/error.h"
#include "antler/core/dispatch.h"
#include "antler/data/utils/arrays.h"
#include "data/random_words.h"
#include "data/utils/draws.h"

namespace antler::utils {
namespace {

/// The numbers of a sequence of `length` steps.
struct Steps {
  std::vector<double> values;
  int64_t length = 0;
};

void check_side(const char* argument, const std::string& side) {
  if (side == "pre" || side == "post") return;
  throw ValueError("pad_sequences: `{}` must be 'pre' or 'post'. Received: {}", argument, side);
}

Tensor padded(const std::vector<Steps>& sequences, const Shape& step,
              const PadSequencesOptions& options) {
  check_side("padding", options.padding);
  check_side("truncating", options.truncating);
  int64_t longest = 0;
  for (const Steps& s : sequences) longest = std::max(longest, s.length);
  const int64_t maxlen = options.maxlen.value_or(longest);
  if (maxlen < 0) {
    throw ValueError("pad_sequences: `maxlen` must not be negative. Received: {}", maxlen);
  }
  Shape shape{static_cast<int64_t>(sequences.size()), maxlen};
  for (const int64_t d : step) shape.push_back(d);
  const int64_t width = step.num_elements();
  const Tensor result = Tensor::full(options.dtype, shape, options.value);
  dispatch(options.dtype, [&]<class T>() {
    auto* row = result.mutable_data<T>();
    for (const Steps& s : sequences) {
      const int64_t kept = std::min(s.length, maxlen);
      const int64_t from = options.truncating == "pre" ? s.length - kept : 0;
      const int64_t to = options.padding == "pre" ? maxlen - kept : 0;
      for (int64_t i = 0; i < kept * width; ++i) {
        const double value = s.values[static_cast<size_t>(from * width + i)];
        row[to * width + i] = static_cast<T>(static_cast<ComputeType<T>>(value));
      }
      row += maxlen * width;
    }
  });
  return result;
}

template <class T>
void shuffle(std::vector<T>& items, const std::vector<size_t>& order) {
  if (items.empty()) return;
  std::vector<T> shuffled;
  for (const size_t i : order) shuffled.push_back(items[i]);
  items = std::move(shuffled);
}

std::vector<size_t> random_order(size_t count, data::RandomWords& words) {
  std::vector<size_t> order(count);
  for (size_t i = 0; i < count; ++i) order[i] = i;
  for (size_t i = count; i > 1; --i) std::swap(order[i - 1], order[words.below(i)]);
  return order;
}

}  // namespace

Tensor pad_sequences(const std::vector<std::vector<double>>& sequences,
                     const PadSequencesOptions& options) {
  std::vector<Steps> all;
  for (const auto& s : sequences) all.push_back({s, std::ssize(s)});
  return padded(all, Shape(), options);
}

Tensor pad_sequences(std::initializer_list<std::initializer_list<double>> sequences,
                     const PadSequencesOptions& options) {
  return pad_sequences(std::vector<std::vector<double>>(sequences.begin(), sequences.end()),
                       options);
}

Tensor pad_sequences(const Tensors& sequences, const PadSequencesOptions& options) {
  std::vector<Steps> all;
  std::optional<Shape> step;
  for (size_t i = 0; i < sequences.size(); ++i) {
    const Tensor& s = sequences[i];
    if (s.rank() == 0) throw ValueError("pad_sequences: a sequence must have rank 1 or more.");
    const Shape own(s.shape().begin() + 1, s.shape().end());
    if (s.dim(0) > 0 && !step) step = own;
    if (s.dim(0) > 0 && !(own == *step)) {
      throw ValueError(
          "Shape of sample {} of sequence at position {} is different from expected shape {}", own,
          i, *step);
    }
    all.push_back({s.to_doubles(), s.dim(0)});
  }
  return padded(all, step.value_or(Shape()), options);
}

Tensor make_sampling_table(int64_t size, double sampling_factor) {
  constexpr double kGamma = 0.577;  // as in word2vec
  std::vector<double> table;
  for (int64_t i = 0; i < size; ++i) {
    const auto rank = static_cast<double>(std::max<int64_t>(i, 1));
    const double inverse = rank * (std::log(rank) + kGamma) + 0.5 - 1.0 / (12.0 * rank);
    table.push_back(std::min(1.0, std::sqrt(sampling_factor * inverse)));
  }
  return Tensor::of(table);
}

Skipgrams skipgrams(const std::vector<int64_t>& sequence, int64_t vocabulary_size,
                    const SkipgramsOptions& options) {
  data::RandomWords words(options.seed.value_or(0), 0);
  Skipgrams result;
  std::vector<int64_t> labels;
  const int64_t length = std::ssize(sequence);
  for (int64_t i = 0; i < length; ++i) {
    const int64_t word = sequence[static_cast<size_t>(i)];
    if (word == 0) continue;
    if (options.sampling_table) {
      if (word < 0 || word >= std::ssize(*options.sampling_table)) {
        throw ValueError("skipgrams: `sampling_table` has no word {}.", word);
      }
      if ((*options.sampling_table)[static_cast<size_t>(word)] < uniform(words, 0, 1)) continue;
    }
    const int64_t end = std::min(length, i + options.window_size + 1);
    for (int64_t j = std::max<int64_t>(0, i - options.window_size); j < end; ++j) {
      const int64_t other = sequence[static_cast<size_t>(j)];
      if (j == i || other == 0) continue;
      result.couples.emplace_back(word, other);
      labels.push_back(1);
    }
  }
  const double wanted = static_cast<double>(labels.size()) * options.negative_samples;
  const size_t negatives = wanted > 0 ? static_cast<size_t>(wanted) : 0;
  if (negatives > 0) {
    if (vocabulary_size < 2) {
      throw ValueError("skipgrams: `vocabulary_size` must be 2 or more. Received: {}",
                       vocabulary_size);
    }
    const size_t positives = result.couples.size();
    const std::vector<size_t> order = random_order(positives, words);
    for (size_t i = 0; i < negatives; ++i) {
      const uint64_t drawn = words.below(static_cast<uint64_t>(vocabulary_size - 1));
      result.couples.emplace_back(result.couples[order[i % positives]].first,
                                  static_cast<int64_t>(drawn) + 1);
      labels.push_back(0);
    }
  }
  if (options.shuffle) {
    const std::vector<size_t> order = random_order(labels.size(), words);
    shuffle(result.couples, order);
    shuffle(labels, order);
  }
  if (!options.categorical) {
    result.labels = std::move(labels);
    return result;
  }
  for (const int64_t label : labels) result.categorical_labels.emplace_back(1 - label, label);
  return result;
}

}  // namespace antler::utils

#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/nest.h"
#include "antler/data/dataset_options.h"
#include "antler/data/element.h"
#include "antler/data/fit_data.h"
#include "antler/data/input_context.h"

namespace antler::data {

/// Iterates over the elements of a pass.
class ElementIterator {
 public:
  virtual ~ElementIterator() = default;
  /// Stores the next element; false at the end.
  virtual bool next(Nest& element) = 0;
  /// Stores the next `size` elements as one, stacked along a new axis 0. Returns false, without
  /// reading any, unless the elements are contiguous in memory and need not be copied one by one.
  virtual bool next_rows(int64_t /*size*/, Nest& /*rows*/) { return false; }
};

/// One of `count` parts of something that workers share.
struct Part {
  int64_t index = 0;
  int64_t count = 1;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes <=> for a comparison with 0
  friend auto operator<=>(const Part&, const Part&) = default;
};

/// Identifies a pass over a data set, because shuffled orders differ between passes.
struct Pass {
  uint64_t seed = 0;    ///< for shuffles that have no seed
  uint64_t number = 0;  ///< different for each pass
  Part files = {};      ///< the part of their files that the sources read
  Part hint = {};       ///< what shard(SHARD_HINT, SHARD_HINT) keeps
};

/// What workers that share a pipeline need to know about it.
struct PipelineFacts {
  /// The number of files that workers can divide among them: the smallest number of any source; 0
  /// if a source has no files.
  int64_t files = 0;
  std::optional<Options> options = {};
  /// dtypes and shapes of the elements, as spec-only tensors; unknown sizes differ between
  /// elements. Not given if they are not known before the elements are made, as after map().
  std::optional<Nest> element_spec = {};
};

/// One step of a pipeline; a Dataset is a handle of it.
class DatasetNode {
 public:
  virtual ~DatasetNode() = default;
  virtual std::unique_ptr<ElementIterator> iterate(const Pass& pass) const = 0;
  virtual int64_t cardinality() const = 0;
  virtual PipelineFacts facts() const { return {}; }
};

/// Options of batch().
struct BatchOptions {
  bool drop_remainder = false;  ///< drop an incomplete last batch
};

/// Options of window().
struct WindowOptions {
  std::optional<int64_t> shift = {};  ///< elements from one start to the next; default: the size
  int64_t stride = 1;                 ///< distance of neighbouring elements in a window
  bool drop_remainder = false;        ///< drop incomplete windows at the end
};

/// Options of shuffle().
struct ShuffleOptions {
  /// Not given: the seed of the fit that reads the data set, or 0.
  std::optional<uint64_t> seed = {};
  bool reshuffle_each_iteration = true;  ///< a new order in each pass
};

/// For num_parallel_calls: as many threads as the machine has. For prefetch(): two elements.
inline constexpr int64_t AUTOTUNE = -1;  // NOLINT(readability-identifier-naming): tf.data's name

/// Options of interleave().
struct InterleaveOptions {
  /// Data sets that are read in turn. AUTOTUNE: one for each CPU core, as in TensorFlow.
  int64_t cycle_length = AUTOTUNE;
  int64_t block_length = 1;  ///< elements that one data set yields in its turn
  /// More than 1, or AUTOTUNE: each of these data sets is read ahead on a thread of its own. The
  /// order of the elements does not change.
  int64_t num_parallel_calls = 1;
};

/// Options of map().
struct MapOptions {
  int64_t num_parallel_calls = 1;  ///< threads; with more than 1 the function must be thread-safe
};

/// A pipeline of elements, each a Nest of tensors (tf.data.Dataset). It is a handle. Nothing runs
/// until elements are requested. Results and their order depend on the pipeline alone, never on
/// threads. If a function throws, the exception reaches the code that requests the element.
///
///     auto train = data::Dataset::from_tensor_slices({x, y}).shuffle(1000).batch(32).prefetch(2);
///     model.fit(train, {.epochs = 3});
///
/// For fit, evaluate and predict, the elements must be batches: [x, y] or [x, y, sample_weight],
/// [x], or x itself.
class Dataset {
 public:
  static constexpr int64_t kUnknown = DataSource::kUnknown;
  static constexpr int64_t kInfinite = DataSource::kEndless;

  /// For custom nodes.
  explicit Dataset(std::shared_ptr<const DatasetNode> node) : node_(std::move(node)) {}

  /// The rows of all arrays (axis 0), without copying. Throws ValueError for arrays of different
  /// lengths and of rank 0.
  static Dataset from_tensor_slices(const Nest& arrays);
  /// `from_tensor_slices(x, y)`: the same as `from_tensor_slices({x, y})`.
  template <std::convertible_to<Nest>... Others>
  requires(sizeof...(Others) > 0) static Dataset
      from_tensor_slices(const Nest& first, const Others&... others) {
    return from_tensor_slices(Nest(std::vector<Nest>{first, Nest(others)...}));
  }
  /// A data set with one element.
  static Dataset from_tensors(const Nest& element);
  /// int64 scalars: start, start + step, ... before `stop`. Throws ValueError for a step of 0.
  static Dataset range(int64_t stop);
  static Dataset range(int64_t start, int64_t stop, int64_t step = 1);
  /// Elements of the generator that `make` returns for each pass: a function that returns an
  /// optional element (nullopt at the end), a range, or a Coroutine. `make` may be such a function
  /// itself; then each pass calls a copy of it. One thread at a time calls it.
  template <class Make>
  static Dataset from_generator(Make make) {
    if constexpr (ElementFunction<Make>) {
      return generated([make = std::move(make)] { return pull_from(make); });
    } else {
      return generated([make = std::move(make)]() mutable { return pull_from(make()); });
    }
  }
  /// Lists with one element of each data set; as many as the shortest data set has.
  static Dataset zip(std::vector<Dataset> datasets);
  template <std::same_as<Dataset>... Others>
  static Dataset zip(const Dataset& first, const Others&... others) {
    return zip(std::vector<Dataset>{first, others...});
  }

  /// Stacks `size` consecutive elements along a new axis 0. Throws ValueError for a size below 1,
  /// and while iterating for elements of different structures, shapes or dtypes.
  Dataset batch(int64_t size, const BatchOptions& options = {}) const;
  /// `batch(32, true)`: the same as `batch(32, {.drop_remainder = true})`.
  template <std::same_as<bool> B>
  Dataset batch(int64_t size, B drop_remainder) const {
    return batch(size, BatchOptions{.drop_remainder = drop_remainder});
  }
  /// Windows of `size` elements, each stacked along a new axis 0:
  /// `series.window(24, {.shift = 1, .drop_remainder = true})`. (tf.data makes a data set of each
  /// window, which programs then stack with flat_map.) Throws ValueError as batch() does.
  Dataset window(int64_t size, const WindowOptions& options = {}) const;
  template <class... K>
  requires KeywordArguments<K...> Dataset window(int64_t size, K... keywords)
  const { return window(size, from_keywords<WindowOptions>(std::move(keywords)...)); }
  /// Splits elements along axis 0.
  Dataset unbatch() const;
  /// A random order: each element is drawn from a buffer of the next `buffer_size` elements. The
  /// order is uniform if the buffer holds all elements. Throws ValueError for a size below 1.
  Dataset shuffle(int64_t buffer_size, const ShuffleOptions& options = {}) const;
  /// `shuffle(1000, 42)`: the same as `shuffle(1000, {.seed = 42})`.
  template <std::integral Seed>
  requires(!std::same_as<Seed, bool>) Dataset shuffle(int64_t buffer_size, Seed seed)
  const { return shuffle(buffer_size, ShuffleOptions{.seed = static_cast<uint64_t>(seed)}); }
  template <class... K>
  requires KeywordArguments<K...> Dataset shuffle(int64_t buffer_size, K... keywords)
  const { return shuffle(buffer_size, from_keywords<ShuffleOptions>(std::move(keywords)...)); }
  /// `count` consecutive passes; -1: without end.
  Dataset repeat(int64_t count = -1) const;
  /// The first `count` elements; -1: all.
  Dataset take(int64_t count) const;
  /// All but the first `count` elements; -1: no elements.
  Dataset skip(int64_t count) const;
  /// Every `num_shards`-th element, starting at `index`. With SHARD_HINT for both, each worker that
  /// reads the data set under AutoShardPolicy::hint keeps its own elements, and other readers keep
  /// all. Throws ValueError unless 0 <= index < num_shards.
  Dataset shard(int64_t num_shards, int64_t index) const;
  Dataset concatenate(const Dataset& other) const;
  /// Lists [number, element]; the int64 numbers begin at `start`.
  Dataset enumerate(int64_t start = 0) const;
  /// The result of the function for each element, in order.
  Dataset map(std::function<Nest(const Nest&)> function, const MapOptions& options = {}) const;
  /// The same for a function of the element's parts, which may return a pair or a tuple:
  /// `[](const Tensor& x, const Tensor& y) { return std::pair(x / 255.0, y); }`.
  template <class F>
  requires(!std::is_invocable_r_v<Nest, F&, const Nest&>) Dataset
      map(F function, const MapOptions& options = {})
  const {
    std::function<Nest(const Nest&)> whole =
        [function = std::move(function)](const Nest& element) mutable {
          return to_element(call_on_parts(function, element));
        };
    return map(std::move(whole), options);
  }
  /// The elements for which the function returns true.
  Dataset filter(std::function<bool(const Nest&)> predicate) const;
  /// The same for a function of the element's parts. It may return a tensor of one element.
  template <class F>
  requires(!std::is_invocable_r_v<bool, F&, const Nest&>) Dataset filter(F predicate)
  const {
    std::function<bool(const Nest&)> whole =
        [predicate = std::move(predicate)](const Nest& element) mutable {
          const auto value = call_on_parts(predicate, element);
          if constexpr (std::is_convertible_v<decltype(value), bool>) {
            return static_cast<bool>(value);
          } else {
            return value.item() != 0;
          }
        };
    return filter(std::move(whole));
  }
  /// The concatenated data sets that the function returns for each element.
  Dataset flat_map(std::function<Dataset(const Nest&)> function) const;
  /// The same for a function of data sets, which gets the slices of each element:
  /// `windows.flat_map([](const Dataset& window) { return window.batch(24); })`.
  template <class F>
  requires(!std::is_invocable_r_v<Dataset, F&, const Nest&> &&
           std::is_invocable_r_v<Dataset, F&, const Dataset&>) Dataset flat_map(F function)
  const {
    std::function<Dataset(const Nest&)> of_slices =
        [function = std::move(function)](const Nest& element) mutable {
          return function(from_tensor_slices(element));
        };
    return flat_map(std::move(of_slices));
  }
  /// The elements of the data sets that the function returns for each element, in turn:
  /// `files.interleave(read, kw::cycle_length = 4, kw::block_length = 16)`. Throws ValueError for
  /// options that are not positive.
  Dataset interleave(std::function<Dataset(const Nest&)> function,
                     const InterleaveOptions& options = {}) const;
  template <class F, class... K>
  requires(sizeof...(K) > 0 && KeywordArguments<K...>) Dataset interleave(F function, K... keywords)
  const {
    return interleave(std::move(function),
                      from_keywords<InterleaveOptions>(std::move(keywords)...));
  }
  /// function(... function(function(initial_state, first), second) ..., last).
  Nest reduce(const Nest& initial_state,
              const std::function<Nest(const Nest& state, const Nest& element)>& function) const;
  /// Makes up to `buffer_size` elements ahead on another thread.
  Dataset prefetch(int64_t buffer_size) const;
  /// Keeps all elements in memory after the first complete pass.
  Dataset cache() const;

  /// Number of elements, kUnknown or kInfinite.
  int64_t cardinality() const { return node_->cardinality(); }

  /// The same elements with other options. Later steps keep the options. If several pipelines are
  /// joined, the options of the first one that has any apply.
  Dataset with_options(const Options& options) const;
  Options options() const { return facts().options.value_or(Options()); }
  /// The number of files that workers can divide among them; 0 if it is unknown.
  int64_t files() const { return facts().files; }
  /// What all elements have in common (tf.data's element_spec), as spec-only tensors: the batch
  /// size is unknown unless batch() drops the remainder. Not given if it is not known before the
  /// first element is made, as after map().
  std::optional<Nest> element_spec() const { return facts().element_spec; }
  PipelineFacts facts() const { return node_->facts(); }

  std::unique_ptr<ElementIterator> iterate(const Pass& pass = {}) const {
    return node_->iterate(pass);
  }
  /// `for (const Nest& element : dataset)`.
  class Iterator;
  Iterator begin() const;
  std::default_sentinel_t end() const { return {}; }

  /// The elements as batches for fit.
  std::shared_ptr<DataSource> source(const SourceOptions& options) const;

 private:
  static Dataset generated(std::function<PullElement()> make);
  std::shared_ptr<const DatasetNode> node_;
};

/// One pass over the elements.
class Dataset::Iterator {
 public:
  using value_type = Nest;
  using difference_type = std::ptrdiff_t;
  explicit Iterator(std::shared_ptr<ElementIterator> elements) : elements_(std::move(elements)) {
    ++*this;
  }
  const Nest& operator*() const { return element_; }
  Iterator& operator++() {
    done_ = !elements_->next(element_);
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const Iterator& at, std::default_sentinel_t) { return at.done_; }

 private:
  std::shared_ptr<ElementIterator> elements_;
  Nest element_;
  bool done_ = false;
};

inline Dataset::Iterator Dataset::begin() const { return Iterator(iterate()); }

/// A data set that each worker creates (Keras's DatasetCreator). Its batches are those of one
/// replica; a step takes one for each replica of the worker. One pass continues over all epochs, so
/// the number of steps must be given.
class DatasetCreator {
 public:
  /// Throws TypeError for an empty function.
  explicit DatasetCreator(std::function<Dataset(const InputContext&)> make);
  Dataset operator()(const InputContext& context) const { return make_(context); }
  std::shared_ptr<DataSource> source(const SourceOptions& options) const;

 private:
  std::function<Dataset(const InputContext&)> make_;
};

}  // namespace antler::data

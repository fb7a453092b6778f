#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/core/nest.h"
#include "antler/data/element.h"
#include "antler/data/fit_data.h"

namespace antler::data {

/// Goes through the elements of a pass.
class ElementIterator {
 public:
  virtual ~ElementIterator() = default;
  /// The next element; false at the end.
  virtual bool next(Nest& element) = 0;
};

/// Which pass over a data set, for what differs from pass to pass.
struct Pass {
  uint64_t seed = 0;    ///< of shuffles without a seed of their own
  uint64_t number = 0;  ///< another one for each pass
};

/// What a Dataset handle names: one step of a pipeline.
class DatasetNode {
 public:
  virtual ~DatasetNode() = default;
  virtual std::unique_ptr<ElementIterator> iterate(const Pass& pass) const = 0;
  virtual int64_t cardinality() const = 0;
};

struct BatchOptions {
  bool drop_remainder = false;  ///< leave out a last batch that is not full
};

struct ShuffleOptions {
  /// Not given: the seed of the fit that reads it, and 0 where nobody gives one.
  std::optional<uint64_t> seed = {};
  bool reshuffle_each_iteration = true;  ///< another order in each pass
};

/// As num_parallel_calls: as many threads as the machine has. As a size of prefetch(): two
/// elements.
inline constexpr int64_t AUTOTUNE = -1;  // NOLINT(readability-identifier-naming): tf.data's name

struct MapOptions {
  int64_t num_parallel_calls = 1;  ///< threads; more than 1 calls the function from several at once
};

/// A pipeline of elements, each a Nest of tensors (tf.data.Dataset). A handle; nothing runs until
/// somebody pulls elements. Results and their order depend on the pipeline alone, never on threads;
/// exceptions of functions come out where the element is pulled.
///
///     auto train = data::Dataset::from_tensor_slices({x, y}).shuffle(1000).batch(32).prefetch(2);
///     model.fit(train, {.epochs = 3});
///
/// As data of fit, evaluate and predict its elements are batches: [x, y] or [x, y, sample_weight],
/// [x], or x itself.
class Dataset {
 public:
  static constexpr int64_t kUnknown = DataSource::kUnknown;
  static constexpr int64_t kInfinite = DataSource::kEndless;

  /// For nodes of one's own.
  explicit Dataset(std::shared_ptr<const DatasetNode> node) : node_(std::move(node)) {}

  /// The rows of all arrays (axis 0), without copying. Throws ValueError for arrays of different
  /// lengths and of rank 0.
  static Dataset from_tensor_slices(const Nest& arrays);
  /// One element.
  static Dataset from_tensors(const Nest& element);
  /// int64 scalars start, start + step, ... below `stop`. Throws ValueError for a step of 0.
  static Dataset range(int64_t stop);
  static Dataset range(int64_t start, int64_t stop, int64_t step = 1);
  /// Elements of the generator that `make` returns for each pass: a function giving an optional
  /// element, a range, or a Coroutine. It is pulled from one thread at a time.
  template <class Make>
  static Dataset from_generator(Make make) {
    return generated([make = std::move(make)]() mutable { return pull_from(make()); });
  }
  /// Lists of one element of each; ends with the shortest.
  static Dataset zip(std::vector<Dataset> datasets);

  /// Joins `size` consecutive elements along a new axis 0. Throws ValueError for a size below 1,
  /// and while iterating for elements of different structures, shapes or dtypes.
  Dataset batch(int64_t size, const BatchOptions& options = {}) const;
  /// Splits elements along axis 0 again.
  Dataset unbatch() const;
  /// A random order: each element is drawn from a buffer of the next `buffer_size`. Uniform when
  /// the buffer holds all of them. Throws ValueError for a size below 1.
  Dataset shuffle(int64_t buffer_size, const ShuffleOptions& options = {}) const;
  /// `count` passes one behind the other; -1 = without end.
  Dataset repeat(int64_t count = -1) const;
  /// The first `count`; -1 = all.
  Dataset take(int64_t count) const;
  /// All but the first `count`; -1 = none of them.
  Dataset skip(int64_t count) const;
  /// Every `num_shards`-th element, from `index` on. Throws ValueError unless 0 <= index <
  /// num_shards.
  Dataset shard(int64_t num_shards, int64_t index) const;
  Dataset concatenate(const Dataset& other) const;
  /// Lists [number, element], int64 from `start` on.
  Dataset enumerate(int64_t start = 0) const;
  /// The function's value for each element, in order.
  Dataset map(std::function<Nest(const Nest&)> function, const MapOptions& options = {}) const;
  /// The same of a function of the element's parts, which may give a pair or a tuple:
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
  /// The elements for which the function is true.
  Dataset filter(std::function<bool(const Nest&)> predicate) const;
  /// The same of a function of the element's parts; it may give a tensor of one element.
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
  /// The elements of the data sets that the function makes of each element.
  Dataset flat_map(std::function<Dataset(const Nest&)> function) const;
  /// Makes elements on a thread, up to `buffer_size` before they are needed.
  Dataset prefetch(int64_t buffer_size) const;
  /// Keeps all elements in memory when a pass has gone through them once.
  Dataset cache() const;

  /// Number of elements, or kUnknown, or kInfinite.
  int64_t cardinality() const { return node_->cardinality(); }

  std::unique_ptr<ElementIterator> iterate(const Pass& pass = {}) const {
    return node_->iterate(pass);
  }
  /// `for (const Nest& element : dataset)`.
  class Iterator;
  Iterator begin() const;
  std::default_sentinel_t end() const { return {}; }

  /// Its elements as batches, for fit.
  std::shared_ptr<DataSource> source(const SourceOptions& options) const;

 private:
  static Dataset generated(std::function<PullElement()> make);
  std::shared_ptr<const DatasetNode> node_;
};

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

/// What a DatasetCreator learns about where its data set will be read.
struct InputContext {
  int64_t num_input_pipelines = 1;
  int64_t input_pipeline_id = 0;
  int64_t num_replicas_in_sync = 1;
  /// Throws ValueError when the replicas cannot share it evenly.
  int64_t get_per_replica_batch_size(int64_t global_batch_size) const;
};

/// A data set that each worker makes for itself (Keras's DatasetCreator). One pass goes on over all
/// epochs, so the number of steps must be given.
class DatasetCreator {
 public:
  explicit DatasetCreator(std::function<Dataset(const InputContext&)> make)
      : make_(std::move(make)) {}
  Dataset operator()(const InputContext& context) const { return make_(context); }
  std::shared_ptr<DataSource> source(const SourceOptions& options) const;

 private:
  std::function<Dataset(const InputContext&)> make_;
};

}  // namespace antler::data

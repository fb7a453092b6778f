#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "data/dataset/node.h"
#include "data/ordered_workers.h"

// Steps that call functions or use threads.

namespace antler::data {
namespace {

int64_t cores_if_autotune(int64_t count) {
  return count == AUTOTUNE ? std::max<int64_t>(1, std::thread::hardware_concurrency()) : count;
}

/// Makes elements ahead on threads. `make` returns the job for an element of `upstream`.
class WorkersIterator final : public ElementIterator {
 public:
  using Make = std::function<OrderedWorkers::Job(Nest element)>;
  WorkersIterator(Upstream upstream, size_t threads, size_t ahead, Make make)
      : upstream_(std::move(upstream)),
        make_(std::move(make)),
        workers_(threads, ahead, [this]() -> OrderedWorkers::Job {
          Nest element;
          if (!upstream_->next(element)) return {};
          return make_(std::move(element));
        }) {}
  bool next(Nest& element) override { return workers_.next(element); }

 private:
  Upstream upstream_;
  Make make_;
  OrderedWorkers workers_;  // last, because its threads use the other members
};

/// The elements of complete passes, shared by all passes and threads.
struct Cache {
  /// What a worker reads.
  using Key = std::pair<Part, Part>;
  std::mutex mutex;
  std::map<Key, std::shared_ptr<const std::vector<Nest>>> elements;
};

class CacheIterator final : public ElementIterator {
 public:
  CacheIterator(const Dataset& inner, const Pass& pass, std::shared_ptr<Cache> cache)
      : cache_(std::move(cache)), key_(pass.files, pass.hint) {
    const std::lock_guard lock(cache_->mutex);
    ready_ = cache_->elements[key_];
    if (ready_ == nullptr) upstream_ = inner.iterate(pass);
  }

  bool next(Nest& element) override {
    if (ready_ != nullptr) {
      if (at_ == ready_->size()) return false;
      element = (*ready_)[at_++];
      return true;
    }
    if (upstream_->next(element)) {
      seen_.push_back(element);
      return true;
    }
    ready_ = std::make_shared<const std::vector<Nest>>(std::move(seen_));
    at_ = ready_->size();
    const std::lock_guard lock(cache_->mutex);
    auto& shared = cache_->elements[key_];
    if (shared == nullptr) shared = ready_;
    return false;
  }

 private:
  std::shared_ptr<Cache> cache_;
  Cache::Key key_;
  std::shared_ptr<const std::vector<Nest>> ready_;
  Upstream upstream_;
  std::vector<Nest> seen_;
  size_t at_ = 0;
};

class FlatMapIterator final : public ElementIterator {
 public:
  using Function = std::function<Dataset(const Nest&)>;
  FlatMapIterator(Upstream upstream, const Pass& pass, Function function)
      : upstream_(std::move(upstream)), pass_(pass), function_(std::move(function)) {}

  bool next(Nest& element) override {
    while (inner_ == nullptr || !inner_->next(element)) {
      Nest outer;
      if (!upstream_->next(outer)) return false;
      Pass pass = inner_pass(pass_, done_++);
      pass.files = {};  // the files of upstream_ are already divided among the workers
      inner_ = function_(outer).iterate(pass);
    }
    return true;
  }

 private:
  Upstream upstream_;
  Pass pass_;
  Function function_;
  uint64_t done_ = 0;
  Upstream inner_;
};

/// tf.data's deterministic order: a data set that ends leaves its place empty, and the next element
/// is opened there when its turn comes again.
class InterleaveIterator final : public ElementIterator {
 public:
  using Function = std::function<Dataset(const Nest&)>;
  InterleaveIterator(Upstream upstream, const Pass& pass, Function function, size_t cycle_length,
                     int64_t block_length)
      : upstream_(std::move(upstream)),
        pass_(pass),
        function_(std::move(function)),
        block_length_(block_length),
        open_(cycle_length) {}

  bool next(Nest& element) override {
    for (size_t empty = 0; empty < open_.size();) {
      Upstream& current = open_[place_];
      if (current == nullptr && !open_next(current)) {
        ++empty;
        advance();
        continue;
      }
      empty = 0;
      if (current->next(element)) {
        if (++taken_ == block_length_) advance();
        return true;
      }
      current = nullptr;
      advance();
    }
    return false;
  }

 private:
  bool open_next(Upstream& place) {
    Nest outer;
    if (at_end_ || !upstream_->next(outer)) {
      at_end_ = true;
      return false;
    }
    Pass pass = inner_pass(pass_, opened_++);
    pass.files = {};  // the files of upstream_ are already divided among the workers
    place = function_(outer).iterate(pass);
    return true;
  }
  void advance() {
    place_ = (place_ + 1) % open_.size();
    taken_ = 0;
  }

  Upstream upstream_;
  Pass pass_;
  Function function_;
  int64_t block_length_;
  std::vector<Upstream> open_;
  size_t place_ = 0;   // whose turn it is
  int64_t taken_ = 0;  // elements in this turn
  uint64_t opened_ = 0;
  bool at_end_ = false;
};

}  // namespace

Dataset Dataset::map(std::function<Nest(const Nest&)> function, const MapOptions& options) const {
  const int64_t threads = cores_if_autotune(options.num_parallel_calls);
  if (threads < 1) {
    throw ValueError(
        "Dataset.map: `num_parallel_calls` must be positive. Received: num_parallel_calls={}",
        threads);
  }
  return make_dataset(
      cardinality(), {*this},
      [inner = *this, function = std::move(function), threads](const Pass& pass) -> Upstream {
        if (threads > 1) {
          const auto count = static_cast<size_t>(threads);
          return std::make_unique<WorkersIterator>(
              inner.iterate(pass), count, 2 * count,
              [function](Nest element) -> OrderedWorkers::Job {
                return [function, element = std::move(element)] { return function(element); };
              });
        }
        return make_iterator([upstream = inner.iterate(pass), function](Nest& element) {
          Nest argument;
          if (!upstream->next(argument)) return false;
          element = function(argument);
          return true;
        });
      });
}

Dataset Dataset::filter(std::function<bool(const Nest&)> predicate) const {
  const int64_t size = cardinality() == 0 ? 0 : kUnknown;
  return make_selection(
      size, *this, [inner = *this, predicate = std::move(predicate)](const Pass& pass) {
        return make_iterator([upstream = inner.iterate(pass), predicate](Nest& element) {
          while (upstream->next(element))
            if (predicate(element)) return true;
          return false;
        });
      });
}

Dataset Dataset::flat_map(std::function<Dataset(const Nest&)> function) const {
  const int64_t size = cardinality() == 0 ? 0 : kUnknown;
  return make_dataset(
      size, {*this}, [inner = *this, function = std::move(function)](const Pass& pass) {
        return std::make_unique<FlatMapIterator>(inner.iterate(pass), pass, function);
      });
}

Dataset Dataset::interleave(std::function<Dataset(const Nest&)> function,
                            const InterleaveOptions& options) const {
  const int64_t cycle_length = cores_if_autotune(options.cycle_length);
  if (cycle_length < 1 || options.block_length < 1 ||
      cores_if_autotune(options.num_parallel_calls) < 1) {
    throw ValueError(
        "Dataset.interleave: `cycle_length`, `block_length` and `num_parallel_calls` must be "
        "positive. Received: cycle_length={}, block_length={}, num_parallel_calls={}",
        cycle_length, options.block_length, options.num_parallel_calls);
  }
  if (options.num_parallel_calls != 1) {
    function = [function = std::move(function), ahead = options.block_length](const Nest& element) {
      return function(element).prefetch(ahead);
    };
  }
  const int64_t size = cardinality() == 0 ? 0 : kUnknown;
  return make_dataset(size, {*this},
                      [inner = *this, function = std::move(function), cycle_length,
                       block_length = options.block_length](const Pass& pass) {
                        return std::make_unique<InterleaveIterator>(
                            inner.iterate(pass), pass, function, static_cast<size_t>(cycle_length),
                            block_length);
                      });
}

Nest Dataset::reduce(
    const Nest& initial_state,
    const std::function<Nest(const Nest& state, const Nest& element)>& function) const {
  Nest state = initial_state;
  for (const Nest& element : *this) state = function(state, element);
  return state;
}

Dataset Dataset::prefetch(int64_t buffer_size) const {
  if (buffer_size == AUTOTUNE) buffer_size = 2;
  if (buffer_size < 0) {
    throw ValueError(
        "Dataset.prefetch: `buffer_size` must not be negative. Received: buffer_size={}",
        buffer_size);
  }
  if (buffer_size == 0) return *this;
  return make_selection(cardinality(), *this, [inner = *this, buffer_size](const Pass& pass) {
    return std::make_unique<WorkersIterator>(
        inner.iterate(pass), 1, static_cast<size_t>(buffer_size),
        [](Nest element) -> OrderedWorkers::Job {
          return [element = std::move(element)] { return element; };
        });
  });
}

Dataset Dataset::cache() const {
  return make_selection(cardinality(), *this,
                        [inner = *this, cache = std::make_shared<Cache>()](const Pass& pass) {
                          return std::make_unique<CacheIterator>(inner, pass, cache);
                        });
}

}  // namespace antler::data

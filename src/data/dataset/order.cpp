#include <algorithm>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "data/dataset/node.h"
#include "data/random_words.h"

// Steps that select and order elements.

namespace antler::data {
namespace {

bool is_finite(int64_t cardinality) { return cardinality >= 0; }

/// Cardinality of two concatenated pipelines.
int64_t sum(int64_t a, int64_t b) {
  if (a == Dataset::kInfinite || b == Dataset::kInfinite) return Dataset::kInfinite;
  return is_finite(a) && is_finite(b) ? a + b : Dataset::kUnknown;
}

class ShuffleIterator final : public ElementIterator {
 public:
  ShuffleIterator(Upstream upstream, size_t size, RandomWords words)
      : upstream_(std::move(upstream)), size_(size), words_(words) {}

  bool next(Nest& element) override {
    Nest fresh;
    while (!drained_ && buffer_.size() < size_) {
      if (upstream_->next(fresh)) {
        buffer_.push_back(std::move(fresh));
      } else {
        drained_ = true;
      }
    }
    if (buffer_.empty()) return false;
    std::swap(buffer_[words_.below(buffer_.size())], buffer_.back());
    element = std::move(buffer_.back());
    buffer_.pop_back();
    return true;
  }

 private:
  Upstream upstream_;
  size_t size_;
  RandomWords words_;
  std::vector<Nest> buffer_;
  bool drained_ = false;
};

class RepeatIterator final : public ElementIterator {
 public:
  RepeatIterator(Dataset inner, int64_t count, const Pass& pass)
      : inner_(std::move(inner)), count_(count), pass_(pass) {}

  bool next(Nest& element) override {
    while (wants_pass()) {
      begin_pass();
      if (upstream_->next(element)) {
        empty_ = false;
        return true;
      }
      upstream_.reset();
      ++done_;
      if (empty_ && count_ < 0) return false;  // otherwise it would never end
    }
    return false;
  }
  bool next_rows(int64_t size, Nest& rows) override {
    if (!wants_pass()) return false;
    begin_pass();
    if (!upstream_->next_rows(size, rows)) return false;
    empty_ = false;
    return true;
  }

 private:
  bool wants_pass() const { return count_ < 0 || done_ < static_cast<uint64_t>(count_); }
  void begin_pass() {
    if (upstream_ != nullptr) return;
    upstream_ = inner_.iterate(inner_pass(pass_, done_));
    empty_ = true;
  }

  Dataset inner_;
  int64_t count_;
  Pass pass_;
  Upstream upstream_;
  uint64_t done_ = 0;
  bool empty_ = true;
};

}  // namespace

Dataset Dataset::shuffle(int64_t buffer_size, const ShuffleOptions& options) const {
  if (buffer_size < 1) {
    throw ValueError("Dataset.shuffle: `buffer_size` must be positive. Received: buffer_size={}",
                     buffer_size);
  }
  return make_selection(
      cardinality(), *this, [inner = *this, buffer_size, options](const Pass& pass) {
        const RandomWords words(options.seed.value_or(pass.seed),
                                options.reshuffle_each_iteration ? pass.number : 0);
        return std::make_unique<ShuffleIterator>(inner.iterate(pass),
                                                 static_cast<size_t>(buffer_size), words);
      });
}

Dataset Dataset::repeat(int64_t count) const {
  int64_t size = cardinality();
  if (count < 0) {
    size = size == 0 ? 0 : kInfinite;
  } else if (count == 0) {
    size = 0;
  } else if (is_finite(size)) {
    size *= count;
  }
  return make_selection(size, *this, [inner = *this, count](const Pass& pass) {
    return std::make_unique<RepeatIterator>(inner, count, pass);
  });
}

Dataset Dataset::take(int64_t count) const {
  if (count < 0) return *this;
  const int64_t inner_size = cardinality();
  int64_t size = is_finite(inner_size) ? std::min(inner_size, count) : kUnknown;
  if (inner_size == kInfinite || count == 0) size = count;
  return make_selection(size, *this, [inner = *this, count](const Pass& pass) {
    return make_iterator([upstream = inner.iterate(pass), left = count](Nest& element) mutable {
      if (left == 0 || !upstream->next(element)) return false;
      --left;
      return true;
    });
  });
}

Dataset Dataset::skip(int64_t count) const {
  int64_t size = cardinality();
  if (count < 0) {
    size = 0;
  } else if (is_finite(size)) {
    size = std::max<int64_t>(size - count, 0);
  }
  return make_selection(size, *this, [inner = *this, count](const Pass& pass) {
    return make_iterator([upstream = inner.iterate(pass), left = count](Nest& element) mutable {
      if (left < 0) return false;
      for (; left > 0; --left)
        if (!upstream->next(element)) return false;
      return upstream->next(element);
    });
  });
}

Dataset Dataset::shard(int64_t num_shards, int64_t index) const {
  const bool is_hint = num_shards == SHARD_HINT && index == SHARD_HINT;
  if (is_hint) {
    return make_selection(cardinality() == kInfinite ? kInfinite : kUnknown, *this,
                          [inner = *this](const Pass& pass) {
                            const auto [part, parts] = pass.hint;
                            return parts == 1 ? inner.iterate(pass)
                                              : inner.shard(parts, part).iterate(pass);
                          });
  }
  if (num_shards < 1 || index < 0 || index >= num_shards) {
    throw ValueError(
        "Dataset.shard: `index` must be in [0, num_shards). Received: num_shards={}, index={}",
        num_shards, index);
  }
  int64_t size = cardinality();
  if (is_finite(size)) size = size / num_shards + (index < size % num_shards ? 1 : 0);
  return make_selection(size, *this, [inner = *this, num_shards, index](const Pass& pass) {
    return make_iterator([upstream = inner.iterate(pass), num_shards, index,
                          at = int64_t{0}](Nest& element) mutable {
      while (upstream->next(element))
        if (at++ % num_shards == index) return true;
      return false;
    });
  });
}

Dataset Dataset::concatenate(const Dataset& other) const {
  return make_dataset(sum(cardinality(), other.cardinality()), {*this, other},
                      [first = *this, other](const Pass& pass) {
                        return make_iterator([upstream = first.iterate(pass), other, pass,
                                              second = false](Nest& element) mutable {
                          if (upstream->next(element)) return true;
                          if (std::exchange(second, true)) return false;
                          upstream = other.iterate(pass);
                          return upstream->next(element);
                        });
                      });
}

Dataset Dataset::enumerate(int64_t start) const {
  return make_dataset(cardinality(), {*this}, [inner = *this, start](const Pass& pass) {
    return make_iterator([upstream = inner.iterate(pass), at = start](Nest& element) mutable {
      Nest value;
      if (!upstream->next(value)) return false;
      const Tensor number = Tensor::empty(DType::int64, {});
      *number.mutable_data<int64_t>() = at++;
      element = std::vector<Nest>{number, std::move(value)};
      return true;
    });
  });
}

Dataset Dataset::zip(std::vector<Dataset> datasets) {
  int64_t size = datasets.empty() ? 0 : kInfinite;
  for (const Dataset& dataset : datasets) {
    const int64_t one = dataset.cardinality();
    if (one == kUnknown || size == kUnknown) {
      size = kUnknown;
    } else if (one != kInfinite) {
      size = size == kInfinite ? one : std::min(size, one);
    }
  }
  PipelineFacts facts = joined_facts(datasets);
  std::vector<Nest> specs;
  for (const Dataset& dataset : datasets) {
    if (const std::optional<Nest> spec = dataset.element_spec()) specs.push_back(*spec);
  }
  if (specs.size() == datasets.size()) facts.element_spec = Nest(std::move(specs));
  return make_source(size, facts, [datasets = std::move(datasets)](const Pass& pass) {
    std::vector<Upstream> upstreams;
    upstreams.reserve(datasets.size());
    for (const Dataset& dataset : datasets) upstreams.push_back(dataset.iterate(pass));
    return make_iterator([upstreams = std::move(upstreams)](Nest& element) {
      std::vector<Nest> parts(upstreams.size());
      for (size_t i = 0; i < parts.size(); ++i)
        if (!upstreams[i]->next(parts[i])) return false;
      element = std::move(parts);
      return !upstreams.empty();
    });
  });
}

}  // namespace antler::data

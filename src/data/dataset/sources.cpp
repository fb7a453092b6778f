#include <algorithm>
#include <utility>

#include "antler/base/error.h"
#include "base/ceil_div.h"
#include "data/dataset/node.h"
#include "data/rows.h"

// Data sets at the start of a pipeline.

namespace antler::data {
namespace {

int64_t count_of(int64_t start, int64_t stop, int64_t step) {
  const int64_t span = step > 0 ? stop - start : start - stop;
  const int64_t stride = step > 0 ? step : -step;
  return ceil_div(std::max<int64_t>(span, 0), stride);
}

/// The rows of arrays.
class SlicesIterator final : public ElementIterator {
 public:
  SlicesIterator(const Nest& arrays, int64_t rows)
      : arrays_(arrays), leaves_(arrays.flatten()), rows_(rows) {}

  bool next(Nest& element) override {
    if (at_ == rows_) return false;
    element = taken([at = at_](const Tensor& leaf) { return row_view(leaf, at); });
    ++at_;
    return true;
  }
  bool next_rows(int64_t size, Nest& rows) override {
    if (rows_ - at_ < size) return false;
    rows = taken([at = at_, size](const Tensor& leaf) { return rows_of(leaf, at, size); });
    at_ += size;
    return true;
  }

 private:
  template <class Take>
  Nest taken(Take take) const {
    if (arrays_.is_tensor()) return take(arrays_.tensor());
    Tensors parts = leaves_;
    for (Tensor& leaf : parts)
      if (leaf.defined()) leaf = take(leaf);
    return arrays_.pack(parts);
  }

  Nest arrays_;
  Tensors leaves_;
  int64_t rows_;
  int64_t at_ = 0;
};

}  // namespace

PipelineFacts joined_facts(const std::vector<Dataset>& inputs) {
  PipelineFacts facts;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const PipelineFacts input = inputs[i].facts();
    facts.files = i == 0 ? input.files : std::min(facts.files, input.files);
    if (!facts.options) facts.options = input.options;
  }
  return facts;
}

Nest spec_of(const Nest& tensors) {
  return tensors.map([](const Tensor& tensor) {
    return tensor.defined() ? Tensor::spec_only(tensor.spec()) : Tensor();
  });
}

Dataset Dataset::with_options(const Options& options) const {
  PipelineFacts facts = this->facts();
  facts.options = options;
  return make_source(cardinality(), facts,
                     [inner = *this](const Pass& pass) { return inner.iterate(pass); });
}

Pass inner_pass(const Pass& outer, uint64_t repetition) {
  if (repetition == 0) return outer;
  Pass inner = outer;
  // SplitMix64's finalizer keeps the numbers of nested passes distinct (Steele, Lea, Flood, 2014).
  uint64_t z = outer.number + repetition * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  inner.number = z ^ (z >> 31);
  return inner;
}

Dataset Dataset::from_tensor_slices(const Nest& arrays) {
  const int64_t rows = common_rows({{"arrays", arrays}});
  const Nest row_spec = arrays.map([](const Tensor& array) {
    if (!array.defined()) return Tensor();
    const std::vector<int64_t> dims = array.shape().dims();
    return Tensor::spec_only(
        {array.dtype(), Shape(std::vector<int64_t>(dims.begin() + 1, dims.end()))});
  });
  const PipelineFacts facts{.element_spec = row_spec};
  return make_source(rows, facts, [arrays, rows](const Pass&) {
    return std::make_unique<SlicesIterator>(arrays, rows);
  });
}

Dataset Dataset::from_tensors(const Nest& element) {
  const PipelineFacts facts{.element_spec = spec_of(element)};
  return make_source(1, facts, [element](const Pass&) {
    return make_iterator([element, done = false](Nest& out) mutable {
      if (std::exchange(done, true)) return false;
      out = element;
      return true;
    });
  });
}

Dataset Dataset::range(int64_t stop) { return range(0, stop); }

Dataset Dataset::range(int64_t start, int64_t stop, int64_t step) {
  if (step == 0) throw ValueError("Dataset.range: `step` must not be 0.");
  const int64_t count = count_of(start, stop, step);
  return make_source(count, {}, [start, step, count](const Pass&) {
    return make_iterator([start, step, count, at = int64_t{0}](Nest& element) mutable {
      if (at == count) return false;
      const Tensor value = Tensor::empty(DType::int64, {});
      *value.mutable_data<int64_t>() = start + at++ * step;
      element = value;
      return true;
    });
  });
}

Dataset Dataset::generated(std::function<PullElement()> make) {
  return make_source(kUnknown, {}, [make = std::move(make)](const Pass&) {
    return make_iterator([pull = make()](Nest& element) {
      std::optional<Nest> value = pull();
      if (!value.has_value()) return false;
      element = std::move(*value);
      return true;
    });
  });
}

int64_t InputContext::get_per_replica_batch_size(int64_t global_batch_size) const {
  if (global_batch_size % num_replicas_in_sync != 0) {
    throw ValueError("The `global_batch_size` {} is not divisible by `num_replicas_in_sync` {}.",
                     global_batch_size, num_replicas_in_sync);
  }
  return global_batch_size / num_replicas_in_sync;
}

}  // namespace antler::data

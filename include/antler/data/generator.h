#pragma once

#include <memory>
#include <utility>

#include "antler/data/coroutine.h"
#include "antler/data/element.h"
#include "antler/data/fit_data.h"

namespace antler::data {

/// Batches from a function, a range or a Coroutine, like Python generators in Keras. A function
/// returns a batch (and never ends) or an optional batch (nullopt at the end). A Generator is a
/// handle. It cannot start over: one pass continues over all epochs.
///
/// A batch is Batch{x, y, sample_weight}, a list [x, y] or [x, y, sample_weight], a std::pair or
/// std::tuple of those parts, or x itself. float64 arrays become float32.
class Generator {
 public:
  template <class G>
  requires ElementFunction<G> || EndlessFunction<G> || ElementRange<G>
  explicit Generator(G generator) : pull_(pull_from(std::move(generator))) {}

  std::shared_ptr<DataSource> source(const SourceOptions& options) const;

 private:
  PullElement pull_;  // copies share their position
};

}  // namespace antler::data

namespace antler {

template <class T>
FitData::FitData(data::Coroutine<T> batches) : FitData(data::Generator(std::move(batches))) {}

template <BatchFunction F>
FitData::FitData(F function) {
  constexpr bool kGivesBatches = data::ElementFunction<F> || data::EndlessFunction<F>;
  static_assert(
      kGivesBatches,
      "A generator is a function that returns a batch, [&] { return Batch{x, y}; }, or an "
      "optional one, nullopt at the end; or it is what a coroutine returns: "
      "fit(batches()), where data::Coroutine<Batch> batches() has co_yield.");
  if constexpr (kGivesBatches) *this = FitData(data::Generator(std::move(function)));
}

}  // namespace antler

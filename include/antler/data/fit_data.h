#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/core/nest.h"
#include "antler/core/string_handles.h"
#include "antler/data/data_source.h"
#include "antler/data/dataset_options.h"
#include "antler/data/input_context.h"
#include "antler/data/shuffle.h"

namespace antler {

namespace data {
template <class T>
class Coroutine;
}

/// How a training loop reads its batches. Each kind of data uses the options that apply to it: data
/// sets that already have batches ignore `batch_size`, and only arrays and sequences shuffle.
struct SourceOptions {
  std::optional<int64_t> batch_size = {};  ///< rows; not given: 32
  Shuffle shuffle = Shuffle::none;         ///< of arrays and sequences
  uint64_t seed = 0;                       ///< of the order of rows; equal seeds give equal orders
  /// Weight of each class 0, 1, ... n-1, multiplied into the sample weights; empty: none.
  std::map<int64_t, double> class_weight = {};
  int64_t max_queue_size = 10;       ///< batches that workers may make ahead
  int64_t workers = 1;               ///< threads that make batches
  bool use_multiprocessing = false;  ///< accepted; workers are threads
  data::InputContext input = {};     ///< who reads the data
  /// Which part of a Dataset the workers of `input` read; not given: as its options say.
  std::optional<data::AutoShardPolicy> auto_shard_policy = {};
};

/// Data that is not an array: a handle (data set, generator, sequence) that provides batches.
template <class T>
concept SourceProvider = requires(const T& t, const SourceOptions& options) {
  { t.source(options) } -> std::convertible_to<std::shared_ptr<DataSource>>;
};

/// A function without arguments.
template <class F>
concept BatchFunction = std::invocable<F&> && !SourceProvider<F>;

/// A std::vector of numbers or strings, or of vectors of numbers of equal length.
template <class V>
concept ArrayVector = std::same_as<V, std::vector<std::string>> || requires(const V& values) {
  requires !std::same_as<typename V::value_type, bool>;
  Tensor::of(values);
};
/// The array of its elements; strings are converted by string_handles().
template <ArrayVector V>
Tensor as_array(const V& values) {
  if constexpr (std::same_as<V, std::vector<std::string>>) {
    return string_handles(values);
  } else {
    return Tensor::of(values);
  }
}

/// Argument type for arrays that accompany the data of fit() and similar functions, such as targets
/// and weights. Unlike Nest, it cannot be made from a number in braces, so that options in braces
/// are not taken for arrays.
class Arrays {
 public:
  Arrays() = default;
  template <class A>
  requires std::convertible_to<A, Nest> Arrays(A&& arrays)  // NOLINT(google-explicit-constructor)
      : arrays_(std::forward<A>(arrays)) {}
  template <ArrayVector V>
  Arrays(const V& values) : arrays_(as_array(values)) {}  // NOLINT(google-explicit-constructor)
  Arrays(std::initializer_list<Arrays> arrays)
      : arrays_(std::vector<Nest>(arrays.begin(), arrays.end())) {}
  Arrays(std::initializer_list<std::pair<std::string, Arrays>> arrays)
      : arrays_(Nest::dict(Nest::Items(arrays.begin(), arrays.end()))) {}
  operator const Nest&() const { return arrays_; }  // NOLINT(google-explicit-constructor)

 private:
  Nest arrays_;
};

/// Field and argument type for the data of fit(), evaluate() and predict(): arrays (a Tensor, a
/// list or a dictionary of tensors, one sample per row of axis 0), any SourceProvider, or a
/// DataSource. The batches of a source include targets and weights, which must not be given
/// separately then.
class FitData {
 public:
  FitData() = default;
  template <class A>
  requires std::convertible_to<A, Nest> FitData(
      A&& arrays)  // NOLINT(google-explicit-constructor): data is passed as it is
      : arrays_(std::forward<A>(arrays)) {}
  template <ArrayVector V>
  FitData(const V& values) : arrays_(as_array(values)) {}  // NOLINT(google-explicit-constructor)
  /// A list of arrays, one per input.
  FitData(std::initializer_list<Arrays> arrays) : arrays_(Arrays(arrays)) {}
  /// Arrays by names of inputs: `{{"image", x}, {"text", t}}`.
  FitData(std::initializer_list<std::pair<std::string, Arrays>> arrays) : arrays_(Arrays(arrays)) {}
  template <SourceProvider P>
  FitData(P provider)  // NOLINT(google-explicit-constructor)
      : make_([provider = std::move(provider)](const SourceOptions& options) {
          return std::shared_ptr<DataSource>(provider.source(options));
        }) {}
  /// A generator: a coroutine of batches. Defined in data/generator.h.
  template <class T>
  FitData(data::Coroutine<T> batches);  // NOLINT(google-explicit-constructor)
  /// A generator: a function of batches; see data::Generator. Defined in data/generator.h.
  template <BatchFunction F>
  FitData(F function);  // NOLINT(google-explicit-constructor)
  /// A pointer to an object whose class has a static source(pointer, options), such as a Sequence.
  template <class T>
  requires requires(const std::shared_ptr<T>& shared, const SourceOptions& options) {
    { T::source(shared, options) } -> std::convertible_to<std::shared_ptr<DataSource>>;
  }
  FitData(std::shared_ptr<T> shared)  // NOLINT(google-explicit-constructor)
      : make_([shared = std::move(shared)](const SourceOptions& options) {
          return T::source(shared, options);
        }) {}
  /// The same by value. fit() keeps a copy and calls on_epoch_end() of the copy.
  template <class T>
  requires(!SourceProvider<T> && std::copy_constructible<T>) &&
      requires(const std::shared_ptr<T>& shared, const SourceOptions& options) {
    { T::source(shared, options) } -> std::convertible_to<std::shared_ptr<DataSource>>;
  }
  FitData(T value)  // NOLINT(google-explicit-constructor)
      : FitData(std::make_shared<T>(std::move(value))) {}
  /// Options have no effect on a source.
  template <std::derived_from<DataSource> S>
  FitData(std::shared_ptr<S> source)  // NOLINT(google-explicit-constructor)
      : make_([source = std::shared_ptr<DataSource>(std::move(source))](const SourceOptions&) {
          return source;
        }) {}
  template <std::derived_from<DataSource> S>
  FitData(std::unique_ptr<S> source)  // NOLINT(google-explicit-constructor)
      : FitData(std::shared_ptr<S>(std::move(source))) {}

  bool given() const { return is_source() || !arrays_.is_none(); }
  bool is_source() const { return make_ != nullptr; }
  const Nest& arrays() const { return arrays_; }
  /// The source of batches. Requires is_source().
  std::shared_ptr<DataSource> source(const SourceOptions& options) const { return make_(options); }

 private:
  Nest arrays_;
  std::function<std::shared_ptr<DataSource>(const SourceOptions&)> make_;
};

}  // namespace antler

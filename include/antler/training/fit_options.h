#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/core/nest.h"
#include "antler/data/fit_data.h"
#include "antler/training/callback.h"

namespace antler {

/// Field type of `.validation_freq`: n, to validate every n epochs; or the epochs after which to
/// validate, counted from 1: `{1, 5, 10}`.
class ValidationFrequency {
 public:
  template <std::integral I>
  ValidationFrequency(I every)  // NOLINT(google-explicit-constructor)
      : every_(static_cast<int64_t>(every)) {}
  ValidationFrequency(std::initializer_list<int64_t> epochs) : epochs_(epochs) {}
  ValidationFrequency(std::vector<int64_t> epochs)  // NOLINT(google-explicit-constructor)
      : epochs_(std::move(epochs)) {}
  /// Whether to validate after epoch `epoch`, counted from 0.
  bool includes(int64_t epoch) const;
  /// Throws ValueError for a number below 1.
  void check() const;

 private:
  std::optional<int64_t> every_;
  std::vector<int64_t> epochs_;
};

/// Field type of `.class_weight`: a factor per class, `{{0, 1.0}, {1, 2.0}}` or any map of numbers.
class ClassWeights : public std::map<int64_t, double> {
 public:
  using std::map<int64_t, double>::map;
  template <std::integral K, class V>
  requires std::convertible_to<V, double> ClassWeights(
      const std::map<K, V>& weights)  // NOLINT(google-explicit-constructor)
      : ClassWeights(weights.begin(), weights.end()) {}
};

/// Data that fit() evaluates after an epoch: one to three arrays, or a data set.
struct ValidationData {
  FitData x;
  Nest y;
  Nest sample_weight;

  ValidationData() = default;
  /// A data set, or anything else that fit() takes as its first argument.
  template <class D>
  requires(!std::same_as<std::remove_cvref_t<D>, ValidationData>) &&
      std::convertible_to<D, FitData> ValidationData(
          D&& data)  // NOLINT(google-explicit-constructor)
      : x(std::forward<D>(data)) {}
  /// `{x, y}` or `{x, y, sample_weight}`.
  ValidationData(FitData x, const Arrays& y, const Arrays& sample_weight = {})
      : x(std::move(x)), y(y), sample_weight(sample_weight) {}

  /// `std::pair(x, y)`.
  template <std::convertible_to<FitData> X, std::convertible_to<Arrays> Y>
  ValidationData(const std::pair<X, Y>& parts)  // NOLINT(google-explicit-constructor)
      : ValidationData(parts.first, parts.second) {}

  bool given() const { return x.given(); }
};

/// Arguments of Model::fit after x and y, in Keras 2's order.
struct FitOptions {
  std::optional<int64_t> batch_size = {};  ///< of arrays; not given: 32
  int64_t epochs = 1;  ///< number of the last epoch, counted from 1; if already reached, none runs
  std::optional<int> verbose = {};  ///< 0: silent; 1: bar; 2: a line per epoch; not given: "auto"
  Callbacks callbacks = {};         ///< called during the run
  double validation_split = 0.0;    ///< the tail of the arrays, taken before shuffling
  ValidationData validation_data = {};  ///< takes the place of the split
  ShuffleSpec shuffle = true;           ///< of arrays and sequences
  ClassWeights class_weight = {};       ///< multiplied into the sample weights
  Arrays sample_weight = {};            ///< a weight per sample
  int64_t initial_epoch = 0;            ///< counted from 0; to continue an earlier run
  /// -1: one endless epoch over infinite data. Not given: the size of the data; data of unknown
  /// size is read to its end in the first epoch.
  std::optional<int64_t> steps_per_epoch = {};
  std::optional<int64_t> validation_steps = {};       ///< batches of a validation; not given: all
  std::optional<int64_t> validation_batch_size = {};  ///< not given: batch_size
  ValidationFrequency validation_freq = 1;            ///< every n epochs, or a list of epochs
  // For generators and sequences:
  int64_t max_queue_size = 10;       ///< batches that workers may make ahead
  int64_t workers = 1;               ///< threads that make batches
  bool use_multiprocessing = false;  ///< accepted; workers are threads
};

/// Arguments of Model::evaluate after x and y, in Keras 2's order. Those of FitOptions mean the
/// same.
struct EvaluateOptions {
  std::optional<int64_t> batch_size = {};  ///< of arrays; not given: 32
  std::optional<int> verbose = {};
  Arrays sample_weight = {};          ///< a weight per sample
  std::optional<int64_t> steps = {};  ///< number of batches; not given: all
  Callbacks callbacks = {};           ///< called during the run
  /// Results always have names, and HostLogs::unpack() gives Keras's list, so both values do the
  /// same.
  bool return_dict = false;
  int64_t max_queue_size = 10;       ///< batches that workers may make ahead
  int64_t workers = 1;               ///< threads that make batches
  bool use_multiprocessing = false;  ///< accepted; workers are threads
};

/// Arguments of Model::predict after x, in Keras 2's order.
struct PredictOptions {
  std::optional<int64_t> batch_size = {};  ///< of arrays; not given: 32
  std::optional<int> verbose = {};
  std::optional<int64_t> steps = {};  ///< number of batches; not given: all
  Callbacks callbacks = {};           ///< called during the run
  int64_t max_queue_size = 10;        ///< batches that workers may make ahead
  int64_t workers = 1;                ///< threads that make batches
  bool use_multiprocessing = false;   ///< accepted; workers are threads
};

/// Arguments of Model::train_on_batch after x and y.
struct TrainOnBatchOptions {
  Arrays sample_weight = {};       ///< a weight per sample
  ClassWeights class_weight = {};  ///< a factor per class
  bool return_dict = true;         ///< accepted; the result has names and numbers
  bool reset_metrics = true;       ///< false: metrics continue from earlier calls
};

/// Arguments of Model::test_on_batch after x and y.
struct TestOnBatchOptions {
  Arrays sample_weight = {};  ///< a weight per sample
  bool return_dict = true;    ///< accepted; the result has names and numbers
  bool reset_metrics = true;  ///< false: metrics continue from earlier calls
};

}  // namespace antler

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "antler/core/keyword.h"
#include "antler/core/nest.h"
#include "antler/core/none.h"
#include "antler/data/dataset.h"
#include "antler/data/sequence.h"

/// Data sets from arrays and from other data sets (keras.utils).
namespace antler::utils {

/// Arguments of timeseries_dataset_from_array after the targets, in Keras's order.
struct TimeseriesOptions {
  int64_t sequence_length = 0;              ///< rows of a window; required
  int64_t sequence_stride = 1;              ///< rows between the starts of windows
  int64_t sampling_rate = 1;                ///< rows between the steps of a window
  std::optional<int64_t> batch_size = 128;  ///< nullopt: single windows
  bool shuffle = false;                     ///< windows in a random order
  std::optional<uint64_t> seed = {};
  std::optional<int64_t> start_index = {};  ///< earlier rows are not used
  std::optional<int64_t> end_index = {};    ///< this row and later ones are not used
};
/// Sliding windows of `sequence_length` rows of `data` [rows, ...]: batches [windows, targets], or
/// windows alone if `targets` is undefined. The target of a window is the row of `targets` at the
/// window's first row. Throws ValueError for invalid indices, strides and rates, and if `targets`
/// has no row for the last window.
data::Dataset timeseries_dataset_from_array(const Tensor& data, const Tensor& targets,
                                            const TimeseriesOptions& options);
/// The same with the length by position.
inline data::Dataset timeseries_dataset_from_array(const Tensor& data, const Tensor& targets,
                                                   int64_t sequence_length,
                                                   TimeseriesOptions options = {}) {
  options.sequence_length = sequence_length;
  return timeseries_dataset_from_array(data, targets, options);
}
ANTLER_KEYWORD_FUNCTION(timeseries_dataset_from_array, TimeseriesOptions, const Tensor&,
                        const Tensor&)
ANTLER_KEYWORD_FUNCTION(timeseries_dataset_from_array, TimeseriesOptions, const Tensor&,
                        const Tensor&, int64_t)
/// Windows alone: `timeseries_dataset_from_array(data, None, kw::sequence_length = 24)`.
template <class... K>
requires KeywordArguments<K...> data::Dataset timeseries_dataset_from_array(const Tensor& data,
                                                                            NoneType,
                                                                            K... keywords) {
  return timeseries_dataset_from_array(data, Tensor(), std::move(keywords)...);
}

/// Arguments of TimeseriesGenerator after the length, in Keras's order.
struct TimeseriesGeneratorOptions {
  int64_t sampling_rate = 1;              ///< rows between the steps of a sample
  int64_t stride = 1;                     ///< rows between samples
  int64_t start_index = 0;                ///< earlier rows are not used
  std::optional<int64_t> end_index = {};  ///< last row used as a target; not given: the last row
  bool shuffle = false;                   ///< batches of random samples
  bool reverse = false;                   ///< latest step first
  int64_t batch_size = 128;               ///< rows of a batch
  std::optional<uint64_t> seed = {};      ///< of `shuffle`; not given: 0
};
/// Samples of the `length` rows before a row, with the target of that row (Keras 2's
/// keras.preprocessing.sequence.TimeseriesGenerator). New code should use
/// timeseries_dataset_from_array.
class TimeseriesGenerator : public data::Sequence {
 public:
  /// Throws ValueError if data and targets differ in length, no row is left, or a number is not
  /// positive.
  TimeseriesGenerator(Tensor data, Tensor targets, int64_t length,
                      TimeseriesGeneratorOptions options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(TimeseriesGenerator, TimeseriesGeneratorOptions, Tensor, Tensor,
                             int64_t)
  int64_t size() const override;
  /// [samples, targets]: [n, steps, ...] and [n, ...].
  Nest item(int64_t index) override;
  void on_epoch_end() override { ++*pass_; }

 private:
  Tensor data_;
  Tensor targets_;
  int64_t length_;
  int64_t first_;  ///< first and last row with a target
  int64_t last_;
  TimeseriesGeneratorOptions options_;
  /// Shared by copies, as fit() makes one.
  std::shared_ptr<std::atomic<uint64_t>> pass_ = std::make_shared<std::atomic<uint64_t>>(0);
};

/// Size of a part: not given, a number of elements, or a fraction in (0, 1).
using PartSize = std::variant<std::monostate, int64_t, double>;
/// Arguments of split_dataset after the data, in Keras's order.
struct SplitDatasetOptions {
  PartSize left_size = {};   ///< number of elements, or a share
  PartSize right_size = {};  ///< number of elements, or a share
  bool shuffle = false;      ///< before the split
  std::optional<uint64_t> seed = {};
};
/// Splits a data set into its first and its last elements. If only one size is given, the other
/// part gets the remaining elements. All elements are read into memory. Throws ValueError if no
/// size is given, for invalid sizes, and if a part would be empty.
std::pair<data::Dataset, data::Dataset> split_dataset(const data::Dataset& dataset,
                                                      const SplitDatasetOptions& options);
/// Splits arrays by rows.
std::pair<data::Dataset, data::Dataset> split_dataset(const Nest& arrays,
                                                      const SplitDatasetOptions& options);
template <class Data, class... K>
requires KeywordArguments<K...>
auto split_dataset(const Data& data, K... keywords) {
  return split_dataset(data, from_keywords<SplitDatasetOptions>(std::move(keywords)...));
}

}  // namespace antler::utils

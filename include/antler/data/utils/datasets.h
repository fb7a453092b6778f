#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "antler/core/nest.h"
#include "antler/data/dataset.h"
#include "antler/data/sequence.h"

/// Data sets made of arrays and of other data sets (keras.utils).
namespace antler::utils {

/// Arguments of timeseries_dataset_from_array behind the length, Keras's, in its order.
struct TimeseriesOptions {
  int64_t sequence_stride = 1;              ///< rows between the starts of windows
  int64_t sampling_rate = 1;                ///< rows between the steps of a window
  std::optional<int64_t> batch_size = 128;  ///< nullopt: single windows
  bool shuffle = false;
  std::optional<uint64_t> seed = {};
  std::optional<int64_t> start_index = {};  ///< rows before are not used
  std::optional<int64_t> end_index = {};    ///< rows from there on are not used
};
/// Windows of `sequence_length` rows of `data` [rows, ...], one behind the other: batches
/// [windows, targets], or windows alone where `targets` is undefined. The target of a window is the
/// row of `targets` where it starts. Throws ValueError for indices, strides and rates that do not
/// fit.
data::Dataset timeseries_dataset_from_array(const Tensor& data, const Tensor& targets,
                                            int64_t sequence_length,
                                            const TimeseriesOptions& options = {});

/// Arguments of TimeseriesGenerator behind the length, Keras's, in its order.
struct TimeseriesGeneratorOptions {
  int64_t sampling_rate = 1;              ///< rows between the steps of a sample
  int64_t stride = 1;                     ///< rows between samples
  int64_t start_index = 0;                ///< rows before are not used
  std::optional<int64_t> end_index = {};  ///< the last row used as a target; not given: the last
  bool shuffle = false;                   ///< each batch draws its samples anew
  bool reverse = false;                   ///< the latest step first
  int64_t batch_size = 128;
  std::optional<uint64_t> seed = {};  ///< of `shuffle`; not given: 0
};
/// Samples of the `length` rows before a row, with the target of that row (Keras 2's
/// keras.preprocessing.sequence.TimeseriesGenerator). New code takes
/// timeseries_dataset_from_array.
class TimeseriesGenerator : public data::Sequence {
 public:
  /// Throws ValueError where data and targets differ in length, no row is left, or a number is not
  /// positive.
  TimeseriesGenerator(Tensor data, Tensor targets, int64_t length,
                      TimeseriesGeneratorOptions options = {});
  int64_t size() const override;
  /// [samples, targets]: [n, steps, ...] and [n, ...].
  Nest item(int64_t index) override;
  void on_epoch_end() override { ++pass_; }

 private:
  Tensor data_;
  Tensor targets_;
  int64_t length_;
  int64_t first_;  ///< the first and the last row with a target
  int64_t last_;
  TimeseriesGeneratorOptions options_;
  std::atomic<uint64_t> pass_ = 0;
};

/// Size of a part: nothing, a number of elements, or a fraction in (0, 1).
using PartSize = std::variant<std::monostate, int64_t, double>;
/// Arguments of split_dataset behind the data, Keras's, in its order.
struct SplitDatasetOptions {
  PartSize left_size = {};
  PartSize right_size = {};
  bool shuffle = false;  ///< before the split
  std::optional<uint64_t> seed = {};
};
/// The first and the last elements of a data set; what one size does not say the other does. All
/// elements are read into memory. Throws ValueError for sizes that say nothing or more than there
/// is.
std::pair<data::Dataset, data::Dataset> split_dataset(const data::Dataset& dataset,
                                                      const SplitDatasetOptions& options);
/// The same for arrays, by rows.
std::pair<data::Dataset, data::Dataset> split_dataset(const Nest& arrays,
                                                      const SplitDatasetOptions& options);

}  // namespace antler::utils

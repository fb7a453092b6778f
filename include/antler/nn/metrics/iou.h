#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/nn/by_position.h"
#include "antler/nn/metrics/configured.h"

/// Intersection over union of classes: true positives / (true positives + false positives + false
/// negatives), from a matrix that counts pairs (true class, predicted class). Classes outside [0,
/// num_classes) are ignored. `sample_weight` is [elements] or has the shape of the classes; with an
/// integer dtype it is truncated.
namespace antler::metrics {

/// Settings that all of these metrics have.
struct IoUSetup {
  int64_t num_classes = 0;
  std::vector<int64_t> target_class_ids;
  std::optional<int64_t> ignore_class = {};
  bool sparse_y_true = true;
  bool sparse_y_pred = true;
  int64_t axis = -1;
};

/// Mean over the target classes that occur.
class IoUBase : public ConfiguredMetric {
 public:
  using Metric::update_state;
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight = {}) override;
  Nest result() const override;

 protected:
  /// Throws ValueError for a target class outside [0, num_classes).
  IoUBase(const char* class_name, const std::string& name, DType dtype, const Json& config,
          IoUSetup setup);

 private:
  IoUSetup setup_;
  Variable total_confusion_matrix_;
};

/// Options of IoU.
struct IoUOptions {
  int64_t num_classes = 0;                     ///< number of classes
  std::vector<int64_t> target_class_ids = {};  ///< the classes whose mean is the result
  std::string name = {};                       ///< not given: "io_u", made unique
  DType dtype = DType::int64;                  ///< of the counts
  std::optional<int64_t> ignore_class = {};    ///< true labels to ignore
  bool sparse_y_true = true;  ///< integer labels; else the class is the argmax along `axis`
  /// Predictions are classes; else the class is the argmax along `axis`.
  bool sparse_y_pred = true;
  int64_t axis = -1;  ///< of the classes
};
/// Intersection over union of the target classes: the mean of true positives / (true positives +
/// false positives + false negatives).
struct IoU : MetricOf<IoU, IoUOptions, IoUBase> {
  IoU(int64_t num_classes, std::vector<int64_t> target_class_ids, IoUOptions options = {});
  explicit IoU(const IoUOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(IoU, IoUOptions, int64_t, std::vector<int64_t>)
  ANTLER_KEYWORD_CONSTRUCTOR_AFTER(IoU, IoUOptions, int64_t, num_classes)
};

/// Options of BinaryIoU.
struct BinaryIoUOptions {
  std::vector<int64_t> target_class_ids = {0, 1};  ///< the classes whose mean is the result
  double threshold = 0.5;                          ///< predictions of at least this are class 1
  std::string name = {};
  DType dtype = DType::int64;
};
/// IoU of predictions of two classes: y_pred is a probability.
struct BinaryIoU : MetricOf<BinaryIoU, BinaryIoUOptions, IoUBase> {
  explicit BinaryIoU(const BinaryIoUOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(BinaryIoU, BinaryIoUOptions)
  using Metric::update_state;
  void update_state(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight = {}) override;
};

/// Options of MeanIoU.
struct MeanIoUOptions {
  int64_t num_classes = 0;  ///< number of classes
  std::string name = {};
  DType dtype = DType::int64;
  std::optional<int64_t> ignore_class = {};  ///< true labels to ignore
  bool sparse_y_true = true;  ///< integer labels; else the class is the argmax along `axis`
  /// Predictions are classes; else the class is the argmax along `axis`.
  bool sparse_y_pred = true;
  int64_t axis = -1;  ///< of the classes
};
/// IoU of all classes.
struct MeanIoU : MetricOf<MeanIoU, MeanIoUOptions, IoUBase> {
  explicit MeanIoU(int64_t num_classes, MeanIoUOptions options = {});
  explicit MeanIoU(const MeanIoUOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(MeanIoU, MeanIoUOptions, int64_t)
};

/// Options of OneHotIoU.
struct OneHotIoUOptions {
  int64_t num_classes = 0;                     ///< number of classes
  std::vector<int64_t> target_class_ids = {};  ///< the classes whose mean is the result
  std::string name = {};
  DType dtype = DType::int64;
  std::optional<int64_t> ignore_class = {};  ///< true labels to ignore
  /// Predictions are classes; else the class is the argmax along `axis`.
  bool sparse_y_pred = false;
  int64_t axis = -1;  ///< of the classes
};
/// IoU of one-hot targets.
struct OneHotIoU : MetricOf<OneHotIoU, OneHotIoUOptions, IoUBase> {
  OneHotIoU(int64_t num_classes, std::vector<int64_t> target_class_ids,
            OneHotIoUOptions options = {});
  explicit OneHotIoU(const OneHotIoUOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(OneHotIoU, OneHotIoUOptions, int64_t, std::vector<int64_t>)
  ANTLER_KEYWORD_CONSTRUCTOR_AFTER(OneHotIoU, OneHotIoUOptions, int64_t, num_classes)
};

/// Options of OneHotMeanIoU.
struct OneHotMeanIoUOptions {
  int64_t num_classes = 0;  ///< number of classes
  std::string name = {};
  DType dtype = DType::int64;
  std::optional<int64_t> ignore_class = {};  ///< true labels to ignore
  /// Predictions are classes; else the class is the argmax along `axis`.
  bool sparse_y_pred = false;
  int64_t axis = -1;  ///< of the classes
};
/// MeanIoU of one-hot targets.
struct OneHotMeanIoU : MetricOf<OneHotMeanIoU, OneHotMeanIoUOptions, IoUBase> {
  explicit OneHotMeanIoU(int64_t num_classes, OneHotMeanIoUOptions options = {});
  explicit OneHotMeanIoU(const OneHotMeanIoUOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(OneHotMeanIoU, OneHotMeanIoUOptions, int64_t)
};

}  // namespace antler::metrics

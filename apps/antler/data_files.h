#pragma once

#include <optional>
#include <string>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/data/dataset.h"
#include "antler/io/csv.h"
#include "antler/io/npy.h"
#include "antler/training/model.h"
#include "data_plan.h"

namespace antler::cli {

/// Samples of a file or folder: arrays, or batches that are read while they are used.
struct Samples {
  Tensor x;
  Tensor y;  ///< undefined where the file has none
  std::optional<data::Dataset> batches = {};
  /// Of samples that are files, in the order of a pass that does not shuffle.
  std::vector<std::string> files = {};
  std::vector<int64_t> labels = {};
  /// In place of x or y: lists for a model with several inputs or outputs, in its order.
  Nest xs = {};
  Nest ys = {};

  bool given() const { return x.defined() || !xs.is_none() || batches.has_value(); }
  bool has_targets() const { return y.defined() || !ys.is_none() || batches.has_value(); }
  /// What a model's loop takes as x; arrays in the shape of the model's input. Throws ValueError
  /// where they do not fit.
  FitData inputs(const Model& model) const;
  Arrays targets() const;
  int64_t count() const;
};

/// What DATA on the command line names.
struct LoadedData {
  Samples samples;
  Samples held_out;  ///< by the files themselves: MNIST's test images, x_test, a folder "test"
  DataPlan plan;
  std::string found;  ///< for people: what the files have, a line per fact
};

struct DataOptions {
  /// Column of a CSV file (empty = the last one), or feature of records (empty = "label" or the
  /// like).
  std::string target = {};
  /// How earlier data became numbers; not given: found in this one.
  DataPlan plan = {};
  bool needs_y = true;
  int64_t batch_size = 32;         ///< of samples that are read in batches
  bool shuffle = false;            ///< the same
  double validation_split = 0;     ///< of files: the part that becomes held_out
  std::string label_mode = "int";  ///< of files: "int" or "categorical"
  /// Names of the inputs and outputs of a model, which arrays of an .npz may have.
  std::vector<std::string> input_names = {};
  std::vector<std::string> output_names = {};
  /// Height and width of the input of a model, and its channels, where there is no plan.
  std::optional<ImagePlan> image = {};
};

/// Reads DATA: an .npz (arrays x and y, or x_train, y_train, x_test, y_test, or two arrays, or
/// arrays named as the inputs and outputs of the model), two .npy files "x.npy,y.npy" (or one,
/// without y), a .csv or .tsv, a .tfrecord of tf.Examples, an IDX file, a folder with MNIST's four
/// IDX files, a folder or tar archive with a folder of images or texts per class (or with such
/// folders in "train" and "test"), an image or a text. Throws ValueError saying what is understood,
/// and what the readers throw.
LoadedData load_data(const std::string& data, const DataOptions& options = {});

/// For a model with several inputs or outputs: the arrays that have their names. Throws ValueError
/// where one is missing.
LoadedData data_of_named_arrays(const std::string& path, const io::NamedTensors& arrays,
                                const DataOptions& options);
/// The rows of a table, by `options.plan`, or by what is found in it.
LoadedData data_of_table(const io::CsvTable& table, const DataOptions& options);

/// What the input of a model says about images: not given unless it has height, width and channels.
std::optional<ImagePlan> image_plan_of(const Model& model);

}  // namespace antler::cli

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/data/dataset.h"
#include "antler/io/csv.h"
#include "antler/io/npy.h"
#include "antler/training/model.h"
#include "input/data_plan.h"

namespace antler::cli {

/// The samples of a file or folder: arrays, or batches that are read on demand.
struct Samples {
  Tensor x;
  Tensor y;  ///< undefined if there are no targets
  std::optional<data::Dataset> batches = {};
  /// If each sample is a file: the files and their labels, in the order of an unshuffled pass.
  std::vector<std::string> files = {};
  std::vector<int64_t> labels = {};
  /// Instead of x and y, for a model with several inputs or outputs: lists in the model's order.
  Nest xs = {};
  Nest ys = {};

  bool given() const { return x.defined() || !xs.is_none() || batches.has_value(); }
  bool has_targets() const { return y.defined() || !ys.is_none() || batches.has_value(); }
  /// The argument x of fit(); arrays are reshaped to the model's input. Throws ValueError if the
  /// sizes do not match.
  FitData inputs(const Model& model) const;
  Arrays targets() const;
  int64_t count() const;
};

/// The data behind the DATA argument.
struct LoadedData {
  Samples samples;
  Samples held_out;  ///< the data's own test set: MNIST's test images, x_test, a folder "test"
  DataPlan plan;
  std::string found;        ///< a description to print
  std::string format = {};  ///< what DATA is: "table", "images", ...
};

struct DataOptions {
  /// Column of a CSV file (empty: the last one) or feature of records (empty: "label" or similar).
  std::string target = {};
  /// "classification": targets are classes; "regression": they are numbers; "auto": by their type.
  std::string task = "auto";
  /// For tables: the rows per window, and how many rows after it its target is. 0: not given.
  int64_t window = 0;
  int64_t horizon = 0;
  /// How the training data was converted; not given: inferred from this data.
  DataPlan plan = {};
  bool needs_y = true;
  int64_t batch_size = 32;         ///< for samples that are read in batches
  bool shuffle = false;            ///< for samples that are read in batches
  double validation_split = 0;     ///< for files: the fraction that becomes held_out
  std::string label_mode = "int";  ///< for files: "int" or "categorical"
  /// The names of the model's inputs and outputs, which arrays of an .npz may have.
  std::vector<std::string> input_names = {};
  std::vector<std::string> output_names = {};
  /// The image size of the model's input, used if there is no plan.
  std::optional<ImagePlan> image = {};
  /// If not null, receives the table as it was read, before it is converted.
  io::CsvTable* seen_table = nullptr;
};

/// Reads DATA, which is one of:
///  - an .npz with the arrays x and y, or x_train, y_train, x_test, y_test, or any two arrays, or
///    arrays named like the model's inputs and outputs;
///  - a pair of .npy files "x.npy,y.npy", or one without targets;
///  - a .csv or .tsv, a .tfrecord of tf.Examples, an IDX file, a folder with MNIST's IDX files;
///  - a folder or tar archive with a folder of images or text files per class, or with such folders
///    in "train" and "test";
///  - one image or text file;
///  - the name of a built-in data set, for example mnist, if there is no such file or folder.
/// Throws ValueError for anything else, and what the readers throw.
LoadedData load_data(const std::string& data, const DataOptions& options = {});

/// For a model with several inputs or outputs: the arrays of the same names. Throws ValueError if
/// one is missing.
LoadedData data_of_named_arrays(const std::string& path, const io::NamedTensors& arrays,
                                const DataOptions& options);
/// The rows of a table, converted by `options.plan` or by a plan inferred from the table.
LoadedData data_of_table(const io::CsvTable& table, const DataOptions& options);

/// The image size of the model's input; nullopt unless it has a height, width and channels.
std::optional<ImagePlan> image_plan_of(const Model& model);

}  // namespace antler::cli

#include "input/data_files.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "antler/base/error.h"
#include "antler/data/datasets.h"
#include "antler/io/csv.h"
#include "antler/io/idx.h"
#include "antler/io/npy.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/manipulation.h"
#include "base/strings.h"
#include "input/builtin_data.h"
#include "input/folder_data.h"
#include "input/record_data.h"

namespace antler::cli {
namespace {

namespace fs = std::filesystem;

std::string describe(std::string_view name, const Tensor& tensor) {
  if (!tensor.defined()) return "";
  return format("  {}: {} {}\n", name, dtype_name(tensor.dtype()), tensor.shape());
}

Tensor array_named(const io::NamedTensors& arrays, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    for (const auto& [key, value] : arrays) {
      if (key == name) return value;
    }
  }
  return {};
}

/// The arrays of these names as a list; empty if one is missing.
Nest arrays_named(const io::NamedTensors& arrays, const std::vector<std::string>& names) {
  std::vector<Nest> list;
  for (const std::string& name : names) {
    const Tensor array = array_named(arrays, {name.c_str()});
    if (!array.defined()) return {};
    list.emplace_back(array);
  }
  return list;
}

std::string names_of(const io::NamedTensors& arrays) {
  std::vector<std::string> names;
  for (const auto& [name, value] : arrays) names.push_back(name);
  return join(names);
}

LoadedData from_npz(const std::string& path, const DataOptions& options) {
  const io::NamedTensors arrays = io::load_npz(path);
  if (options.input_names.size() > 1 || options.output_names.size() > 1) {
    return data_of_named_arrays(path, arrays, options);
  }
  const bool needs_y = options.needs_y;
  LoadedData data;
  Samples& s = data.samples;
  s.x = array_named(arrays, {"x", "x_train"});
  s.y = array_named(arrays, {"y", "y_train"});
  data.held_out.x = array_named(arrays, {"x_test", "x_val"});
  data.held_out.y = array_named(arrays, {"y_test", "y_val"});
  if (!s.x.defined() && !arrays.empty() && arrays.size() <= 2) {
    s.x = arrays[0].second;
    if (arrays.size() == 2) s.y = arrays[1].second;
  }
  if (!s.x.defined() || (needs_y && !s.y.defined())) {
    throw ValueError("'{}' needs arrays x and y (or x_train and y_train). It has: {}.", path,
                     names_of(arrays));
  }
  return data;
}

LoadedData from_npy(const std::string& text) {
  LoadedData data;
  const size_t comma = text.find(',');
  data.samples.x = io::load_npy(text.substr(0, comma));
  if (comma != std::string::npos) data.samples.y = io::load_npy(text.substr(comma + 1));
  return data;
}

/// Whether the table has the target and the columns of the plan, if these are given.
bool has_known_columns(const io::CsvTable& table, const DataOptions& options) {
  if (!options.target.empty() && table.find(options.target) < 0) return false;
  if (!options.plan.table) return true;
  const auto& features = options.plan.table->features;
  return std::all_of(features.begin(), features.end(), [&](const TablePlan::Feature& feature) {
    return table.find(feature.name) >= 0;
  });
}

LoadedData from_csv(const std::string& path, const DataOptions& options) {
  io::CsvOptions csv{.separator = path.ends_with(".tsv") ? '\t' : '\0'};
  if (options.plan.table) csv.text_columns = options.plan.table->string_columns();
  io::CsvTable table = io::read_csv(path, csv);
  if (!has_known_columns(table, options)) {
    // In a table of strings a header looks like any other row; known names identify it.
    csv.header = "yes";
    const io::CsvTable named = io::read_csv(path, csv);
    if (has_known_columns(named, options)) table = named;
  }
  return data_of_table(table, options);
}

bool has_idx_files(const std::string& folder) {
  if (!fs::is_directory(folder)) return false;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().find("-ubyte") != std::string::npos) return true;
  }
  return false;
}

LoadedData from_idx_folder(const std::string& path) {
  const data::TrainTest mnist = data::mnist({.directory = path, .download = false});
  return {
      {mnist.train.x, mnist.train.y}, {mnist.test.x, mnist.test.y}, {}, "  pixels from 0 to 1\n"};
}

/// Reshapes an array to the shape of the model's input if the number of elements is the same.
Tensor fit_input(const Model& model, const Tensor& x) {
  const Tensors inputs = model.inputs();
  if (inputs.size() != 1) return x;
  const Shape want = inputs[0].shape();
  const Shape& have = x.shape();
  const auto known_size = [](const Shape& shape) {
    int64_t size = 1;
    for (int i = 1; i < shape.rank(); ++i) size *= shape[i] == Shape::kUnknown ? 0 : shape[i];
    return size;
  };
  bool equal = want.rank() == have.rank();
  for (int i = 1; equal && i < want.rank(); ++i) {
    equal = want[i] == Shape::kUnknown || want[i] == have[i];
  }
  if (equal) return x;
  if (have.rank() < 1 || known_size(want) == 0 || known_size(want) != known_size(have)) {
    throw ValueError("The model takes inputs of shape {}, the data has {}.", want, have);
  }
  Shape shape = want;
  shape[0] = have[0];
  return ops::reshape(x, shape);
}

/// Throws ValueError if the options contradict the plan of a model.
void check_plan(const TablePlan& plan, const DataOptions& options) {
  if (!options.target.empty() && options.target != plan.target) {
    throw ValueError(
        "The model predicts '{}', not '{}': create a model for that target with antler new.",
        plan.target, options.target);
  }
  const char* task = plan.classes.empty() ? "regression" : "classification";
  if (options.task != "auto" && options.task != task) {
    throw ValueError("The model was made for --task {}: create another one with antler new.", task);
  }
  if (options.window > 0 && options.window != plan.window) {
    throw ValueError("The model takes {}, not windows of {} rows: create another with antler new.",
                     plan.window > 0 ? format("windows of {} rows", plan.window) : "single rows",
                     options.window);
  }
  if (options.horizon > 0 && options.horizon != plan.horizon) {
    throw ValueError(
        "The model predicts {} rows ahead, not {}: create another model with antler new.",
        plan.horizon, options.horizon);
  }
}

/// Targets of arrays in the form that the task needs: int32 classes or float32 numbers.
void apply_task(LoadedData& data, const std::string& task) {
  if (task == "auto" || data.plan.table) return;
  const bool has_names = data.samples.batches || !data.plan.classes().empty();
  if (task == "regression" && has_names) {
    throw ValueError("The targets are names of classes: that is not a regression.");
  }
  for (Tensor* y : {&data.samples.y, &data.held_out.y}) {
    if (!y->defined()) continue;
    if (task == "regression") {
      *y = ops::cast(*y, DType::float32);
      continue;
    }
    const std::vector<double> labels = y->to_doubles();
    const auto wrong = std::find_if(labels.begin(), labels.end(), [](double label) {
      return !(label >= 0 && label <= std::numeric_limits<int32_t>::max()) ||
             label != std::floor(label);
    });
    if (wrong != labels.end()) {
      throw ValueError("For --task classification, targets are the classes 0, 1, ... Received: {}.",
                       *wrong);
    }
    if (is_floating(y->dtype())) *y = ops::cast(*y, DType::int32);
  }
}

/// Throws ValueError if an option that is only for tables is given for other data.
void check_table_options(const std::string& path, const DataOptions& options,
                         const LoadedData& data) {
  if (data.plan.table || (options.window == 0 && options.horizon == 0)) return;
  throw ValueError("--window is for the rows of a table. '{}' is not one.", path);
}

}  // namespace

FitData Samples::inputs(const Model& model) const {
  if (batches) return *batches;
  if (!xs.is_none()) return xs;
  return fit_input(model, x);
}

Arrays Samples::targets() const {
  if (batches) return {};
  return ys.is_none() ? Arrays(y) : Arrays(ys);
}

int64_t Samples::count() const {
  if (batches) return std::ssize(files);
  return (xs.is_none() ? x : xs.flatten()[0]).shape()[0];
}

LoadedData data_of_named_arrays(const std::string& path, const io::NamedTensors& arrays,
                                const DataOptions& options) {
  LoadedData data;
  Samples& s = data.samples;
  s.x = options.input_names.size() == 1 ? array_named(arrays, {"x", "x_train"}) : Tensor();
  s.y = options.output_names.size() == 1 ? array_named(arrays, {"y", "y_train"}) : Tensor();
  if (!s.x.defined()) s.xs = arrays_named(arrays, options.input_names);
  if (!s.y.defined()) s.ys = arrays_named(arrays, options.output_names);
  if (s.given() && (s.has_targets() || !options.needs_y)) {
    for (const auto& [name, value] : arrays) data.found += describe(name, value);
    return data;
  }
  throw ValueError(
      "'{}' needs arrays named like the model's inputs ({}) and outputs ({}). It has: {}.", path,
      join(options.input_names), join(options.output_names), names_of(arrays));
}

LoadedData data_of_table(const io::CsvTable& table, const DataOptions& options) {
  LoadedData data;
  data.format = "table";
  if (options.seen_table != nullptr) *options.seen_table = table;
  if (options.horizon > 0 && options.window == 0 && !options.plan.table) {
    throw ValueError("--horizon is for windows: give --window too.");
  }
  const TablePlan plan = options.plan.table
                             ? *options.plan.table
                             : plan_table(table, {options.target, options.task, options.window,
                                                  std::max<int64_t>(options.horizon, 1)});
  check_plan(plan, options);
  // The last windows have no target yet: their outputs are the forecast.
  const bool forecasts = plan.window > 0 && !options.needs_y;
  data.samples.x = plan.features_of(table, forecasts);
  if (!forecasts && (options.needs_y || plan.has_target(table))) {
    data.samples.y = plan.target_of(table);
  }
  data.found = format("  {} rows\n{}", table.rows, plan.describe());
  int64_t missing = 0;
  for (const TablePlan::Feature& feature : plan.features) {
    if (!feature.categories.empty()) continue;
    missing += table.columns[static_cast<size_t>(table.find(feature.name))].count_missing();
  }
  if (missing > 0) {
    data.found += format("  {} missing numbers, replaced by the mean of their column\n", missing);
  }
  data.plan.table = plan;
  return data;
}

LoadedData load_data(const std::string& data, const DataOptions& options) {
  const std::string extension = fs::path(data).extension().string();
  LoadedData loaded;
  if (is_builtin_data(data)) {
    loaded = load_builtin_data(data, options);
  } else if (has_idx_files(data)) {
    loaded = from_idx_folder(data);
    loaded.format = "MNIST's IDX files";
  } else if (extension == ".npz") {
    loaded = from_npz(data, options);
    loaded.format = "NumPy arrays";
  } else if (extension == ".npy") {
    loaded = from_npy(data);
    loaded.format = "NumPy arrays";
  } else if (extension == ".csv" || extension == ".tsv") {
    loaded = from_csv(data, options);
  } else if (is_record_data(data)) {
    loaded = load_record_data(data, options);
    loaded.format = "tf.Examples";
  } else if (data.find("-ubyte") != std::string::npos) {
    loaded.samples.x = io::load_idx(data);
    loaded.format = "IDX array";
  } else if (is_file_data(data)) {
    loaded = load_file_data(data, options);
    loaded.format = loaded.plan.text ? "text files" : "image files";
  } else {
    throw ValueError(
        "Cannot recognize '{}'. DATA is an .npz, a pair x.npy,y.npy, a .csv or .tsv, a .tfrecord, "
        "an IDX file, a folder with MNIST's IDX files, or a folder or tar archive with a folder of "
        "images or text files per class, or the name of a data set: {}.",
        data, join(builtin_names()));
  }
  if (options.needs_y && !loaded.samples.has_targets()) {
    throw ValueError("'{}' has no targets: give a pair x.npy,y.npy, or an .npz with x and y.",
                     data);
  }
  check_table_options(data, options, loaded);
  apply_task(loaded, options.task);
  loaded.found = describe("x", loaded.samples.x) + describe("y", loaded.samples.y) +
                 describe("held out x", loaded.held_out.x) + loaded.found;
  return loaded;
}

std::optional<ImagePlan> image_plan_of(const Model& model) {
  const Tensors inputs = model.inputs();
  if (inputs.size() != 1 || !inputs[0].defined()) return std::nullopt;
  const Shape& shape = inputs[0].shape();
  if (shape.rank() != 4 || shape[1] < 1 || shape[2] < 1) return std::nullopt;
  if (shape[3] != 1 && shape[3] != 3 && shape[3] != 4) return std::nullopt;
  return ImagePlan{shape[1], shape[2], shape[3], {}};
}

}  // namespace antler::cli

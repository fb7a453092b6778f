#include "data_files.h"

#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/data/datasets.h"
#include "antler/io/csv.h"
#include "antler/io/idx.h"
#include "antler/io/npy.h"
#include "antler/ops/shape.h"

namespace antler::cli {
namespace {

namespace fs = std::filesystem;

std::string describe(const char* name, const Tensor& tensor) {
  if (!tensor.defined()) return "";
  return std::string("  ") + name + ": " + dtype_name(tensor.dtype()) + " " + tensor.shape().str() +
         "\n";
}

Tensor array_named(const io::NamedTensors& arrays, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    for (const auto& [key, value] : arrays) {
      if (key == name) return value;
    }
  }
  return {};
}

LoadedData from_npz(const std::string& path, bool needs_y) {
  const io::NamedTensors arrays = io::load_npz(path);
  LoadedData data;
  data.x = array_named(arrays, {"x", "x_train"});
  data.y = array_named(arrays, {"y", "y_train"});
  data.test_x = array_named(arrays, {"x_test", "x_val"});
  data.test_y = array_named(arrays, {"y_test", "y_val"});
  if (!data.x.defined() && !arrays.empty() && arrays.size() <= 2) {
    data.x = arrays[0].second;
    if (arrays.size() == 2) data.y = arrays[1].second;
  }
  if (!data.x.defined() || (needs_y && !data.y.defined())) {
    std::string known;
    for (const auto& [name, value] : arrays) known += (known.empty() ? "" : ", ") + name;
    throw ValueError("'" + path +
                     "' needs arrays x and y (or x_train and y_train). It has: " + known + ".");
  }
  return data;
}

LoadedData from_npy(const std::string& text) {
  LoadedData data;
  const size_t comma = text.find(',');
  data.x = io::load_npy(text.substr(0, comma));
  if (comma != std::string::npos) data.y = io::load_npy(text.substr(comma + 1));
  return data;
}

LoadedData from_csv(const std::string& path, const DataOptions& options) {
  const io::CsvTable table = io::read_csv(path);
  LoadedData data;
  data.plan = options.plan ? *options.plan : plan_table(table, options.target);
  data.x = data.plan->features_of(table);
  if (options.needs_y || data.plan->has_target(table)) data.y = data.plan->target_of(table);
  data.found = "  " + std::to_string(table.rows) + " rows\n" + data.plan->describe();
  int64_t missing = 0;
  for (const io::CsvColumn& column : table.columns) missing += column.count_missing();
  if (missing > 0) {
    data.found += "  " + std::to_string(missing) + " missing values, replaced by column means\n";
  }
  return data;
}

LoadedData from_folder(const std::string& path) {
  const data::TrainTest mnist = data::mnist({.directory = path, .download = false});
  return {mnist.train.x, mnist.train.y, mnist.test.x, mnist.test.y, {}, {}};
}

}  // namespace

LoadedData load_data(const std::string& data, const DataOptions& options) {
  const std::string extension = fs::path(data).extension().string();
  LoadedData loaded;
  if (fs::is_directory(data)) {
    loaded = from_folder(data);
  } else if (extension == ".npz") {
    loaded = from_npz(data, options.needs_y);
  } else if (extension == ".npy") {
    loaded = from_npy(data);
  } else if (extension == ".csv" || extension == ".tsv") {
    loaded = from_csv(data, options);
  } else if (data.find("-ubyte") != std::string::npos) {
    loaded.x = io::load_idx(data);
  } else {
    throw ValueError("Cannot tell what '" + data +
                     "' is. DATA is an .npz, a pair x.npy,y.npy, a .csv, an IDX file, or a folder "
                     "with MNIST's IDX files.");
  }
  if (options.needs_y && !loaded.y.defined()) {
    throw ValueError("'" + data +
                     "' has no targets: give a pair x.npy,y.npy, or an .npz with x and y.");
  }
  loaded.found = describe("x", loaded.x) + describe("y", loaded.y) +
                 describe("held out x", loaded.test_x) + loaded.found;
  return loaded;
}

Tensor fit_input(const Model& model, const Tensor& x) {
  const Nest inputs = model.inputs();
  if (inputs.flatten().size() != 1) return x;
  const Shape want = inputs.flatten()[0].shape();
  const Shape have = x.shape();
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
    throw ValueError("The model takes inputs of shape " + want.str() + ", the data has " +
                     have.str() + ".");
  }
  Shape shape = want;
  shape[0] = have[0];
  return ops::reshape(x, shape);
}

std::optional<TablePlan> plan_beside(const std::string& model_path) {
  const std::string path = TablePlan::path_beside(model_path);
  if (!fs::exists(path)) return std::nullopt;
  try {
    return TablePlan::from_json(Json::parse(read_file(path)));
  } catch (const Json::exception& error) {
    throw IOError("'" + path + "' is damaged: " + error.what());
  }
}

}  // namespace antler::cli

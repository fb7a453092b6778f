#pragma once

#include <optional>
#include <string>

#include "antler/core/tensor.h"
#include "antler/training/model.h"
#include "table_plan.h"

namespace antler::cli {

/// What DATA on the command line names.
struct LoadedData {
  Tensor x;
  Tensor y;  ///< undefined where the file has none
  /// Held out by the files themselves (MNIST's test images, x_test of an .npz); may be undefined.
  Tensor test_x;
  Tensor test_y;
  std::optional<TablePlan> plan;  ///< of a CSV file
  std::string found;              ///< for people: what the files have, a line per fact
};

struct DataOptions {
  std::string target = {};  ///< column of a CSV file; empty = the last one
  /// How the columns of an earlier table became numbers; not given: found in this one.
  std::optional<TablePlan> plan = {};
  bool needs_y = true;
};

/// Reads DATA: an .npz (arrays x and y, or x_train, y_train, x_test, y_test, or two arrays), two
/// .npy files "x.npy,y.npy" (or one, without y), a .csv, an IDX file, or a folder with MNIST's four
/// IDX files. Throws ValueError saying what is understood, and what the readers throw.
LoadedData load_data(const std::string& data, const DataOptions& options = {});

/// x in the shape that the model's input has, where the numbers of elements are equal. Throws
/// ValueError naming both shapes otherwise.
Tensor fit_input(const Model& model, const Tensor& x);

/// The plan beside a model, if there is one.
std::optional<TablePlan> plan_beside(const std::string& model_path);

}  // namespace antler::cli

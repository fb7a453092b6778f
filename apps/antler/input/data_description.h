#pragma once

#include <cstdint>

#include "antler/base/json.h"
#include "input/data_arguments.h"

namespace antler::cli {

/// The contents of DATA and how a model would use them:
///  - "data", "format", "samples", "held_out" (the number of samples in its own test set);
///  - "columns" of a table: "name", "kind" (number, date, text or empty), "missing", "distinct",
///    "use"; also "min", "max" and "mean" for numbers, "min" and "max" for dates, "most_common" and
///    "most_common_count" for texts;
///  - "files": the sizes of images, or the words of texts;
///  - "arrays": "name", "dtype", "shape", and "min", "max" and "mean" of numbers;
///  - "target": "task" with "classes" (each with "label" and "count") or with "min", "max", "mean";
///  - "examples": up to `examples` rows of a table, names of files, or first values of arrays;
///  - "problem": why the data cannot be used for training as it is.
/// Throws what load_data() throws if nothing can be read.
Json describe_data(const DataArguments& arguments, int64_t examples);

}  // namespace antler::cli

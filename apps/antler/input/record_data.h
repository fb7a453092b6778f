#pragma once

#include <string>

#include "input/data_files.h"

namespace antler::cli {

/// Whether DATA is a file of tf.Examples: .tfrecord or .tfrecords, optionally with .gz.
bool is_record_data(const std::string& data);

/// Reads such a file. If each feature has at most one value, the examples are the rows of a table
/// (table_plan.h). Otherwise each feature becomes an array: lists of numbers, an image file per
/// example, or a byte string per example. See load_data().
LoadedData load_record_data(const std::string& path, const DataOptions& options);

}  // namespace antler::cli

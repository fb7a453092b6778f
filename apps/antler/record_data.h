#pragma once

#include <string>

#include "data_files.h"

namespace antler::cli {

/// Whether DATA names a file of tf.Examples (.tfrecord or .tfrecords, also with .gz behind it).
bool is_record_data(const std::string& data);

/// The samples of such a file. Where each feature has at most one value they are a table's rows
/// (table_plan.h); else each feature is an array: numbers as they are, one text in each example as
/// an image file or as bytes. See load_data().
LoadedData load_record_data(const std::string& path, const DataOptions& options);

}  // namespace antler::cli

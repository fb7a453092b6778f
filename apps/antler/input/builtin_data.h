#pragma once

#include <string>
#include <vector>

#include "input/data_files.h"

namespace antler::cli {

/// The names of the data sets that DATA may be: those of keras.datasets, and "digits".
std::vector<std::string> builtin_names();

/// Whether DATA is one of them, and no file or folder of this name exists.
bool is_builtin_data(const std::string& data);

/// Reads or downloads the data set; see antler/data/keras_datasets.h. Texts become tokens of the
/// 9,998 most frequent words, as files of text do. Throws NotFoundError, which says where to put a
/// file that cannot be downloaded.
LoadedData load_builtin_data(const std::string& name, const DataOptions& options);

}  // namespace antler::cli

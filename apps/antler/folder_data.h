#pragma once

#include <string>

#include "data_files.h"

namespace antler::cli {

/// Whether DATA is a folder, a tar archive (or a folder in one), an image or a text file.
bool is_file_data(const std::string& data);

/// Reads images or text files, whichever the folder has more of; see load_data().
LoadedData load_file_data(const std::string& data, const DataOptions& options);

}  // namespace antler::cli

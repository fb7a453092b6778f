#pragma once

#include <string>

#include "data_files.h"

namespace antler::cli {

/// Whether DATA names a folder or tar archive (or a folder in one), an image or a text.
bool is_file_data(const std::string& data);

/// Images or texts, whichever the folder has more of; see load_data().
LoadedData load_file_data(const std::string& data, const DataOptions& options);

}  // namespace antler::cli

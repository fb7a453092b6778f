#pragma once

#include <string>

#include "antler/base/json.h"
#include "input/data_files.h"

namespace antler::cli {

/// Whether DATA is a folder, a tar archive (or a folder in one), an image or a text file.
bool is_file_data(const std::string& data);

/// Reads images or text files, whichever the folder has more of; see load_data().
LoadedData load_file_data(const std::string& data, const DataOptions& options);

/// Facts about the files of a folder, an archive or a single file. Images: "formats", and of some
/// of them ("measured") the "smallest" and "largest" height and width. Texts: "words" with "min",
/// "median" and "max" per file. Throws as load_file_data() does.
Json describe_files(const std::string& data);

}  // namespace antler::cli

#pragma once

#include <string>

#include "antler/base/json.h"
#include "input/data_files.h"

namespace antler::cli {

/// Whether DATA is a folder, a tar archive (or a folder in one), an image or a text file.
bool is_file_data(const std::string& data);

/// Reads images or text files, whichever the folder has more of; see load_data().
LoadedData load_file_data(const std::string& data, const DataOptions& options);

/// Facts about the files of a folder or an archive, or about one file. Images: "formats", and the
/// "smallest" and "largest" height and width among the "measured" ones. Texts: "words" with the
/// "min", "median" and "max" per file. Throws what load_file_data() throws.
Json describe_files(const std::string& data);

}  // namespace antler::cli

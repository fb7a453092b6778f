#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace antler::data {

/// Whether this build can download.
bool can_download();

/// The bytes behind a URL. Throws IOError that says why there are none.
std::string download(const std::string& url);

/// Told now and then how many bytes there are so far, of how many (-1: not known).
using DownloadProgress = std::function<void(int64_t now, int64_t total)>;
/// Writes the bytes behind a URL to a file, which appears under its name when it is complete.
/// Throws IOError that says why there are none, or why they cannot be written.
void download_file(const std::string& url, const std::string& path,
                   const DownloadProgress& progress = {});

}  // namespace antler::data

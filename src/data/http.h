#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// HTTP requests with libcurl, which is optional in a build.
namespace antler::data {

/// Whether this build has libcurl.
bool can_download();

/// The bytes at a URL. Throws IOError with the reason when they cannot be read.
std::string download(const std::string& url);

/// Called during a download with the number of bytes so far and in total (-1: unknown).
using DownloadProgress = std::function<void(int64_t now, int64_t total)>;
/// Writes the bytes at a URL to a file. The file appears when it is complete. Throws IOError with
/// the reason when the bytes cannot be read or written.
void download_file(const std::string& url, const std::string& path,
                   const DownloadProgress& progress = {});

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;
/// Sends `body` by HTTP POST and waits for the response, whatever its status. Throws IOError when
/// the server cannot be reached, RuntimeError in a build without libcurl.
void http_post(const std::string& url, const std::string& content_type, const std::string& body,
               const HttpHeaders& headers = {});

/// The string as a value of application/x-www-form-urlencoded.
std::string url_encode(const std::string& value);

}  // namespace antler::data

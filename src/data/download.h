#pragma once

#include <string>

namespace antler::data {

/// Whether this build can download.
bool can_download();

/// The bytes behind a URL. Throws IOError that says why there are none.
std::string download(const std::string& url);

}  // namespace antler::data

#pragma once

#include <string>
#include <utility>
#include <vector>

namespace antler::data {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

/// Sends `body` by HTTP POST and waits for the answer, whatever its status. Throws IOError when the
/// server cannot be reached, RuntimeError in a build without libcurl.
void http_post(const std::string& url, const std::string& content_type, const std::string& body,
               const HttpHeaders& headers = {});

/// Text as a value of application/x-www-form-urlencoded.
std::string url_encode(const std::string& text);

}  // namespace antler::data

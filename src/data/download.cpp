#include "data/download.h"

#include "antler/base/error.h"

#ifdef ANTLER_WITH_CURL

#include <curl/curl.h>

#include <cstddef>
#include <memory>

namespace antler::data {
namespace {

constexpr long kConnectSeconds = 10;
/// A transfer that stays below this many bytes per second for so long is given up.
constexpr long kLeastSpeed = 1000;
constexpr long kSlowSeconds = 30;

size_t append(char* data, size_t size, size_t count, void* to) {
  static_cast<std::string*>(to)->append(data, size * count);
  return size * count;
}

}  // namespace

bool can_download() { return true; }

std::string download(const std::string& url) {
  // Once per process; its counterpart is never called, as other users of libcurl may still run.
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(curl_easy_init(), curl_easy_cleanup);
  if (started != CURLE_OK || curl == nullptr) throw IOError("Cannot start libcurl.");
  std::string bytes;
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_LIMIT, kLeastSpeed);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_TIME, kSlowSeconds);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, append);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &bytes);
  const CURLcode code = curl_easy_perform(curl.get());
  if (code != CURLE_OK) throw IOError("Cannot get " + url + ": " + curl_easy_strerror(code) + ".");
  return bytes;
}

}  // namespace antler::data

#else

namespace antler::data {

bool can_download() { return false; }

std::string download(const std::string& url) {
  throw IOError("Cannot get " + url + ": this library was built without libcurl.");
}

}  // namespace antler::data

#endif

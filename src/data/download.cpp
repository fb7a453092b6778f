#include "data/download.h"

#include "antler/base/error.h"

#ifdef ANTLER_WITH_CURL

#include <curl/curl.h>

#include <cstddef>
#include <fstream>
#include <memory>

#include "antler/base/file.h"

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

size_t write_on(char* data, size_t size, size_t count, void* to) {
  auto& file = *static_cast<std::ofstream*>(to);
  file.write(data, static_cast<std::streamsize>(size * count));
  return file ? size * count : 0;
}

int report(void* to, curl_off_t total, curl_off_t now, curl_off_t, curl_off_t) {
  if (now > 0) (*static_cast<const DownloadProgress*>(to))(now, total > 0 ? total : -1);
  return 0;
}

using Curl = std::unique_ptr<CURL, void (*)(CURL*)>;

Curl start_curl(const std::string& url) {
  // Once per process; its counterpart is never called, as other users of libcurl may still run.
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  Curl curl(curl_easy_init(), curl_easy_cleanup);
  if (started != CURLE_OK || curl == nullptr) throw IOError("Cannot start libcurl.");
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_LIMIT, kLeastSpeed);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_TIME, kSlowSeconds);
  return curl;
}

void perform(const Curl& curl, const std::string& url) {
  const CURLcode code = curl_easy_perform(curl.get());
  if (code != CURLE_OK) throw IOError("Cannot get " + url + ": " + curl_easy_strerror(code) + ".");
}

}  // namespace

bool can_download() { return true; }

std::string download(const std::string& url) {
  const Curl curl = start_curl(url);
  std::string bytes;
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, append);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &bytes);
  perform(curl, url);
  return bytes;
}

void download_file(const std::string& url, const std::string& path,
                   const DownloadProgress& progress) {
  AtomicFile target(path);
  std::ofstream file(target.temporary_path(), std::ios::binary);
  const Curl curl = start_curl(url);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, write_on);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &file);
  if (progress) {
    curl_easy_setopt(curl.get(), CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl.get(), CURLOPT_XFERINFOFUNCTION, report);
    curl_easy_setopt(curl.get(), CURLOPT_XFERINFODATA, &progress);
  }
  perform(curl, url);
  file.close();
  if (!file) throw IOError("Cannot write what " + url + " holds to '" + path + "'.");
  target.commit();
}

}  // namespace antler::data

#else

namespace antler::data {

bool can_download() { return false; }

std::string download(const std::string& url) {
  throw IOError("Cannot get " + url + ": this library was built without libcurl.");
}

void download_file(const std::string& url, const std::string&, const DownloadProgress&) {
  download(url);
}

}  // namespace antler::data

#endif

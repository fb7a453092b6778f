#include "data/http.h"

#include "antler/base/error.h"

#ifdef ANTLER_WITH_CURL
#include <curl/curl.h>

#include <cstddef>
#include <fstream>
#include <memory>

#include "antler/base/file.h"
#endif

namespace antler::data {

std::string url_encode(const std::string& value) {
  constexpr const char* kHex = "0123456789ABCDEF";
  std::string result;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || c == '-' || c == '_' || c == '.' || c == '~') {
      result += c;
    } else if (c == ' ') {
      result += '+';
    } else {
      result += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return result;
}

#ifdef ANTLER_WITH_CURL

namespace {

class Request {
 public:
  explicit Request(const std::string& url) : url_(url) {
    // Once per process. curl_global_cleanup() is never called: other users of libcurl may still
    // run.
    static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
    constexpr long kConnectSeconds = 10;
    curl_.reset(curl_easy_init());
    if (started != CURLE_OK || curl_ == nullptr) throw IOError("Cannot start libcurl.");
    set(CURLOPT_URL, url_.c_str());
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  }

  template <class T>
  void set(CURLoption option, T value) {
    curl_easy_setopt(curl_.get(), option, value);
  }

  void perform() {
    const CURLcode code = curl_easy_perform(curl_.get());
    if (code != CURLE_OK) {
      throw IOError("The request to {} failed: {}.", url_, curl_easy_strerror(code));
    }
  }

 private:
  std::string url_;
  std::unique_ptr<CURL, void (*)(CURL*)> curl_{nullptr, curl_easy_cleanup};
};

using WriteFunction = size_t (*)(char* data, size_t size, size_t count, void* target);

size_t append_bytes(char* data, size_t size, size_t count, void* target) {
  static_cast<std::string*>(target)->append(data, size * count);
  return size * count;
}

size_t write_bytes(char* data, size_t size, size_t count, void* target) {
  auto& file = *static_cast<std::ofstream*>(target);
  file.write(data, static_cast<std::streamsize>(size * count));
  return file ? size * count : 0;
}

size_t ignore_bytes(char*, size_t size, size_t count, void*) { return size * count; }

int report(void* progress, curl_off_t total, curl_off_t now, curl_off_t, curl_off_t) {
  if (now > 0) (*static_cast<const DownloadProgress*>(progress))(now, total > 0 ? total : -1);
  return 0;
}

void fetch(const std::string& url, WriteFunction write_function, void* target,
           const DownloadProgress& progress) {
  // A transfer that stays below kLeastSpeed bytes per second for kSlowSeconds is aborted.
  constexpr long kLeastSpeed = 1000;
  constexpr long kSlowSeconds = 30;
  Request request(url);
  request.set(CURLOPT_FOLLOWLOCATION, 1L);
  request.set(CURLOPT_FAILONERROR, 1L);
  request.set(CURLOPT_LOW_SPEED_LIMIT, kLeastSpeed);
  request.set(CURLOPT_LOW_SPEED_TIME, kSlowSeconds);
  request.set(CURLOPT_WRITEFUNCTION, write_function);
  request.set(CURLOPT_WRITEDATA, target);
  if (progress) {
    request.set(CURLOPT_NOPROGRESS, 0L);
    request.set(CURLOPT_XFERINFOFUNCTION, report);
    request.set(CURLOPT_XFERINFODATA, &progress);
  }
  request.perform();
}

}  // namespace

bool can_download() { return true; }

std::string download(const std::string& url) {
  std::string bytes;
  fetch(url, append_bytes, &bytes, {});
  return bytes;
}

void download_file(const std::string& url, const std::string& path,
                   const DownloadProgress& progress) {
  AtomicFile target(path);
  std::ofstream file(target.temporary_path(), std::ios::binary);
  fetch(url, write_bytes, &file, progress);
  file.close();
  if (!file) throw IOError("Cannot write the content of {} to '{}'.", url, path);
  target.commit();
}

void http_post(const std::string& url, const std::string& content_type, const std::string& body,
               const HttpHeaders& headers) {
  constexpr long kSeconds = 60;
  std::unique_ptr<curl_slist, void (*)(curl_slist*)> list(nullptr, curl_slist_free_all);
  const auto add = [&](const std::string& line) {
    list.reset(curl_slist_append(list.release(), line.c_str()));
  };
  add("Content-Type: " + content_type);
  for (const auto& [name, value] : headers) add(name + ": " + value);
  Request request(url);
  request.set(CURLOPT_TIMEOUT, kSeconds);
  request.set(CURLOPT_HTTPHEADER, list.get());
  request.set(CURLOPT_POSTFIELDS, body.c_str());
  request.set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  request.set(CURLOPT_WRITEFUNCTION, ignore_bytes);
  request.perform();
}

#else

bool can_download() { return false; }

std::string download(const std::string& url) {
  throw IOError("Cannot download {}: this library was built without libcurl.", url);
}

void download_file(const std::string& url, const std::string&, const DownloadProgress&) {
  download(url);
}

void http_post(const std::string& url, const std::string&, const std::string&, const HttpHeaders&) {
  throw RuntimeError("Cannot send to {}: this library was built without libcurl.", url);
}

#endif

}  // namespace antler::data

#include "data/http_post.h"

#include "antler/base/error.h"

#ifdef ANTLER_WITH_CURL
#include <curl/curl.h>

#include <memory>
#endif

namespace antler::data {

std::string url_encode(const std::string& text) {
  constexpr const char* kHex = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
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

constexpr long kConnectSeconds = 10;
constexpr long kSeconds = 60;

size_t ignore(char*, size_t size, size_t count, void*) { return size * count; }

}  // namespace

void http_post(const std::string& url, const std::string& content_type, const std::string& body,
               const HttpHeaders& headers) {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(curl_easy_init(), curl_easy_cleanup);
  if (started != CURLE_OK || curl == nullptr) throw IOError("Cannot start libcurl.");
  std::unique_ptr<curl_slist, void (*)(curl_slist*)> list(nullptr, curl_slist_free_all);
  const auto add = [&](const std::string& line) {
    list.reset(curl_slist_append(list.release(), line.c_str()));
  };
  add("Content-Type: " + content_type);
  for (const auto& [name, value] : headers) add(name + ": " + value);
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT, kSeconds);
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, list.get());
  curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, body.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, ignore);
  const CURLcode code = curl_easy_perform(curl.get());
  if (code != CURLE_OK)
    throw IOError("Cannot reach " + url + ": " + curl_easy_strerror(code) + ".");
}

#else

void http_post(const std::string& url, const std::string&, const std::string&, const HttpHeaders&) {
  throw RuntimeError("Cannot send to " + url + ": this library was built without libcurl.");
}

#endif

}  // namespace antler::data

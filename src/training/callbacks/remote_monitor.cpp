#include "antler/training/callbacks/remote_monitor.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "data/http.h"
#include "training/callbacks/from_config.h"
#include "training/callbacks/python_format.h"

namespace antler::callbacks {
namespace {

/// As Python's json module writes it, which allows NaN and infinities.
std::string json_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return training::python_repr(value);
}

}  // namespace

void RemoteMonitor::on_epoch_end(int epoch, const Logs& logs) {
  std::string body = "{\"epoch\": " + std::to_string(epoch);
  for (const auto& [name, value] : logs) {
    body += ", " + Json(name).dump() + ": " + json_number(value);
  }
  body += "}";
  const std::string url = options_.root + options_.path;
  try {
    if (options_.send_as_json) {
      data::http_post(url, "application/json", body, options_.headers);
    } else {
      data::http_post(url, "application/x-www-form-urlencoded",
                      data::url_encode(options_.field) + "=" + data::url_encode(body),
                      options_.headers);
    }
  } catch (const IOError&) {
    logging::warning(format("Could not reach RemoteMonitor root server at {}", options_.root));
  }
}

template <class V>
void fields(V& v, RemoteMonitorOptions& o) {
  v("root", o.root);
  v("path", o.path);
  v("field", o.field);
  v("send_as_json", o.send_as_json);
}

RemoteMonitor RemoteMonitor::from_config(const Json& config) {
  Json rest = config;
  const Json headers = take(rest, "headers");
  auto options = read_options<RemoteMonitor, RemoteMonitorOptions>(rest);
  for (const auto& [key, value] : headers.items())
    options.headers.emplace_back(key, value.get<std::string>());
  return RemoteMonitor(std::move(options));
}

}  // namespace antler::callbacks

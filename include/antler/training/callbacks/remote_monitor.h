#pragma once

#include <string>
#include <utility>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/training/callback.h"

namespace antler::callbacks {

/// Options of RemoteMonitor.
struct RemoteMonitorOptions {
  std::string root = "http://localhost:9000";  ///< address of the server
  std::string path = "/publish/epoch/end/";    ///< appended to `root`
  std::string field = "data";  ///< name of the form field; unused with `send_as_json`
  std::vector<std::pair<std::string, std::string>> headers = {};  ///< names and values
  bool send_as_json = false;  ///< the body is JSON instead of a form
};

/// Sends the logs of each epoch to a server by HTTP POST (Keras's RemoteMonitor). Warns if the
/// server cannot be reached. Throws RuntimeError in a build without libcurl.
class RemoteMonitor : public Callback {
 public:
  explicit RemoteMonitor(RemoteMonitorOptions options = {}) : options_(std::move(options)) {}
  ANTLER_KEYWORD_CONSTRUCTOR(RemoteMonitor, RemoteMonitorOptions)

  static constexpr const char* kName = "RemoteMonitor";
  static RemoteMonitor from_config(const Json& config);

  void on_epoch_end(int epoch, const Logs& logs) override;

 private:
  RemoteMonitorOptions options_;
};

}  // namespace antler::callbacks

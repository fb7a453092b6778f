#pragma once

#include <memory>

#include "dashboard/dashboard_state.h"

namespace antler::cli {

/// Serves the dashboard over HTTP to programs on this machine:
///  - `/`: the page;
///  - `/events`: the state as server-sent events, each with what is new since the last;
///  - `/state`: the whole state, once.
/// Only GET is served, and only under the names localhost and 127.0.0.1, so that a page of another
/// site whose name resolves to this machine (DNS rebinding) gets no answer.
///
/// The server's threads only read the state. A browser that stops reading loses its connection.
class DashboardServer {
 public:
  /// Listens on a port of 127.0.0.1; 0 means any free port. Throws RuntimeError if that is not
  /// possible.
  DashboardServer(std::shared_ptr<DashboardState> state, int port);
  /// Sends the last state to the open pages, for about two seconds at most, and stops.
  ~DashboardServer();
  DashboardServer(const DashboardServer&) = delete;
  DashboardServer& operator=(const DashboardServer&) = delete;

  int port() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace antler::cli

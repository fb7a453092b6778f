#include "dashboard/dashboard_server.h"

#include <httplib.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "dashboard/dashboard_page.h"

namespace antler::cli {
namespace {

constexpr const char* kAddress = "127.0.0.1";
constexpr int kMostStreams = 12;
/// A stream occupies a thread; the others answer short requests.
constexpr size_t kServerThreads = kMostStreams + 6;
/// Seconds between two events of a stream.
constexpr double kEventInterval = 0.4;
/// Seconds after which a stream without news sends an empty message, which detects a dead reader.
constexpr double kQuiet = 10;
/// Seconds that a reader may block a write, and that the destructor waits for open streams.
constexpr int kPatience = 2;

/// Invalid UTF-8 in names must not end the program.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Whether the Host header names this machine itself. Any port is accepted, because of tunnels.
bool is_local(const std::string& host) {
  std::string name = host.substr(0, host.find(':'));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name == "localhost" || name == kAddress;
}

httplib::Server::HandlerResponse refuse(httplib::Response& response, int status, const char* text) {
  response.status = status;
  response.set_content(text, "text/plain");
  return httplib::Server::HandlerResponse::Handled;
}

/// Counts the open streams.
class StreamCount {
 public:
  bool add() {
    const std::lock_guard lock(mutex_);
    if (count_ == kMostStreams) return false;
    ++count_;
    return true;
  }
  void remove() {
    {
      const std::lock_guard lock(mutex_);
      --count_;
    }
    changed_.notify_all();
  }
  /// Waits until there are none, at most some seconds.
  void wait_for_none(int seconds) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(seconds), [&] { return count_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

/// An open stream of events.
class Stream {
 public:
  Stream(DashboardState& state, StreamCount& count) : state_(state), count_(count) {}
  ~Stream() { count_.remove(); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Waits for news and sends them; false if the reader is gone.
  bool send(httplib::DataSink& sink) {
    if (sent_) state_.pause(kEventInterval);
    // Read before the news: otherwise news that arrive just before close() could be lost.
    const bool last = state_.closed();
    const Json news = state_.news(seen_, last ? 0 : kQuiet);
    const std::string event = news.is_null() ? ":\n\n" : "data: " + text_of(news) + "\n\n";
    if (!sink.write(event.data(), event.size())) return false;
    sent_ = true;
    if (last) sink.done();
    return true;
  }

 private:
  DashboardState& state_;
  StreamCount& count_;
  DashboardState::Seen seen_;
  bool sent_ = false;
};

}  // namespace

class DashboardServer::Impl {
 public:
  Impl(std::shared_ptr<DashboardState> state, int port) : state_(std::move(state)) {
    configure();
    add_pages();
    errno = 0;
    port_ = port == 0                              ? server_.bind_to_any_port(kAddress)
            : server_.bind_to_port(kAddress, port) ? port
                                                   : -1;
    if (port_ <= 0) {
      throw RuntimeError("The dashboard cannot use port {} of {}: {}.", port, kAddress,
                         errno != 0 ? std::strerror(errno) : "it cannot be bound");
    }
    thread_ = std::thread([this] {
      server_.listen_after_bind();
      ended_ = true;
    });
    // The server cannot be stopped before it runs.
    while (!server_.is_running() && !ended_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  ~Impl() {
    state_->close();
    streams_.wait_for_none(kPatience);
    server_.stop();
    thread_.join();
  }

  int port() const { return port_; }

 private:
  void configure() {
    server_.new_task_queue = [] { return new httplib::ThreadPool(kServerThreads); };
    // The default would share a port with other programs.
    server_.set_socket_options([](int socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    // A thread serves a connection as long as it is open.
    server_.set_keep_alive_max_count(1);
    server_.set_keep_alive_timeout(1);
    server_.set_read_timeout(kPatience);
    server_.set_write_timeout(kPatience);
    server_.set_tcp_nodelay(true);
    server_.set_default_headers({{"Cache-Control", "no-store"},
                                 {"X-Content-Type-Options", "nosniff"},
                                 {"Cross-Origin-Resource-Policy", "same-origin"},
                                 {"Referrer-Policy", "no-referrer"},
                                 {"Content-Security-Policy",
                                  "default-src 'none'; script-src 'unsafe-inline'; style-src "
                                  "'unsafe-inline'; img-src data:; connect-src 'self'; "
                                  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}});
    server_.set_pre_routing_handler(
        [](const httplib::Request& request, httplib::Response& response) {
          if (!is_local(request.get_header_value("Host"))) {
            return refuse(response, 403, "Open the dashboard as localhost or 127.0.0.1.\n");
          }
          if (request.method != "GET") {
            response.set_header("Allow", "GET");
            return refuse(response, 405, "The dashboard can only be read.\n");
          }
          return httplib::Server::HandlerResponse::Unhandled;
        });
  }

  void add_pages() {
    server_.Get("/", [](const httplib::Request&, httplib::Response& response) {
      const std::string_view page = dashboard_page();
      response.set_content(page.data(), page.size(), "text/html; charset=utf-8");
    });
    server_.Get("/state", [this](const httplib::Request&, httplib::Response& response) {
      DashboardState::Seen nothing;
      response.set_content(text_of(state_->news(nothing, 0)), "application/json");
    });
    server_.Get("/events", [this](const httplib::Request&, httplib::Response& response) {
      if (!streams_.add()) {
        refuse(response, 503, "Too many pages show this dashboard.\n");
        return;
      }
      const auto stream = std::make_shared<Stream>(*state_, streams_);
      response.set_chunked_content_provider(
          "text/event-stream",
          [stream](size_t, httplib::DataSink& sink) { return stream->send(sink); });
    });
  }

  const std::shared_ptr<DashboardState> state_;
  StreamCount streams_;
  httplib::Server server_;
  int port_ = -1;
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

DashboardServer::DashboardServer(std::shared_ptr<DashboardState> state, int port)
    : impl_(std::make_unique<Impl>(std::move(state), port)) {}
DashboardServer::~DashboardServer() = default;

int DashboardServer::port() const { return impl_->port(); }

}  // namespace antler::cli

#include "cluster/group_connector.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "antler/base/error.h"

namespace antler::cluster {
namespace {

/// Time between two calls of GroupOptions::lost.
constexpr auto kAskWhileConnecting = std::chrono::milliseconds(20);

}  // namespace

struct GroupConnector::Attempt {
  std::mutex mutex;  // guards the members below, except the thread
  std::condition_variable changed;
  std::atomic<bool> given_up = false;
  bool is_done = false;
  std::shared_ptr<ops::Communicator> group;
  std::exception_ptr error;
  std::thread thread;

  void run(const Members& members, const GroupOptions& options,
           const std::shared_ptr<StoreServer>& server, const std::string& key) {
    std::shared_ptr<ops::Communicator> connected;
    std::exception_ptr failure;
    try {
      Store store(members);
      connected = connect_group(members, options, server, store, key);
    } catch (...) {
      failure = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex);
      is_done = true;
      error = failure;
      if (!given_up) group = std::move(connected);
    }
    changed.notify_all();
  }

  bool is_over() {
    const std::lock_guard lock(mutex);
    return is_done;
  }

  /// Waits a little. Returns whether the attempt is over.
  bool wait() {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, kAskWhileConnecting, [&] { return is_done; });
  }

  void give_up() {
    const std::lock_guard lock(mutex);
    given_up = true;
    group = nullptr;
  }
};

GroupConnector::~GroupConnector() {
  for (const auto& attempt : given_up_) attempt->thread.join();
}

std::shared_ptr<ops::Communicator> GroupConnector::connect(
    const Members& members, const GroupOptions& options, const std::shared_ptr<StoreServer>& server,
    const std::string& key) {
  std::erase_if(given_up_, [](const std::shared_ptr<Attempt>& attempt) {
    if (!attempt->is_over()) return false;
    attempt->thread.join();
    return true;
  });
  const auto attempt = std::make_shared<Attempt>();
  GroupOptions checked = options;
  checked.check = [attempt] {
    if (attempt->given_up) throw UnavailableError("The group was given up.");
  };
  attempt->thread = std::thread([=] { attempt->run(members, checked, server, key); });
  while (!attempt->wait()) {
    const std::string reason = options.lost();
    if (reason.empty()) continue;
    attempt->give_up();
    given_up_.push_back(attempt);
    throw UnavailableError("{}", reason);
  }
  attempt->thread.join();
  if (attempt->error) std::rethrow_exception(attempt->error);
  return std::exchange(attempt->group, nullptr);
}

}  // namespace antler::cluster

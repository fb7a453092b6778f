#include "cluster/server.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include <cluster.grpc.pb.h>
#include <grpcpp/grpcpp.h>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "cluster/channels.h"

namespace antler::cluster {
namespace {

/// A Get waits no longer than this, so that no thread waits for a caller that has gone.
constexpr int64_t kLongestWait = 2000;  // milliseconds
/// Strangers whose refusal is logged.
constexpr size_t kMostStrangers = 100;

}  // namespace

class Server::Service final : public Cluster::Service {
 public:
  explicit Service(const Members& members) : members_(members) {
    const std::string& address = members_.addresses[static_cast<size_t>(members_.rank)];
    int port = 0;
    grpc::ServerBuilder builder;
    // Without this, two processes could listen on one port.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddListeningPort(address, server_credentials(members_), &port);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr || port == 0) {
      throw UnavailableError("{} cannot listen on its address. Is it in use?",
                             members_.name(members_.rank));
    }
  }

  ~Service() override {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    changed_.notify_all();
    server_->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
  }

  void set_failure(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    failure_ = reason;
  }

  grpc::Status Set(grpc::ServerContext* context, const SetRequest* request, SetReply*) override {
    if (auto status = admit(*context); !status.ok()) return status;
    {
      const std::lock_guard lock(mutex_);
      values_[request->key()] = request->value();
    }
    changed_.notify_all();
    return grpc::Status::OK;
  }

  grpc::Status Get(grpc::ServerContext* context, const GetRequest* request,
                   GetReply* reply) override {
    if (auto status = admit(*context); !status.ok()) return status;
    const std::chrono::milliseconds wait(
        std::clamp<int64_t>(request->wait_milliseconds(), 0, kLongestWait));
    std::unique_lock lock(mutex_);
    const auto here = [&] { return closing_ || values_.contains(request->key()); };
    changed_.wait_for(lock, wait, here);
    if (const auto found = values_.find(request->key()); found != values_.end()) {
      reply->set_found(true);
      reply->set_value(found->second);
    }
    return grpc::Status::OK;
  }

  grpc::Status Add(grpc::ServerContext* context, const AddRequest* request,
                   AddReply* reply) override {
    if (auto status = admit(*context); !status.ok()) return status;
    {
      const std::lock_guard lock(mutex_);
      reply->set_value(counters_[request->key()] += request->amount());
    }
    return grpc::Status::OK;
  }

  grpc::Status Delete(grpc::ServerContext* context, const DeleteRequest* request,
                      DeleteReply* reply) override {
    if (auto status = admit(*context); !status.ok()) return status;
    const std::lock_guard lock(mutex_);
    reply->set_found(values_.erase(request->key()) + counters_.erase(request->key()) > 0);
    return grpc::Status::OK;
  }

  grpc::Status Ping(grpc::ServerContext* context, const PingRequest*, PingReply* reply) override {
    if (auto status = admit(*context); !status.ok()) return status;
    const std::lock_guard lock(mutex_);
    reply->set_failure(failure_);
    return grpc::Status::OK;
  }

 private:
  /// Refuses callers that do not belong to the cluster, and logs each once.
  grpc::Status admit(const grpc::ServerContext& context) {
    const grpc::Status status = check(context, members_);
    if (status.ok()) return status;
    std::string caller = context.peer();
    // Without the port, which is another for each connection.
    caller.erase(std::min(caller.rfind(':'), caller.size()));
    const std::lock_guard lock(mutex_);
    if (strangers_.size() < kMostStrangers && strangers_.insert(caller).second) {
      logging::warning(format("cluster: {} refused a call from {}: {}",
                              members_.name(members_.rank), caller, status.error_message()));
    }
    return status;
  }

  const Members members_;
  std::mutex mutex_;  // guards all below but server_
  std::condition_variable changed_;
  bool closing_ = false;
  std::map<std::string, std::string> values_;
  std::map<std::string, int64_t> counters_;
  std::string failure_;
  std::set<std::string> strangers_;
  std::unique_ptr<grpc::Server> server_;
};

Server::Server(const Members& members) : service_(std::make_unique<Service>(members)) {
  if (!members.tls) {
    logging::warning(format("cluster: {} listens without TLS: only for networks that you trust",
                            members.name(members.rank)));
  }
}

Server::~Server() = default;

void Server::set_failure(const std::string& reason) { service_->set_failure(reason); }

}  // namespace antler::cluster

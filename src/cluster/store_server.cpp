#include "cluster/store_server.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>

#include <cluster.grpc.pb.h>
#include <grpcpp/grpcpp.h>

#include "cluster/gate.h"

namespace antler::cluster {
namespace {

/// Limit for the wait of a Get, so that no thread waits for a caller that is lost.
constexpr int64_t kLongestWait = 2000;  // milliseconds

}  // namespace

class StoreServer::Service final : public Cluster::Service {
 public:
  explicit Service(const Members& members) : gate_(members), server_(listen(members, *this)) {}

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

  void set_presence(const Presence& presence) {
    const std::lock_guard lock(mutex_);
    presence_ = presence;
  }

  grpc::Status Set(grpc::ServerContext* context, const SetRequest* request, SetReply*) override {
    if (auto status = gate_.admit(*context); !status.ok()) return status;
    {
      const std::lock_guard lock(mutex_);
      values_[request->key()] = request->value();
    }
    changed_.notify_all();
    return grpc::Status::OK;
  }

  grpc::Status Get(grpc::ServerContext* context, const GetRequest* request,
                   GetReply* reply) override {
    if (auto status = gate_.admit(*context); !status.ok()) return status;
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
    if (auto status = gate_.admit(*context); !status.ok()) return status;
    {
      const std::lock_guard lock(mutex_);
      reply->set_value(counters_[request->key()] += request->amount());
    }
    return grpc::Status::OK;
  }

  grpc::Status Delete(grpc::ServerContext* context, const DeleteRequest* request,
                      DeleteReply* reply) override {
    if (auto status = gate_.admit(*context); !status.ok()) return status;
    const std::lock_guard lock(mutex_);
    reply->set_found(values_.erase(request->key()) + counters_.erase(request->key()) > 0);
    return grpc::Status::OK;
  }

  grpc::Status Ping(grpc::ServerContext* context, const PingRequest*, PingReply* reply) override {
    if (auto status = gate_.admit(*context); !status.ok()) return status;
    const std::lock_guard lock(mutex_);
    reply->set_failure(failure_);
    if (presence_) *reply->mutable_presence() = *presence_;
    return grpc::Status::OK;
  }

 private:
  Gate gate_;
  std::mutex mutex_;  // guards all members below except server_
  std::condition_variable changed_;
  bool closing_ = false;
  std::map<std::string, std::string> values_;
  std::map<std::string, int64_t> counters_;
  std::string failure_;
  std::optional<Presence> presence_;
  std::unique_ptr<grpc::Server> server_;
};

StoreServer::StoreServer(const Members& members) : service_(std::make_unique<Service>(members)) {
  warn_without_tls(members);
}

StoreServer::~StoreServer() = default;

void StoreServer::set_failure(const std::string& reason) { service_->set_failure(reason); }

void StoreServer::set_presence(const Presence& presence) { service_->set_presence(presence); }

}  // namespace antler::cluster

#include "antler/cluster/server.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "antler/base/error.h"
#include "antler/distribute/cluster_resolver.h"
#include "cluster/gate.h"
#include "cluster/training_service.h"

namespace antler::cluster {
namespace {

Members members_of(const distribute::ClusterSpec& cluster, const ServerOptions& options) {
  if (options.protocol != "grpc")
    throw ValueError("Server: expected the protocol \"grpc\". Received: {}.", options.protocol);
  if (options.job_name.empty()) throw ValueError("Server: `job_name` is required.");
  return make_members(cluster, {.job = options.job_name,
                                .index = options.task_index,
                                .token = options.token,
                                .tls = options.tls});
}

}  // namespace

struct Server::Impl {
  explicit Impl(const Members& of)
      : members(of), service(members), server(listen(members, service)) {
    warn_without_tls(members);
  }
  ~Impl() { server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1)); }

  const Members members;
  TrainingService service;
  std::mutex mutex;
  std::condition_variable changed;
  bool stopped = false;
  std::unique_ptr<grpc::Server> server;
};

Server::Server(const distribute::ClusterSpec& cluster, const ServerOptions& options)
    : impl_(std::make_unique<Impl>(members_of(cluster, options))) {}

Server::Server() {
  const std::shared_ptr<distribute::ClusterResolver> resolver =
      distribute::resolver_from_environment();
  if (resolver == nullptr) {
    throw ValueError(
        "Server: this process is not a task of a cluster. Set TF_CONFIG, or start it with `antler "
        "launch`, mpirun or srun.");
  }
  distribute::validate(*resolver);
  impl_ = std::make_unique<Impl>(
      members_of(resolver->cluster_spec(),
                 {.job_name = *resolver->task_type(), .task_index = *resolver->task_id()}));
}

Server::~Server() = default;
Server::Server(Server&&) noexcept = default;
Server& Server::operator=(Server&&) noexcept = default;

void Server::join() {
  std::unique_lock lock(impl_->mutex);
  impl_->changed.wait(lock, [this] { return impl_->stopped; });
}

void Server::stop() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stopped = true;
  }
  impl_->changed.notify_all();
}

std::string Server::target() const {
  return format("grpc://{}", impl_->members.addresses[static_cast<size_t>(impl_->members.rank)]);
}

}  // namespace antler::cluster

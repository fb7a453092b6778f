#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <grpcpp/grpcpp.h>
#include <training.grpc.pb.h>

#include "cluster/channels.h"
#include "cluster/errors.h"
#include "cluster/members.h"

namespace antler::cluster {

/// Calls one task that holds variables.
class ServerClient {
 public:
  ServerClient(const Members& members, int64_t task)
      : members_(members),
        name_(members.name(task)),
        stub_(Training::NewStub(make_channel(members, task))) {}

  /// Throws what throw_status() throws. With `wait_seconds`, waits that long for the task to start.
  template <class Method, class Request, class Reply>
  void call(Method method, const Request& request, Reply& reply,
            std::optional<double> wait_seconds = {}) const {
    grpc::ClientContext context;
    sign(context, members_);
    if (wait_seconds) {
      context.set_wait_for_ready(true);
      set_deadline(context, *wait_seconds);
    }
    const grpc::Status status = (stub_.get()->*method)(&context, request, &reply);
    if (!status.ok()) throw_status(status, name_);
  }

  /// Begins the session, if it is a new one, and learns which process runs the task.
  void begin(uint64_t session, double wait_seconds) {
    BeginRequest request;
    request.set_session(session);
    BeginReply reply;
    call(&Training::Stub::Begin, request, reply, wait_seconds);
    incarnation_ = reply.incarnation();
  }
  /// Drops variables; a task that has ended no longer holds them anyway.
  void drop(const DropRequest& request) const {
    grpc::ClientContext context;
    sign(context, members_);
    set_deadline(context, 1);
    DropReply reply;
    stub_->Drop(&context, request, &reply);
  }

  uint64_t incarnation() const { return incarnation_; }
  const std::string& name() const { return name_; }
  Training::Stub& stub() const { return *stub_; }

 private:
  static void set_deadline(grpc::ClientContext& context, double seconds) {
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::milliseconds(static_cast<int64_t>(seconds * 1e3)));
  }

  const Members& members_;
  std::string name_;
  std::unique_ptr<Training::Stub> stub_;
  uint64_t incarnation_ = 0;
};

}  // namespace antler::cluster

#pragma once

#include <chrono>
#include <memory>
#include <string>

#include <cluster.grpc.pb.h>
#include <grpcpp/grpcpp.h>

#include "cluster/channels.h"
#include "cluster/peers.h"

namespace antler::cluster {

/// A question to another process whether it is alive, in flight.
class Ping {
 public:
  /// `queue` returns `tag` when the answer arrives, or at `deadline`.
  void send(Cluster::Stub& stub, const Members& members,
            std::chrono::system_clock::time_point deadline, grpc::CompletionQueue& queue,
            void* tag) {
    sign(context_, members);
    context_.set_deadline(deadline);
    reader_ = stub.AsyncPing(&context_, PingRequest(), &queue);
    reader_->Finish(&reply_, &status_, tag);
  }
  void cancel() { context_.TryCancel(); }

  /// The state of the process with this rank, according to its answer or the lack of one.
  PeerState state(int64_t rank) const {
    PeerState state{
        .rank = rank, .alive = status_.ok(), .has_ended = false, .failure = {}, .presence = {}};
    if (state.alive) {
      state.failure = reply_.failure();
      if (reply_.has_presence()) state.presence = std::make_shared<Presence>(reply_.presence());
    } else {
      state.failure = status_.error_message();
      state.has_ended = state.failure.find("Connection refused") != std::string::npos;
    }
    return state;
  }

 private:
  grpc::ClientContext context_;
  grpc::Status status_;
  PingReply reply_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<PingReply>> reader_;
};

}  // namespace antler::cluster

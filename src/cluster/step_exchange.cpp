#include "cluster/step_exchange.h"

#include <deque>

#include <grpcpp/grpcpp.h>

#include "antler/base/error.h"
#include "cluster/channels.h"
#include "cluster/graph_codec.h"

namespace antler::cluster {

/// A call in flight.
struct StepExchange::Call {
  const LoadedProgram::Share& share;
  grpc::ClientContext context = {};
  grpc::Status status = {};
  ExchangeRequest request = {};
  ExchangeReply reply = {};
  std::unique_ptr<grpc::ClientAsyncResponseReader<ExchangeReply>> reader = {};

  explicit Call(const LoadedProgram::Share& of) : share(of) {}

  void check() const {
    if (status.ok()) return;
    switch (status.error_code()) {
      case grpc::StatusCode::UNAVAILABLE:
      case grpc::StatusCode::FAILED_PRECONDITION:
      case grpc::StatusCode::CANCELLED:
        throw TaskLost{share.task, status.error_message()};
      default:
        throw RuntimeError("{}", status.error_message());
    }
  }

  static void make_all(std::deque<Call>& calls) {
    grpc::CompletionQueue queue;
    for (Call& call : calls) {
      call.reader = call.share.stub->AsyncExchange(&call.context, call.request, &queue);
      call.reader->Finish(&call.reply, &call.status, &call);
    }
    void* tag = nullptr;
    bool ok = false;
    for (size_t i = 0; i < calls.size(); ++i) queue.Next(&tag, &ok);
    queue.Shutdown();
    while (queue.Next(&tag, &ok)) {
    }
  }
};

Tensors StepExchange::operator()(const Tensors* outputs, const Tensors* next) const {
  std::deque<Call> calls;
  for (const LoadedProgram::Share& share : loaded_.shares) {
    const bool update = share.updates && outputs != nullptr;
    const bool reads = next != nullptr && !share.reads.empty();
    if (!update && !reads) continue;
    Call& call = calls.emplace_back(share);
    sign(call.context, members_);
    call.request.set_session(session_);
    call.request.set_incarnation(share.incarnation);
    call.request.set_program(program_);
    call.request.set_update(update);
    call.request.set_read(reads);
    if (reads) {
      for (const size_t index : share.asks) append((*next)[index], *call.request.mutable_asked());
    }
    if (!update) continue;
    for (size_t i = 0; i < share.sends.size(); ++i) {
      append_rows((*outputs)[share.sends[i]], share.sent_rows[i], *outputs,
                  *call.request.mutable_data());
    }
  }
  if (calls.size() == 1) {
    Call& call = calls[0];
    call.status = call.share.stub->Exchange(&call.context, call.request, &call.reply);
  } else if (!calls.empty()) {
    Call::make_all(calls);
  }
  Tensors values;
  for (const Call& call : calls) {
    call.check();
    if (!call.request.read()) continue;
    Tensors part = split_rows(call.reply.data(), call.share.reads, call.share.read_rows);
    values.insert(values.end(), part.begin(), part.end());
  }
  return values;
}

}  // namespace antler::cluster

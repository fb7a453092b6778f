#include "cluster/training_service.h"

#include <exception>
#include <optional>
#include <vector>

#include "antler/base/error.h"
#include "antler/runtime/function.h"
#include "cluster/errors.h"
#include "cluster/graph_codec.h"
#include "cluster/random_number.h"

namespace antler::cluster {
TrainingService::TrainingService(const Members& members)
    : gate_(members), programs_(members, datasets_), incarnation_(random_number()) {
  initialize_runtime();
}

template <class Answer>
grpc::Status TrainingService::answered(const grpc::ServerContext& context, uint64_t session,
                                       uint64_t incarnation, const Answer& answer) {
  if (auto status = gate_.admit(context); !status.ok()) return status;
  if (incarnation != 0 && incarnation != incarnation_)
    return {grpc::StatusCode::FAILED_PRECONDITION, "it has been restarted"};
  if (const uint64_t current = session_; session != current) {
    return {grpc::StatusCode::FAILED_PRECONDITION,
            current == 0 ? "it has been restarted" : "another coordinator has taken over"};
  }
  try {
    answer();
    return grpc::Status::OK;
  } catch (const std::exception& error) {
    return status_of(error);
  }
}

grpc::Status TrainingService::Begin(grpc::ServerContext* context, const BeginRequest* request,
                                    BeginReply* reply) {
  if (auto status = gate_.admit(*context); !status.ok()) return status;
  // Another process of the same session must not store anything before everything is cleared.
  const std::lock_guard lock(begin_mutex_);
  if (session_.exchange(request->session()) != request->session()) {
    variables_.clear();
    programs_.clear();
    datasets_.clear();
  }
  reply->set_incarnation(incarnation_);
  return grpc::Status::OK;
}

grpc::Status TrainingService::Store(grpc::ServerContext* context, const StoreRequest* request,
                                    StoreReply*) {
  return answered(*context, request->session(), request->incarnation(), [&] {
    if (request->variables_size() != request->values_size())
      throw ValueError("Each variable needs a value.");
    for (int i = 0; i < request->variables_size(); ++i)
      variables_.store(request->variables(i), decode(request->values(i)));
  });
}

grpc::Status TrainingService::Fetch(grpc::ServerContext* context, const FetchRequest* request,
                                    FetchReply* reply) {
  return answered(*context, request->session(), request->incarnation(), [&] {
    for (const uint64_t id : request->variables()) variables_.fetch(id, *reply->mutable_data());
  });
}

grpc::Status TrainingService::Drop(grpc::ServerContext* context, const DropRequest* request,
                                   DropReply*) {
  return answered(*context, request->session(), [&] {
    for (const uint64_t id : request->variables()) variables_.drop(id);
  });
}

grpc::Status TrainingService::Describe(grpc::ServerContext* context, const DescribeRequest* request,
                                       DescribeReply* reply) {
  return answered(*context, request->session(), [&] {
    for (const uint64_t id : request->variables()) {
      Spec& message = *reply->add_specs();
      if (const std::optional<TensorSpec> spec = variables_.spec(id)) encode(*spec, message);
    }
  });
}

grpc::Status TrainingService::AddShare(grpc::ServerContext* context, const AddShareRequest* request,
                                       AddShareReply*) {
  return answered(*context, request->session(), request->incarnation(),
                  [&] { variables_.add_share(*request); });
}

grpc::Status TrainingService::Exchange(grpc::ServerContext* context, const ExchangeRequest* request,
                                       ExchangeReply* reply) {
  return answered(*context, request->session(), request->incarnation(), [&] {
    if (request->update()) variables_.update(request->program(), request->data());
    if (request->read())
      variables_.read(request->program(), request->asked(), *reply->mutable_data());
  });
}

grpc::Status TrainingService::AddProgram(grpc::ServerContext* context,
                                         const AddProgramRequest* request, AddProgramReply*) {
  return answered(*context, request->session(), [&] { programs_.add(*request); });
}

grpc::Status TrainingService::MakeIterator(grpc::ServerContext* context,
                                           const MakeIteratorRequest* request,
                                           MakeIteratorReply* reply) {
  return answered(*context, request->session(), [&] { datasets_.make(*request, *reply); });
}

grpc::Status TrainingService::Run(grpc::ServerContext* context, const RunRequest* request,
                                  RunReply* reply) {
  return answered(*context, request->session(), [&] { programs_.run(*request, *reply); });
}

}  // namespace antler::cluster

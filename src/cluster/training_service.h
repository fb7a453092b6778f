#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include <training.grpc.pb.h>

#include "cluster/dataset_host.h"
#include "cluster/gate.h"
#include "cluster/program_host.h"
#include "cluster/variable_host.h"

namespace antler::cluster {

/// Answers the coordinator and the workers: holds variables and runs steps.
class TrainingService final : public Training::Service {
 public:
  explicit TrainingService(const Members& members);

  grpc::Status Begin(grpc::ServerContext* context, const BeginRequest* request,
                     BeginReply* reply) override;
  grpc::Status Store(grpc::ServerContext* context, const StoreRequest* request,
                     StoreReply* reply) override;
  grpc::Status Fetch(grpc::ServerContext* context, const FetchRequest* request,
                     FetchReply* reply) override;
  grpc::Status Drop(grpc::ServerContext* context, const DropRequest* request,
                    DropReply* reply) override;
  grpc::Status Describe(grpc::ServerContext* context, const DescribeRequest* request,
                        DescribeReply* reply) override;
  grpc::Status AddShare(grpc::ServerContext* context, const AddShareRequest* request,
                        AddShareReply* reply) override;
  grpc::Status Exchange(grpc::ServerContext* context, const ExchangeRequest* request,
                        ExchangeReply* reply) override;
  grpc::Status AddProgram(grpc::ServerContext* context, const AddProgramRequest* request,
                          AddProgramReply* reply) override;
  grpc::Status MakeIterator(grpc::ServerContext* context, const MakeIteratorRequest* request,
                            MakeIteratorReply* reply) override;
  grpc::Status Run(grpc::ServerContext* context, const RunRequest* request,
                   RunReply* reply) override;

 private:
  /// Calls `answer` if the caller belongs to the cluster and to the current session, and expects
  /// this process and not one before a restart. `incarnation` 0: any.
  template <class Answer>
  grpc::Status answered(const grpc::ServerContext& context, uint64_t session, uint64_t incarnation,
                        const Answer& answer);
  template <class Answer>
  grpc::Status answered(const grpc::ServerContext& context, uint64_t session,
                        const Answer& answer) {
    return answered(context, session, 0, answer);
  }

  Gate gate_;
  VariableHost variables_;
  DatasetHost datasets_;
  ProgramHost programs_;  ///< uses the data sets
  const uint64_t incarnation_;
  std::mutex begin_mutex_;
  std::atomic<uint64_t> session_ = 0;  ///< 0 before the first
};

}  // namespace antler::cluster

#include "cluster/errors.h"

#include "antler/base/error.h"
#include "antler/cluster/cluster_coordinator.h"

namespace antler::cluster {
namespace {

template <class E>
std::exception_ptr make(const std::string& message) {
  return std::make_exception_ptr(E(message));
}

struct Kind {
  const char* name;
  std::exception_ptr (*make)(const std::string& message);
};

constexpr Kind kKinds[] = {
    {"ValueError", make<ValueError>},
    {"TypeError", make<TypeError>},
    {"RuntimeError", make<RuntimeError>},
    {"NotImplementedError", make<NotImplementedError>},
    {"KeyError", make<KeyError>},
    {"AttributeError", make<AttributeError>},
    {"IndexError", make<IndexError>},
    {"IOError", make<IOError>},
    {"NotFoundError", make<NotFoundError>},
    {"OutOfRangeError", make<OutOfRangeError>},
    {"UnavailableError", make<UnavailableError>},
    {"DeadlineExceededError", make<DeadlineExceededError>},
    {"CancelledError", make<CancelledError>},
    {"AbortedError", make<AbortedError>},
    {"ResourceExhaustedError", make<ResourceExhaustedError>},
    {"InternalError", make<InternalError>},
    {"ClosureInputError", make<ClosureInputError>},
};

}  // namespace

std::exception_ptr make_error(const std::string& name, const std::string& message) {
  for (const Kind& kind : kKinds) {
    if (name == kind.name) return kind.make(message);
  }
  return make<RuntimeError>(message);
}

grpc::Status status_of(const std::exception& error) {
  const auto* known = dynamic_cast<const Error*>(&error);
  return {grpc::StatusCode::INVALID_ARGUMENT, error.what(),
          known == nullptr ? "RuntimeError" : known->class_name()};
}

bool is_lost(const grpc::Status& status) {
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::CANCELLED:
    case grpc::StatusCode::ABORTED:
    case grpc::StatusCode::FAILED_PRECONDITION:
      return true;
    default:
      return false;
  }
}

void throw_status(const grpc::Status& status, const std::string& who) {
  if (status.error_code() == grpc::StatusCode::INVALID_ARGUMENT)
    std::rethrow_exception(make_error(status.error_details(), status.error_message()));
  if (status.error_code() == grpc::StatusCode::PERMISSION_DENIED)
    throw ValueError("{} refuses this process: {}.", who, status.error_message());
  if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED)
    throw DeadlineExceededError("{} did not answer in time.", who);
  throw UnavailableError("{} is lost: {}", who, status.error_message());
}

}  // namespace antler::cluster

#pragma once

#include <exception>
#include <string>

#include <grpcpp/grpcpp.h>

/// Passes errors between processes.
namespace antler::cluster {

/// The status for a call that threw `error`. It preserves the error's class.
grpc::Status status_of(const std::exception& error);
/// Throws the error that status_of() encoded, or UnavailableError if the process could not be
/// reached. `who` names the process.
[[noreturn]] void throw_status(const grpc::Status& status, const std::string& who);
/// An error of the class with this name, for example "ValueError"; RuntimeError for unknown names.
std::exception_ptr make_error(const std::string& name, const std::string& message);
/// Whether the process is gone, as opposed to having refused the call.
bool is_lost(const grpc::Status& status);

}  // namespace antler::cluster

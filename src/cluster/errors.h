#pragma once

#include <exception>
#include <string>

#include <grpcpp/grpcpp.h>

/// Errors that travel between processes.
namespace antler::cluster {

/// The answer to a call that threw `error`; keeps its class.
grpc::Status status_of(const std::exception& error);
/// Throws what status_of() was made of, or UnavailableError if the process could not be asked.
/// `who` names the process.
[[noreturn]] void throw_status(const grpc::Status& status, const std::string& who);
/// An error of the class that is called `name`, as in "ValueError"; RuntimeError for others.
std::exception_ptr make_error(const std::string& name, const std::string& message);
/// Whether the process is gone, as opposed to having refused.
bool is_lost(const grpc::Status& status);

}  // namespace antler::cluster

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/ops/communicator.h"

/// Processes that train together, on one machine or several.
namespace antler::cluster {

/// PEM files that encrypt and authenticate the control connections (gRPC). Data connections (Gloo)
/// are not encrypted.
struct TlsFiles {
  /// Certificate chain of this process and its private key.
  std::string certificate = {};
  std::string key = {};
  /// Certificates of the authority that signed those of all processes. A process accepts only peers
  /// with such a certificate.
  std::string root = {};
};

/// How often every process checks whether the others are alive.
struct HealthOptions {
  /// Seconds between two checks; 0 disables them.
  double interval = 30;
  /// Seconds to wait for each answer.
  double timeout = 10;
  /// Unanswered checks in a row after which a peer counts as lost.
  int64_t retries = 3;
};

/// Options of connect().
struct GlooOptions {
  /// Number of this process: the index of its own address.
  int64_t rank = 0;
  /// "host:port" of all processes, the same list in each. A process listens on its own address
  /// only.
  std::vector<std::string> addresses = {};
  /// Seconds that a collective waits for a peer that makes no progress.
  double timeout = 30;
  /// Seconds to wait for all processes to start; without limit if not given.
  std::optional<double> start_timeout = {};
  /// A secret that all processes share. Not given: environment variable ANTLER_CLUSTER_TOKEN, or
  /// none.
  std::optional<std::string> token = {};
  /// TLS for the control connections; not given: none.
  std::optional<TlsFiles> tls = {};
  HealthOptions health = {};  ///< how lost processes are noticed
  /// Whether processes combine values in shared memory if all are on one machine. Must be the same
  /// in all processes.
  bool shared_memory = true;
};

/// Connects this process with the others, and returns when all have started. Every ten seconds a
/// warning names those that are missing.
///
/// Worker 0 holds the store through which the processes find each other. Calls by processes with
/// other addresses or another token are refused. Collectives are Gloo's, over TCP; processes on one
/// machine use shared memory. If a peer is lost, collectives throw an UnavailableError that names
/// it.
///
/// Throws ValueError for wrong options and if worker 0 refuses this process, UnavailableError if
/// the address is in use or a peer is lost, DeadlineExceededError after `start_timeout`. A peer
/// that is lost while the processes connect is noticed after about 10 seconds, or after `timeout`
/// if that is shorter.
std::shared_ptr<ops::Communicator> connect(const GlooOptions& options);

}  // namespace antler::cluster

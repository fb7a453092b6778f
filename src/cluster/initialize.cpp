#include "antler/cluster/initialize.h"

namespace antler::cluster {

void initialize(const distribution::InitializeOptions& options,
                const MultiWorkerMirroredOptions& connection) {
  distribution::initialize(options, [&](const distribution::Processes& processes) {
    return connect({.rank = processes.process_id,
                    .addresses = processes.addresses,
                    .timeout = connection.communication_options.timeout_seconds,
                    .start_timeout = connection.start_timeout,
                    .token = connection.token,
                    .tls = connection.tls,
                    .health = connection.health});
  });
}

}  // namespace antler::cluster

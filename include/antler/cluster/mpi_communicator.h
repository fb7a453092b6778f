#pragma once

#include <cstdint>
#include <memory>

#include "antler/ops/communicator.h"

namespace antler::cluster {

/// Whether mpirun, or srun with PMIx, started this process, as their environment variables say.
bool is_started_by_mpi();
/// Whether the plug-in libantler_mpi.so is installed: at the path in the environment variable
/// ANTLER_MPI_PLUGIN, else beside the program, in ../lib, or in a library path of the system.
bool has_mpi_plugin();

/// Options of connect_mpi().
struct MpiOptions {
  /// Number of this process, from 0 to size - 1.
  int64_t rank = 0;
  int64_t size = 1;  ///< number of processes
  /// Seconds that a collective waits for a peer that makes no progress.
  double timeout = 30;
};

/// Connects this process with those that mpirun or srun started together with it. Loads the
/// plug-in, and MPI with it.
///
/// MPI cannot say which peer is lost, and most launchers end all processes as soon as one dies.
/// Otherwise, if a peer is lost, collectives throw UnavailableError if MPI reports it, else
/// DeadlineExceededError after `timeout`.
///
/// Throws RuntimeError if mpirun or srun did not start the process, or if there are not `size`
/// processes with different ranks, and NotFoundError if the plug-in is missing or cannot be loaded.
std::shared_ptr<ops::Communicator> connect_mpi(const MpiOptions& options);

}  // namespace antler::cluster

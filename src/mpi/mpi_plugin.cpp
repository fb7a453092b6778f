// The library libantler_mpi.so: the collectives of antler::cluster through MPI.
#include "cluster/mpi_plugin.h"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

namespace antler::cluster {
namespace {

/// Largest number of elements per call, because MPI counts in int.
constexpr size_t kMostElements = size_t{1} << 30;
/// Seconds for which a waiting process polls in a loop before it sleeps between two polls, and for
/// how long it sleeps.
constexpr double kPatience = 2e-4;
constexpr auto kNap = std::chrono::microseconds(20);

MPI_Comm g_group = MPI_COMM_NULL;
bool g_failed = false;

const char* failure(const std::string& text) {
  thread_local std::string message;
  g_failed = true;
  message = text;
  return message.c_str();
}

std::string text_of(int error) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(error, text, &length);
  return {text, static_cast<size_t>(length)};
}

/// MPI_Wait has no timeout.
const char* wait(int error, MPI_Request& request, double timeout) {
  if (error != MPI_SUCCESS) return failure(text_of(error));
  const double start = MPI_Wtime();
  for (int64_t looks = 0;; ++looks) {
    int done = 0;
    error = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (error != MPI_SUCCESS) return failure(text_of(error));
    if (done != 0) return nullptr;
    if (looks % 16 != 0) continue;
    const double seconds = MPI_Wtime() - start;
    if (seconds > timeout) return failure(kMpiTimedOut);
    if (seconds > kPatience) std::this_thread::sleep_for(kNap);
  }
}

/// Called when the program ends. After a failure the processes no longer agree, so MPI would wait
/// forever.
void end() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && !g_failed) MPI_Finalize();
}

const char* connect(int64_t rank, int64_t size, bool* any_thread) {
  int initialized = 0;
  MPI_Initialized(&initialized);
  int threads = MPI_THREAD_SINGLE;
  if (initialized == 0) {
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &threads) != MPI_SUCCESS)
      return failure("MPI_Init_thread failed");
    std::atexit(end);
  } else {
    MPI_Query_thread(&threads);
  }
  *any_thread = threads >= MPI_THREAD_SERIALIZED;
  int processes = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  if (processes != size) {
    return failure("MPI started " + std::to_string(processes) + " processes, but the cluster has " +
                   std::to_string(size));
  }
  if (g_group != MPI_COMM_NULL) MPI_Comm_free(&g_group);
  // MPI may number the processes differently from the cluster.
  int error = MPI_Comm_split(MPI_COMM_WORLD, 0, static_cast<int>(rank), &g_group);
  if (error != MPI_SUCCESS) return failure(text_of(error));
  MPI_Comm_set_errhandler(g_group, MPI_ERRORS_RETURN);
  int32_t wrong = 0;
  int own = 0;
  MPI_Comm_rank(g_group, &own);
  wrong = own == rank ? 0 : 1;
  error = MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT32_T, MPI_MAX, g_group);
  if (error != MPI_SUCCESS) return failure(text_of(error));
  return wrong == 0 ? nullptr : failure("two processes have the same rank");
}

MPI_Datatype type_of(MpiType type) {
  switch (type) {
    case MpiType::i8:
      return MPI_INT8_T;
    case MpiType::i16:
      return MPI_INT16_T;
    case MpiType::i32:
      return MPI_INT32_T;
    case MpiType::i64:
      return MPI_INT64_T;
    case MpiType::u8:
      return MPI_UINT8_T;
    case MpiType::u16:
      return MPI_UINT16_T;
    case MpiType::u32:
      return MPI_UINT32_T;
    case MpiType::u64:
      return MPI_UINT64_T;
    case MpiType::f32:
      return MPI_FLOAT;
    case MpiType::f64:
      break;
  }
  return MPI_DOUBLE;
}

MPI_Op op_of(MpiOp op) { return op == MpiOp::sum ? MPI_SUM : op == MpiOp::max ? MPI_MAX : MPI_MIN; }

const char* all_reduce(void* data, size_t count, MpiType type, MpiOp op, double timeout) {
  const MPI_Datatype datatype = type_of(type);
  int width = 0;
  MPI_Type_size(datatype, &width);
  for (size_t begin = 0; begin < count; begin += kMostElements) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int error =
        MPI_Iallreduce(MPI_IN_PLACE, static_cast<char*>(data) + begin * static_cast<size_t>(width),
                       static_cast<int>(std::min(count - begin, kMostElements)), datatype,
                       op_of(op), g_group, &request);
    if (const char* const message = wait(error, request, timeout)) return message;
  }
  return nullptr;
}

/// A type that groups bytes so that the number of elements of a block fits MPI's int.
struct BlockType {
  explicit BlockType(size_t bytes) {
    size_t unit = 1;
    while (unit < (size_t{1} << 20) && bytes % (unit * 2) == 0) unit *= 2;
    count = static_cast<int>(bytes / unit);
    fits = bytes / unit <= kMostElements;
    MPI_Type_contiguous(static_cast<int>(unit), MPI_BYTE, &type);
    MPI_Type_commit(&type);
  }
  ~BlockType() { MPI_Type_free(&type); }
  BlockType(const BlockType&) = delete;
  BlockType& operator=(const BlockType&) = delete;

  MPI_Datatype type = MPI_DATATYPE_NULL;
  int count = 0;
  bool fits = true;
};

constexpr const char* kTooLarge = "A block of this size cannot be sent by MPI";

const char* all_gather(const void* block, size_t bytes, void* result, double timeout) {
  const BlockType part(bytes);
  if (!part.fits) return failure(kTooLarge);
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = MPI_Iallgather(block, part.count, part.type, result, part.count, part.type,
                                   g_group, &request);
  return wait(error, request, timeout);
}

const char* all_to_all(const void* blocks, size_t bytes, void* result, double timeout) {
  const BlockType part(bytes);
  if (!part.fits) return failure(kTooLarge);
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = MPI_Ialltoall(blocks, part.count, part.type, result, part.count, part.type,
                                  g_group, &request);
  return wait(error, request, timeout);
}

const char* broadcast(void* data, size_t bytes, int64_t root, double timeout) {
  for (size_t begin = 0; begin < bytes; begin += kMostElements) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int error = MPI_Ibcast(static_cast<char*>(data) + begin,
                                 static_cast<int>(std::min(bytes - begin, kMostElements)), MPI_BYTE,
                                 static_cast<int>(root), g_group, &request);
    if (const char* const message = wait(error, request, timeout)) return message;
  }
  return nullptr;
}

const char* barrier(double timeout) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = MPI_Ibarrier(g_group, &request);
  return wait(error, request, timeout);
}

constexpr MpiPlugin kPlugin = {connect, all_reduce, all_gather, all_to_all, broadcast, barrier};

}  // namespace
}  // namespace antler::cluster

extern "C" __attribute__((visibility("default"))) const antler::cluster::MpiPlugin*
antler_mpi_plugin_1() {
  return &antler::cluster::kPlugin;
}

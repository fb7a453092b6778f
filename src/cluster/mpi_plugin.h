#pragma once

#include <cstddef>
#include <cstdint>

/// The interface of libantler_mpi.so. It is loaded at run time, and nothing else links MPI.
namespace antler::cluster {

enum class MpiType : uint8_t { i8, i16, i32, i64, u8, u16, u32, u64, f32, f64 };
enum class MpiOp : uint8_t { sum, max, min };

/// The functions return null, or an error message that is valid until the next call from this
/// thread. Any thread may call them, but only one at a time. `timeout`: seconds after which a call
/// fails with the message kMpiTimedOut if its peers do not take part. After a failure no function
/// may be called.
struct MpiPlugin {
  /// Initializes MPI unless the program has done so, and connects the `size` processes that were
  /// started together; `rank` is the number of this one. `any_thread`: whether MPI lets several
  /// threads call it in turn. All processes call it together.
  const char* (*connect)(int64_t rank, int64_t size, bool* any_thread);
  /// Combines `count` elements in place.
  const char* (*all_reduce)(void* data, size_t count, MpiType type, MpiOp op, double timeout);
  /// Block r of `result` is the `bytes` bytes at `block` of process r.
  const char* (*all_gather)(const void* block, size_t bytes, void* result, double timeout);
  /// Block r of `result` is this process's block in `blocks` of process r.
  const char* (*all_to_all)(const void* blocks, size_t bytes, void* result, double timeout);
  const char* (*broadcast)(void* data, size_t bytes, int64_t root, double timeout);
  const char* (*barrier)(double timeout);
};

constexpr const char* kMpiTimedOut = "Timed out";
/// The function of the library, `const MpiPlugin* antler_mpi_plugin_1()`. The number in its name
/// changes when MpiPlugin changes.
constexpr const char* kMpiPluginSymbol = "antler_mpi_plugin_1";

}  // namespace antler::cluster

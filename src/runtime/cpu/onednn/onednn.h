#pragma once

#include <omp.h>

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/dtype.h"

/// Helpers of the oneDNN kernels.
namespace antler::runtime::onednn {

const dnnl::engine& engine();
/// One per host thread, since replicas run concurrently.
dnnl::stream& stream();

/// nullopt for dtypes without fast primitives.
std::optional<dnnl::memory::data_type> data_type(DType dtype);

/// Attributes of a primitive whose scratchpad is provided by the caller.
dnnl::primitive_attr user_scratchpad();

/// Whether the implementation is a generated one (JIT or brgemm).
bool is_fast(const std::string& implementation);

/// Sets OpenMP's number of threads, by which oneDNN splits work both when a primitive is created
/// and when it runs.
class ThreadScope {
 public:
  explicit ThreadScope(int threads) : before_(omp_get_max_threads()), changed_(before_ != threads) {
    if (changed_) omp_set_num_threads(threads);
  }
  ~ThreadScope() {
    if (changed_) omp_set_num_threads(before_);
  }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
  bool changed_;
};

/// A primitive and its arguments, created once and run on different buffers.
class BoundPrimitive {
 public:
  BoundPrimitive() = default;
  BoundPrimitive(dnnl::primitive primitive,
                 const std::vector<std::pair<int, dnnl::memory::desc>>& arguments);

  bool defined() const { return !memories_.empty(); }
  /// Sets the address of an argument, given by its index in the constructor's list.
  void set(size_t argument, const void* data) {
    memories_[argument].set_data_handle(const_cast<void*>(data));
  }
  void run();

 private:
  dnnl::primitive primitive_;
  std::vector<dnnl::memory> memories_;
  std::vector<dnnl_exec_arg_t> arguments_;
};

}  // namespace antler::runtime::onednn

#pragma once

#include <omp.h>

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "antler/core/dtype.h"

/// What the kernels made of oneDNN primitives share.
namespace antler::runtime::onednn {

const dnnl::engine& engine();
/// One for each thread of the host program: replicas run side by side.
dnnl::stream& stream();

/// Nothing for dtypes that oneDNN's fast primitives do not have.
std::optional<dnnl::memory::data_type> data_type(DType dtype);

/// Primitive attributes under which run time memory comes from the caller.
dnnl::primitive_attr caller_scratchpad();

/// Whether the chosen implementation is one of the fast ones.
bool is_fast(const char* implementation);

/// oneDNN divides work by OpenMP's current number of threads, when a primitive is made and when it
/// runs: both must see the kernel's own.
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

/// A primitive with its arguments: made once, run with new addresses.
class Call {
 public:
  Call() = default;
  Call(dnnl::primitive primitive, const std::vector<std::pair<int, dnnl::memory::desc>>& arguments);

  bool defined() const { return !memories_.empty(); }
  /// Sets where the argument lies, by its place in the constructor's list.
  void set(size_t argument, const void* data) {
    memories_[argument].set_data_handle(const_cast<void*>(data));
  }
  void run();

 private:
  dnnl::primitive primitive_;
  std::vector<dnnl::memory> memories_;
  std::vector<dnnl_exec_arg_t> arguments_;
};

/// Places parts one after the other in scratch memory, each 64-byte aligned.
class ScratchPlan {
 public:
  size_t add(size_t bytes) {
    const size_t at = bytes_;
    bytes_ += (bytes + 63) / 64 * 64;
    return at;
  }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_ = 0;
};

}  // namespace antler::runtime::onednn

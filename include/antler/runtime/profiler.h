#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace antler {

/// The roofline of the machine, measured with config::threads() threads.
struct MachineLimits {
  double flops = 0;  ///< peak float32 FLOP/s of FMAs on operands in L1 (an FMA counts as two)
  double bytes = 0;  ///< memory bandwidth in bytes per second, reads and writes together
};
/// Takes about 50 ms on an idle machine. Other running programs lower the result.
MachineLimits measure_machine_limits();

/// One kernel of a compiled program, summed over all profiled runs.
struct KernelProfile {
  std::string program;         ///< "train_step"
  std::string name;            ///< what it computes: "dot_general 64x784 784x512"
  std::string implementation;  ///< "loop", "gemm avx512", "reference", ...
  std::string layers;          ///< what it is computed for: "model/dense", "gradients/model/dense"
  int64_t index = 0;           ///< position in the program
  int64_t runs = 0;
  double seconds = 0;
  int64_t bytes = 0;  ///< of operands and results per run, each counted once
  int64_t flops = 0;  ///< per run, of matrix products and convolutions; 0 for other kernels
};

/// The result of a Profiler.
struct Profile {
  std::vector<KernelProfile> kernels;  ///< by total time, longest first
  double wall = 0;                     ///< seconds from start to stop

  double kernel_seconds() const;
  /// One line for each of the `lines` longest kernels: time per run, percentage of the wall time,
  /// GFLOP/s, GB/s, the percentage of the roofline given by `limits`, and the layers. The last line
  /// is the time outside of kernels.
  std::string table(const MachineLimits& limits, int lines = 30) const;
  /// Writes the kernel runs (at most 200,000) as Chrome trace events, which Perfetto and
  /// chrome://tracing open. Throws IOError.
  void write_trace(const std::string& path) const;

  /// One run of a kernel.
  struct Event {
    int32_t kernel = 0;  ///< index into `kernels`
    int32_t thread = 0;
    double start = 0;  ///< seconds since the profiler started
    double seconds = 0;
  };
  std::vector<Event> events;
};

/// Times every kernel of every program from its construction until stop(). Only one can run at a
/// time: a second one throws RuntimeError. Without a profiler, the cost is one flag test per step.
///
///     Profiler profiler;
///     model.fit(...);
///     const Profile profile = profiler.stop();
///     std::cout << profile.table(measure_machine_limits());
class Profiler {
 public:
  Profiler();
  ~Profiler();
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;
  /// Throws RuntimeError when called twice.
  Profile stop();

 private:
  bool running_ = true;
};

}  // namespace antler

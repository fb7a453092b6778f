#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace antler {

/// What the machine can do at most, measured, with the threads of the configuration.
struct MachineLimits {
  double flops = 0;  ///< float32 multiply-adds from registers, two operations each, per second
  double bytes = 0;  ///< read and written beyond the caches, per second
};
/// Takes about 50 ms on an idle machine; what other programs take from it shows.
MachineLimits measure_machine_limits();

/// One kernel of a compiled program, summed over the runs that were seen.
struct KernelProfile {
  std::string program;         ///< "train_step"
  std::string name;            ///< what it computes: "dot_general 64x784 784x512"
  std::string implementation;  ///< "loop", "gemm avx512", "reference", ...
  int64_t index = 0;           ///< its place in the program
  int64_t runs = 0;
  double seconds = 0;
  int64_t bytes = 0;  ///< of its operands and results, each counted once, per run
  int64_t flops = 0;  ///< of matrix products and convolutions, per run; 0 for others
};

/// What a Profiler saw.
struct Profile {
  std::vector<KernelProfile> kernels;  ///< the longest first
  double wall = 0;                     ///< seconds from start to stop

  double kernel_seconds() const;
  /// A line per kernel, the longest first, at most `lines`: time per run, share, rates, and the
  /// fraction of what `limits` allow (flops or bytes, whichever is nearer). What is left of the
  /// wall time (data, callbacks, waiting) is the last line.
  std::string table(const MachineLimits& limits, int lines = 30) const;
  /// Writes every run of every kernel as trace events (the JSON that Perfetto and chrome://tracing
  /// open); runs beyond the first 200,000 are left out. Throws IOError.
  void write_trace(const std::string& path) const;

  struct Event {
    int32_t kernel = 0;  ///< in `kernels`
    int32_t thread = 0;
    double start = 0;  ///< seconds since the profiler started
    double seconds = 0;
  };
  std::vector<Event> events;
};

/// Times every kernel of every program from its construction until stop(). One at a time:
/// a second one throws RuntimeError. While none exists a step pays for one read of a flag.
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
  /// Ends the measurement. Throws RuntimeError when called twice.
  Profile stop();

 private:
  bool running_ = true;
};

}  // namespace antler

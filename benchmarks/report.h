#pragma once

#include <string>
#include <vector>

/// Results as JSON lines with the fields of the peer benchmarks, so that both fit in one table.
namespace antler::bench {

struct Context {
  std::string case_name;
  std::string variant;
  int threads = 1;  ///< of each worker
  int workers = 1;
  bool is_silent = false;  ///< set if another worker prints the results
  double start = 0;        ///< when the case started (for the first case: the program); see now()
};

/// Prints {"case", "peer": "antler", "variant", "metric", "value", "unit", "threads"}, and
/// "workers" if there are several. `extra` is inserted before the closing brace (", \"repeats\":
/// 5").
void emit(const Context& context, const std::string& metric, double value, const std::string& unit,
          const std::string& extra = "");
/// Peak resident set size of this process in MiB.
double peak_rss_mib();
double median(std::vector<double> values);
/// Seconds since a fixed point in time.
double now();
/// As in the peer benchmarks: at least 3 timings and 4 seconds, at most 7 timings.
bool enough(const std::vector<double>& times);

}  // namespace antler::bench

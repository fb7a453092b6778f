#pragma once

#include <string>
#include <vector>

/// Figures as JSON lines with the fields that the peers' runner prints, so that both make one
/// table.
namespace antler::bench {

struct Context {
  std::string case_name;
  std::string variant;
  int threads = 1;
};

/// {"case", "peer": "antler", "variant", "metric", "value", "unit", "threads"} on stdout. `extra`
/// is appended as it is
/// (", \"repeats\": 5").
void emit(const Context& context, const std::string& metric, double value, const std::string& unit,
          const std::string& extra = "");
/// Largest resident set of this process so far, MiB.
double peak_rss_mib();
double median(std::vector<double> values);
/// Seconds since a fixed moment.
double now();
/// As the peers decide it: at least 3 timings and 4 seconds, at most 7 timings.
bool enough(const std::vector<double>& times);

}  // namespace antler::bench

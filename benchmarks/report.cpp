#include "report.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>

#include "antler/base/format.h"

namespace antler::bench {

void emit(const Context& context, const std::string& metric, double value, const std::string& unit,
          const std::string& extra) {
  if (context.is_silent) return;
  const std::string workers =
      context.workers > 1 ? format(", \"workers\": {}", context.workers) : "";
  std::printf(
      "{\"case\": \"%s\", \"peer\": \"antler\", \"variant\": \"%s\", \"metric\": \"%s\", "
      "\"value\": %.9g, "
      "\"unit\": \"%s\", \"threads\": %d%s%s}\n",
      context.case_name.c_str(), context.variant.c_str(), metric.c_str(), value, unit.c_str(),
      context.threads, workers.c_str(), extra.c_str());
  std::fflush(stdout);
}

double peak_rss_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool enough(const std::vector<double>& times) {
  const double sum = std::accumulate(times.begin(), times.end(), 0.0);
  return times.size() >= 7 || (times.size() >= 3 && sum >= 4.0);
}

}  // namespace antler::bench

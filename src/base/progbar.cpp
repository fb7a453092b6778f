#include "antler/base/progbar.h"

#include <algorithm>
#include <cmath>

#include "antler/base/format.h"
#include "antler/base/logging.h"
#include "base/clock.h"

namespace antler {
namespace {

/// " 25ms/step", in the largest unit that leaves a digit before the point.
std::string per_unit(double seconds, const std::string& unit) {
  if (seconds >= 1 || seconds == 0) return format(" {:.0f}s/{}", seconds, unit);
  if (seconds >= 1e-3) return format(" {:.0f}ms/{}", seconds * 1e3, unit);
  return format(" {:.0f}us/{}", seconds * 1e6, unit);
}

std::string eta(double seconds) {
  const auto s = static_cast<int64_t>(seconds);
  if (s > 3600) return format("{}:{:02}:{:02}", s / 3600, s % 3600 / 60, s % 60);
  if (s > 60) return format("{}:{:02}", s / 60, s % 60);
  return format("{}s", s);
}

/// "  3/100", padded to the width of the target.
std::string fraction(int64_t current, int64_t target) {
  return format("{:{}}/{}", current, std::to_string(target).size(), target);
}

}  // namespace

Progbar::Progbar(int64_t target, const ProgbarOptions& options)
    : target_(target), options_(options) {
  if (!options_.clock) options_.clock = steady_seconds;
  start_ = options_.clock();
}

void Progbar::accumulate(int64_t current, const Values& values) {
  const auto weight = static_cast<double>(std::max<int64_t>(current - seen_, 1));
  for (const auto& [name, value] : values) {
    auto it = std::find_if(values_.begin(), values_.end(),
                           [&](const auto& v) { return v.first == name; });
    if (it == values_.end()) it = values_.insert(values_.end(), {name, Sum()});
    Sum& sum = it->second;
    const auto& stateful = options_.stateful_metrics;
    if (std::find(stateful.begin(), stateful.end(), name) != stateful.end()) {
      sum = {value, 1, true};
    } else {
      sum.total += value * weight;
      sum.count += weight;
    }
  }
}

std::string Progbar::bar(int64_t current) const {
  if (target_ < 0) return format("{:7}/Unknown", current);
  std::string line = fraction(current, target_) + " [";
  const double progress =
      target_ > 0 ? static_cast<double>(current) / static_cast<double>(target_) : 1.0;
  const int filled = std::min(options_.width, static_cast<int>(options_.width * progress));
  if (filled > 0) {
    line.append(static_cast<size_t>(filled - 1), '=');
    line += current < target_ ? '>' : '=';
  }
  line.append(static_cast<size_t>(options_.width - filled), '.');
  return line + "]";
}

std::string Progbar::metrics(bool absolute) const {
  std::string line;
  for (const auto& [name, sum] : values_) {
    const double value = sum.stateful ? sum.total : sum.total / std::max(1.0, sum.count);
    const double size = absolute ? std::fabs(value) : value;
    line +=
        size > 1e-3 ? format(" - {}: {:.4f}", name, value) : format(" - {}: {:.4e}", name, value);
  }
  return line;
}

double Progbar::time_per_unit(int64_t current, double now) {
  // The first step includes tracing and compiling, so later estimates leave it out.
  if (current == 0) return 0;
  const double result = after_first_ >= 0 && current > 1
                            ? (now - after_first_) / static_cast<double>(current - 1)
                            : (now - start_) / static_cast<double>(current);
  if (current == 1 && after_first_ < 0) after_first_ = now;
  return result;
}

void Progbar::update(int64_t current, const Values& values, int finalize) {
  const bool final = finalize >= 0 ? finalize != 0 : (target_ >= 0 && current >= target_);
  accumulate(current, values);
  seen_ = current;
  const double now = options_.clock();
  const double elapsed = now - start_;
  if (options_.verbose == 1) {
    if (now - last_update_ < options_.interval && !final) return;
    const double per_step = time_per_unit(current, now);
    std::string line = bar(current);
    if (target_ < 0 || final) {
      line += format(" - {:.0f}s", elapsed) + per_unit(per_step, options_.unit_name);
    } else {
      line += " - ETA: " + eta(per_step * static_cast<double>(target_ - current));
    }
    line += metrics(true);
    const size_t width = line.size();
    if (previous_width_ > width) line.append(previous_width_ - width, ' ');
    if (final) line += '\n';
    const std::string start =
        options_.dynamic_display ? std::string(previous_width_, '\b') + '\r' : "\n";
    previous_width_ = width;
    logging::print(start + line);
  } else if (options_.verbose == 2 && final) {
    const double per_step = time_per_unit(current, now);
    logging::print((target_ >= 0 ? fraction(current, target_) : format("{}/Unknown", current)) +
                   format(" - {:.0f}s", elapsed) + metrics(false) + " -" +
                   per_unit(elapsed, "epoch") + " -" + per_unit(per_step, options_.unit_name) +
                   "\n");
  }
  last_update_ = now;
}

void Progbar::add(int64_t n, const Values& values) { update(seen_ + n, values); }

}  // namespace antler

#include "antler/training/progbar.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "antler/base/logging.h"
#include "base/clock.h"

namespace antler {
namespace {

template <class... Args>
std::string format(const char* pattern, Args... args) {
  char text[96];
  std::snprintf(text, sizeof text, pattern, args...);
  return text;
}

/// " 25ms/step" with the unit that fits.
std::string per_unit(double seconds, const std::string& unit) {
  if (seconds >= 1 || seconds == 0) return format(" %.0fs/", seconds) + unit;
  if (seconds >= 1e-3) return format(" %.0fms/", seconds * 1e3) + unit;
  return format(" %.0fus/", seconds * 1e6) + unit;
}

std::string eta_text(double seconds) {
  const auto s = static_cast<int64_t>(seconds);
  if (s > 3600) {
    return format("%lld:%02lld:%02lld", static_cast<long long>(s / 3600),
                  static_cast<long long>(s % 3600 / 60), static_cast<long long>(s % 60));
  }
  if (s > 60)
    return format("%lld:%02lld", static_cast<long long>(s / 60), static_cast<long long>(s % 60));
  return format("%llds", static_cast<long long>(s));
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
  if (target_ < 0) return format("%7lld/Unknown", static_cast<long long>(current));
  const int digits = static_cast<int>(std::to_string(target_).size());
  std::string text = format("%*lld/%lld [", digits, static_cast<long long>(current),
                            static_cast<long long>(target_));
  const double progress =
      target_ > 0 ? static_cast<double>(current) / static_cast<double>(target_) : 1.0;
  const int filled = std::min(options_.width, static_cast<int>(options_.width * progress));
  if (filled > 0) {
    text.append(static_cast<size_t>(filled - 1), '=');
    text += current < target_ ? '>' : '=';
  }
  text.append(static_cast<size_t>(options_.width - filled), '.');
  return text + "]";
}

std::string Progbar::metrics(bool absolute) const {
  std::string text;
  for (const auto& [name, sum] : values_) {
    const double value = sum.stateful ? sum.total : sum.total / std::max(1.0, sum.count);
    const double size = absolute ? std::fabs(value) : value;
    text += " - " + name + ":" + format(size > 1e-3 ? " %.4f" : " %.4e", value);
  }
  return text;
}

double Progbar::time_per_unit(int64_t current, double now) {
  // The first step pays for tracing and compiling: later estimates leave it out.
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
    const std::string line = bar(current);
    std::string info;
    if (target_ < 0 || final) {
      info = format(" - %.0fs", elapsed) + per_unit(per_step, options_.unit_name);
    } else {
      info = " - ETA: " + eta_text(per_step * static_cast<double>(target_ - current));
    }
    info += metrics(true);
    const size_t width = line.size() + info.size();
    if (previous_width_ > width) info.append(previous_width_ - width, ' ');
    std::string text = "\n";
    if (options_.dynamic_display) text = std::string(previous_width_, '\b') + '\r';
    text += line + info;
    if (final) text += '\n';
    previous_width_ = width;
    logging::print(text);
  } else if (options_.verbose == 2 && final) {
    const int digits = static_cast<int>(std::to_string(std::max<int64_t>(target_, 0)).size());
    std::string text = target_ >= 0 ? format("%*lld/%lld", digits, static_cast<long long>(current),
                                             static_cast<long long>(target_))
                                    : format("%lld/Unknown", static_cast<long long>(current));
    const double per_step = time_per_unit(current, now);
    text += format(" - %.0fs", elapsed) + metrics(false) + " -" + per_unit(elapsed, "epoch") +
            " -" + per_unit(per_step, options_.unit_name) + "\n";
    logging::print(text);
  }
  last_update_ = now;
}

void Progbar::add(int64_t n, const Values& values) { update(seen_ + n, values); }

}  // namespace antler

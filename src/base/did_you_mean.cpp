#include "base/did_you_mean.h"

#include <algorithm>
#include <numeric>

#include "antler/base/format.h"
#include "base/strings.h"

namespace antler {
namespace {

constexpr size_t kMinPrefix = 3;

/// The number of letters to insert, remove or replace (Levenshtein 1966).
size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t k = 0; k < b.size(); ++k) {
      const size_t replaced = diagonal + (a[i] == b[k] ? 0 : 1);
      diagonal = row[k + 1];
      row[k + 1] = std::min({replaced, row[k] + 1, row[k + 1] + 1});
    }
  }
  return row[b.size()];
}

bool is_prefix_of_other(const std::string& a, const std::string& b) {
  return std::min(a.size(), b.size()) >= kMinPrefix && (a.starts_with(b) || b.starts_with(a));
}

}  // namespace

std::string did_you_mean(std::string_view given, const std::vector<std::string>& known) {
  const std::string wanted = to_lower(given);
  const std::string* best = nullptr;
  size_t least = 0;
  for (const std::string& name : known) {
    const std::string candidate = to_lower(name);
    const size_t distance = edit_distance(wanted, candidate);
    const bool close = 3 * distance <= std::max(wanted.size(), candidate.size()) ||
                       is_prefix_of_other(wanted, candidate);
    if (!close || (best != nullptr && distance >= least)) continue;
    best = &name;
    least = distance;
  }
  return best == nullptr ? "" : format(" Did you mean '{}'?", *best);
}

std::string suggest_names(std::string_view given, const char* what,
                          const std::vector<std::string>& known) {
  return format("{} Known {}: {}.", did_you_mean(given, known), what,
                join(known, ", ", [](const std::string& name) { return "'" + name + "'"; }));
}

}  // namespace antler

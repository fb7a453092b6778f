#include "search/hyperparameter.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "antler/base/error.h"
#include "antler/base/philox.h"
#include "models/object_spec.h"

namespace antler::cli {
namespace {

std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// Four digits, so that a value can be read and typed again.
double rounded(double value) { return std::stod(format("{:.4g}", value)); }
/// Without the rounding errors of a multiple of a step.
double cleaned(double value) { return std::stod(format("{:.12g}", value)); }

double number_of(const std::string& item, const std::string& text) {
  const Json value = parse_value(text);
  if (!value.is_number() || !std::isfinite(value.get<double>())) {
    throw ValueError("--space {}: '{}' is not a number.", item, text);
  }
  return value.get<double>();
}

/// Reads LOW:HIGH[:STEP].
void read_range(const std::string& item, const std::string& text, Hyperparameter& h) {
  using Kind = Hyperparameter::Kind;
  const bool logarithmic = h.kind == Kind::log_real || h.kind == Kind::log_integer;
  const std::vector<std::string> parts = split_at(text, ':');
  if (parts.size() < 2 || parts.size() > (logarithmic ? 2U : 3U)) {
    throw ValueError("--space {}: expected LOW:HIGH{}, not '{}'.", item,
                     logarithmic ? "" : " or LOW:HIGH:STEP", text);
  }
  h.low = number_of(item, parts[0]);
  h.high = number_of(item, parts[1]);
  if (parts.size() == 3) h.step = number_of(item, parts[2]);
  if (h.low >= h.high) throw ValueError("--space {}: {} is not below {}.", item, h.low, h.high);
  if (logarithmic && h.low <= 0) {
    throw ValueError("--space {}: the logarithm needs a positive low end, not {}.", item, h.low);
  }
  if (h.step && *h.step <= 0) throw ValueError("--space {}: the step must be positive.", item);
  if (h.kind == Kind::integer || h.kind == Kind::log_integer) {
    constexpr double kLargest = 9007199254740992;  // doubles represent all whole numbers up to here
    for (const double value : {h.low, h.high, h.step.value_or(1)}) {
      if (value != std::floor(value) || std::abs(value) > kLargest) {
        throw ValueError("--space {}: {} is not a whole number.", item, value);
      }
    }
  }
}

}  // namespace

Json Hyperparameter::at(double u) const {
  const auto part = [u](double count) { return std::min(std::floor(u * count), count - 1); };
  const auto whole = [](double value) { return Json(static_cast<int64_t>(std::llround(value))); };
  switch (kind) {
    case Kind::choice:
      return choices[static_cast<size_t>(part(static_cast<double>(choices.size())))];
    case Kind::integer: {
      const double by = step.value_or(1);
      return whole(low + by * part(std::floor((high - low) / by) + 1));
    }
    case Kind::log_integer:
      // Each whole number stands for the interval up to the next.
      return whole(std::clamp(std::floor(low * std::pow((high + 1) / low, u)), low, high));
    case Kind::log_real:
      return std::clamp(rounded(low * std::pow(high / low, u)), low, high);
    case Kind::real:
      break;
  }
  if (step) return cleaned(low + *step * part(std::floor((high - low) / *step + 1e-9) + 1));
  return std::clamp(rounded(low + u * (high - low)), low, high);
}

std::vector<Json> Hyperparameter::examples() const {
  if (kind == Kind::choice) return choices;
  return {at(0), at(std::nextafter(1.0, 0.0))};
}

Hyperparameter parse_hyperparameter(const std::string& item) {
  using Kind = Hyperparameter::Kind;
  const size_t equals = item.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == item.size()) {
    throw ValueError(
        "--space takes items like learning_rate=log:1e-4:1e-1 and batch_size=choice:16,32. "
        "Received: {}.",
        item);
  }
  Hyperparameter h;
  h.name = item.substr(0, equals);
  const std::string value = item.substr(equals + 1);
  const size_t colon = value.find(':');
  const std::string kind = colon == std::string::npos ? "" : value.substr(0, colon);
  const std::string rest = colon == std::string::npos ? value : value.substr(colon + 1);
  static const std::map<std::string, Kind> kRanges = {{"float", Kind::real},
                                                      {"log", Kind::log_real},
                                                      {"int", Kind::integer},
                                                      {"logint", Kind::log_integer}};
  if (const auto range = kRanges.find(kind); range != kRanges.end()) {
    h.kind = range->second;
    read_range(item, rest, h);
  } else if (kind == "choice") {
    const char separator = rest.find(';') == std::string::npos ? ',' : ';';
    for (const std::string& choice : split_at(rest, separator)) {
      if (choice.empty()) throw ValueError("--space {}: a choice is empty.", item);
      h.choices.push_back(parse_value(choice));
    }
    if (h.choices.empty()) throw ValueError("--space {}: there are no choices.", item);
  } else {
    h.choices.push_back(parse_value(value));
  }
  return h;
}

std::string argument_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Json sample(const std::vector<Hyperparameter>& space, uint64_t seed, uint32_t trial,
            uint32_t attempt) {
  Json values = Json::object();
  for (size_t i = 0; i < space.size(); ++i) {
    const auto words = philox({trial, attempt, static_cast<uint32_t>(i), 0},
                              {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
    const uint64_t bits = uint64_t{words[0]} << 32 | words[1];
    values[space[i].name] = space[i].at(std::ldexp(static_cast<double>(bits >> 11), -53));
  }
  return values;
}

}  // namespace antler::cli

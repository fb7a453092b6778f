#include "ops/window_functions.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>

#include "antler/base/error.h"

namespace antler::ops {
namespace {

constexpr double kWindowPi = std::numbers::pi;

/// Value k of a symmetric window of n > 1 values.
using Window = std::function<double(double k, double n)>;

/// a0 - a1 cos(x) + a2 cos(2x) - ...
Window cosine_sum(std::vector<double> a) {
  return [a = std::move(a)](double k, double n) {
    double value = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      const double term = a[i] * std::cos(2 * kWindowPi * static_cast<double>(i) * k / (n - 1));
      value += i % 2 == 0 ? term : -term;
    }
    return value;
  };
}

double sinc(double x) { return x == 0 ? 1 : std::sin(kWindowPi * x) / (kWindowPi * x); }

double parzen(double k, double n) {
  const double x = std::abs(k - (n - 1) / 2) / (n / 2);
  return x <= (n - 1) / 2 / n ? 1 - 6 * x * x * (1 - x) : 2 * std::pow(1 - x, 3);
}

double bohman(double k, double n) {
  if (k == 0 || k == n - 1) return 0;
  const double x = std::abs(-1 + 2 * k / (n - 1));
  return (1 - x) * std::cos(kWindowPi * x) + std::sin(kWindowPi * x) / kWindowPi;
}

double triang(double k, double n) {
  const double odd = std::fmod(n, 2) == 1 ? 1 : 0;
  const double i = std::min(k, n - 1 - k) + 1;
  return odd == 1 ? 2 * i / (n + 1) : (2 * i - 1) / n;
}

double tukey(double k, double n) {
  constexpr double kTaper = 0.5;
  const double edge = std::floor(kTaper * (n - 1) / 2);
  const double i = std::min(k, n - 1 - k);
  return i > edge ? 1 : (1 + std::cos(kWindowPi * (-1 + 2 * i / kTaper / (n - 1)))) / 2;
}

const std::map<std::string, Window>& windows() {
  static const auto* const all = new std::map<std::string, Window>{
      {"boxcar", [](double, double) { return 1.0; }},
      {"hann", cosine_sum({0.5, 0.5})},
      {"hamming", cosine_sum({0.54, 0.46})},
      {"blackman", cosine_sum({0.42, 0.5, 0.08})},
      {"blackmanharris", cosine_sum({0.35875, 0.48829, 0.14128, 0.01168})},
      {"nuttall", cosine_sum({0.3635819, 0.4891775, 0.1365995, 0.0106411})},
      {"flattop", cosine_sum({0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368})},
      {"bartlett",
       [](double k, double n) { return k <= (n - 1) / 2 ? 2 * k / (n - 1) : 2 - 2 * k / (n - 1); }},
      {"barthann",
       [](double k, double n) {
         const double x = std::abs(k / (n - 1) - 0.5);
         return 0.62 - 0.48 * x + 0.38 * std::cos(2 * kWindowPi * x);
       }},
      {"cosine", [](double k, double n) { return std::sin(kWindowPi / n * (k + 0.5)); }},
      {"lanczos", [](double k, double n) { return sinc(2 * k / (n - 1) - 1); }},
      {"triang", triang},
      {"parzen", parzen},
      {"bohman", bohman},
      {"tukey", tukey},
  };
  return *all;
}

const std::map<std::string, std::string>& aliases() {
  static const auto* const all = new std::map<std::string, std::string>{
      {"box", "boxcar"},         {"ones", "boxcar"},
      {"rect", "boxcar"},        {"rectangular", "boxcar"},
      {"han", "hann"},           {"hamm", "hamming"},
      {"ham", "hamming"},        {"black", "blackman"},
      {"blk", "blackman"},       {"blackharr", "blackmanharris"},
      {"bkh", "blackmanharris"}, {"nutl", "nuttall"},
      {"nut", "nuttall"},        {"flat", "flattop"},
      {"flt", "flattop"},        {"bart", "bartlett"},
      {"brt", "bartlett"},       {"brthan", "barthann"},
      {"bth", "barthann"},       {"halfcosine", "cosine"},
      {"sinc", "lanczos"},       {"triangle", "triang"},
      {"tri", "triang"},         {"parz", "parzen"},
      {"par", "parzen"},         {"bman", "bohman"},
      {"bmn", "bohman"},         {"tuk", "tukey"},
  };
  return *all;
}

}  // namespace

std::vector<double> window_function(const std::string& name, int64_t length, bool periodic) {
  const auto alias = aliases().find(name);
  const auto found = windows().find(alias == aliases().end() ? name : alias->second);
  if (found == windows().end()) {
    std::string known;
    for (const auto& [key, window] : windows()) known += (known.empty() ? "'" : ", '") + key + "'";
    throw ValueError("Unknown window type: '{}'. Known windows: {}.", name, known);
  }
  std::vector<double> values(static_cast<size_t>(std::max<int64_t>(length, 0)), 1.0);
  if (length <= 1) return values;
  const auto n = static_cast<double>(periodic ? length + 1 : length);
  for (size_t k = 0; k < values.size(); ++k) {
    values[k] = found->second(static_cast<double>(k), n);
  }
  return values;
}

}  // namespace antler::ops

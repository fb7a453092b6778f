#pragma once

#include <string>
#include <utility>
#include <vector>

#include "golden_case.h"

namespace antler::conformance {

/// Thrown if a case needs something that Antler does not have.
struct Unsupported {
  std::string reason;
};

/// Collects the differences of one case. It continues after a difference, to find the worst.
class Check {
 public:
  explicit Check(const GoldenCase& golden) : golden_(golden) {}

  /// Compares `got` with the expected array `name`.
  void array(const std::string& name, const Tensor& got);
  /// Compares two arrays; `where` names them in the report. If integers or booleans are expected,
  /// the array must not be floating; otherwise only values are compared.
  void arrays(const std::string& where, const Tensor& got, const Tensor& want);
  void value(const std::string& where, double got, double want);
  /// Compares numbers within the tolerance and everything else for equality; objects by key.
  void json(const std::string& where, const Json& got, const Json& want);
  /// Compares for equality.
  void equal(const std::string& where, const Json& got, const Json& want);
  /// Reports "`where` `problem`" unless `ok`.
  void truth(const std::string& where, bool ok, const std::string& problem);

  /// Sets a detail to print for a case that passed.
  void note(std::string text) { note_ = std::move(text); }
  const std::string& note() const { return note_; }

  bool passed() const { return broken_.empty() && far_ == 0; }
  /// The differences: first those that are not numeric, then the worst number.
  std::string report() const;

 private:
  bool element(const std::string& where, double got, double want, std::vector<int64_t> index);
  const GoldenCase& golden_;
  std::vector<std::string> broken_;  // differences that are not numeric
  size_t far_ = 0;                   // number of arrays or numbers out of tolerance
  double worst_ = 0;                 // in multiples of the tolerance
  std::string worst_text_;
  std::string note_;
};

}  // namespace antler::conformance

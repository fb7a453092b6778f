#pragma once

#include <string>
#include <utility>
#include <vector>

#include "golden_case.h"

namespace antler::conformance {

/// Thrown by a case that needs something that Antler does not have.
struct Unsupported {
  std::string reason;
};

/// Collects what differs in one case; goes on after a difference, so that the worst is found.
class Check {
 public:
  explicit Check(const GoldenCase& golden) : golden_(golden) {}

  /// `got` against the expected array `name`.
  void array(const std::string& name, const Tensor& got);
  /// The same for any two arrays; `where` names them in the report. dtypes are compared where both
  /// are integers or booleans; otherwise values alone.
  void arrays(const std::string& where, const Tensor& got, const Tensor& want);
  void value(const std::string& where, double got, double want);
  /// Numbers within tolerance, everything else equal; objects by key.
  void json(const std::string& where, const Json& got, const Json& want);
  /// Equality of anything that prints.
  void equal(const std::string& where, const Json& got, const Json& want);
  void truth(const std::string& where, bool ok, const std::string& otherwise);

  /// Something to tell of a case that passed.
  void note(std::string text) { note_ = std::move(text); }
  const std::string& note() const { return note_; }

  bool passed() const { return broken_.empty() && far_ == 0; }
  /// What differs: first what is wrong in kind, then the worst number.
  std::string report() const;

 private:
  bool element(const std::string& where, double got, double want, std::vector<int64_t> index);
  const GoldenCase& golden_;
  std::vector<std::string> broken_;  // differences that are not of numbers
  size_t far_ = 0;                   // arrays or numbers out of tolerance
  double worst_ = 0;                 // in tolerances
  std::string worst_text_;
  std::string note_;
};

}  // namespace antler::conformance

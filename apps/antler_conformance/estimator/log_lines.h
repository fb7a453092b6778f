#pragma once

#include <string>
#include <vector>

#include "check.h"

namespace antler::conformance::estimators {

/// Collects the log lines that are written during its lifetime.
class LogCapture {
 public:
  LogCapture();
  ~LogCapture();
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;
  /// The lines since the last call, without level and line end.
  std::vector<std::string> take();

 private:
  void add(std::string_view text);
  std::vector<std::string> lines_;
};

/// Compares the kinds of lines that the README lists. `want` is a list of [level, line]. Numbers
/// are compared within the tolerance; <SEC>, <RATE> and <DATE> match anything.
void check_log(const std::string& where, const std::vector<std::string>& got, const Json& want,
               Check& check);

}  // namespace antler::conformance::estimators

#pragma once

#include <memory>
#include <string>

namespace antler {

/// A regular expression (ECMAScript). Its methods are named after those of Python's `re`. Only its
/// source includes <regex>, which is slow to compile.
class Regex {
 public:
  /// Throws ValueError, which begins with `where`, for what is not a regular expression:
  /// Regex(key, "OptimizerMap: the key").
  Regex(const std::string& expression, const std::string& where);

  /// Whether all of the string matches.
  bool fullmatch(const std::string& string) const;
  /// Whether the beginning of the string matches.
  bool match(const std::string& string) const;
  /// Whether a part of the string matches.
  bool search(const std::string& string) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace antler

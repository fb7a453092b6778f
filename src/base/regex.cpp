#include "base/regex.h"

#include <regex>

#include "antler/base/error.h"

namespace antler {

struct Regex::Compiled {
  std::regex regex;
};

Regex::Regex(const std::string& expression, const std::string& where) {
  try {
    compiled_ = std::make_shared<const Compiled>(std::regex(expression));
  } catch (const std::regex_error& error) {
    throw ValueError("{} '{}' is not a regular expression: {}.", where, expression, error.what());
  }
}

bool Regex::fullmatch(const std::string& string) const {
  return std::regex_match(string, compiled_->regex);
}

bool Regex::match(const std::string& string) const {
  return std::regex_search(string, compiled_->regex, std::regex_constants::match_continuous);
}

bool Regex::search(const std::string& string) const {
  return std::regex_search(string, compiled_->regex);
}

}  // namespace antler

#include "estimator/log_lines.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <regex>
#include <utility>

#include "antler/base/format.h"
#include "antler/base/logging.h"

namespace antler::conformance::estimators {
namespace {

/// Whether the line is of a kind that the README lists, or from a LoggingTensorHook ("tag = ").
bool is_compared(const std::string& line) {
  static const std::regex kCompared(
      R"((Loss for final step|Saving dict for global step|Saving checkpoints for|Evaluation \[|)"
      R"(global_step/sec|examples/sec|Skipping training|Training with estimator made no steps|)"
      R"(Requesting early stopping|Performing|\S+ = )[^]*)");
  return std::regex_match(line, kCompared);
}

/// Where the number at `at` ends; `at` if there is none.
size_t end_of_number(const std::string& text, size_t at) {
  for (const char* word : {"nan", "inf", "-inf"}) {
    if (text.compare(at, std::string(word).size(), word) == 0) return at + std::string(word).size();
  }
  static const std::regex kNumber(R"(-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)");
  std::smatch match;
  const auto start = text.begin() + static_cast<std::ptrdiff_t>(at);
  if (!std::regex_search(start, text.end(), match, kNumber,
                         std::regex_constants::match_continuous)) {
    return at;
  }
  return at + static_cast<size_t>(match.length());
}

/// The end of the text that stands in place of a placeholder such as <SEC>.
size_t end_of_clock_value(const std::string& text, size_t at) {
  while (at < text.size() && text[at] != ' ' && text[at] != ')' && text[at] != ',') ++at;
  return at;
}

void check_line(const std::string& where, const std::string& got, const std::string& want,
                Check& check) {
  size_t g = 0;
  size_t w = 0;
  const auto differ = [&] { check.equal(where, got, want); };
  const auto inside_word = [](const std::string& text, size_t at) {
    return at > 0 &&
           (std::isalpha(static_cast<unsigned char>(text[at - 1])) || text[at - 1] == '_');
  };
  while (w < want.size()) {
    if (want[w] == '<') {
      w = want.find('>', w) + 1;
      g = end_of_clock_value(got, g);
      continue;
    }
    const size_t want_end = inside_word(want, w) ? w : end_of_number(want, w);
    if (want_end > w) {
      const size_t got_end = end_of_number(got, g);
      if (got_end == g) return differ();
      check.value(where, std::strtod(got.substr(g, got_end - g).c_str(), nullptr),
                  std::strtod(want.substr(w, want_end - w).c_str(), nullptr));
      w = want_end;
      g = got_end;
      continue;
    }
    if (g >= got.size() || got[g] != want[w]) return differ();
    ++g;
    ++w;
  }
  if (g != got.size()) differ();
}

}  // namespace

LogCapture::LogCapture() {
  logging::set_info_sink([this](std::string_view text) { add(text); });
  logging::set_warning_sink([this](std::string_view text) { add(text); });
}

LogCapture::~LogCapture() {
  logging::set_info_sink({});
  logging::set_warning_sink({});
}

void LogCapture::add(std::string_view text) {
  constexpr std::string_view kName = ":antler:";
  const size_t name = text.find(kName);
  if (name != std::string_view::npos) text.remove_prefix(name + kName.size());
  while (text.ends_with('\n')) text.remove_suffix(1);
  lines_.emplace_back(text);
}

std::vector<std::string> LogCapture::take() { return std::exchange(lines_, {}); }

void check_log(const std::string& where, const std::vector<std::string>& got, const Json& want,
               Check& check) {
  std::vector<std::string> mine;
  std::copy_if(got.begin(), got.end(), std::back_inserter(mine), is_compared);
  std::vector<std::string> theirs;
  for (const Json& entry : want) {
    const auto line = entry.at(1).get<std::string>();
    if (is_compared(line)) theirs.push_back(line);
  }
  for (size_t i = 0; i < theirs.size() && i < mine.size(); ++i) {
    check_line(format("{} log line {}", where, i), mine[i], theirs[i], check);
  }
  if (mine.size() != theirs.size()) check.equal(where + " log", mine, theirs);
}

}  // namespace antler::conformance::estimators

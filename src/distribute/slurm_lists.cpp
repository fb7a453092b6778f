#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

#include "antler/base/error.h"
#include "antler/distribute/cluster_resolver.h"

// Parses the lists in Slurm's environment variables. A host list is a comma-separated list of
// hosts. In place of digits, a host may have numbers and ranges of numbers in brackets.

namespace antler::distribute {
namespace {

constexpr size_t kMaxEntries = size_t{1} << 16;
constexpr size_t kMaxHostLength = 255;
constexpr size_t kMaxDigits = 18;

/// A number that consists only of decimal digits.
std::optional<int64_t> digits(std::string_view text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  if (text.empty() || text.size() > kMaxDigits || text.front() == '-') return {};
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return {};
  return number;
}

/// Splits at commas; returns at least one part.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

class HostlistReader {
 public:
  explicit HostlistReader(const std::string& list) : list_(list), rest_(list) {}

  std::vector<std::string> read() {
    std::vector<std::string> all;
    do {
      const std::vector<std::string> hosts = read_hosts();
      if (hosts.size() > kMaxEntries - all.size()) refuse("it has too many hosts");
      all.insert(all.end(), hosts.begin(), hosts.end());
    } while (take_comma());
    return all;
  }

 private:
  [[noreturn]] void refuse(const char* why) const {
    throw ValueError("Cannot read the host list '{}': {} (at character {}).", list_, why,
                     list_.size() - rest_.size() + 1);
  }

  bool take_comma() {
    if (rest_.empty()) return false;
    rest_.remove_prefix(1);  // read_hosts() stops at commas only
    return true;
  }

  /// All hosts of one entry, such as "rack[1-2]n[0-9]".
  std::vector<std::string> read_hosts() {
    std::vector<std::string> hosts = {""};
    bool empty = true;
    while (!rest_.empty() && rest_.front() != ',') {
      empty = false;
      if (rest_.front() == ']') refuse("there is a ] without a [");
      if (rest_.front() == '[') {
        hosts = product(hosts, read_brackets());
      } else {
        const std::string_view text = rest_.substr(0, rest_.find_first_of("[],"));
        if (hosts.front().size() + text.size() > kMaxHostLength) refuse("a host is too long");
        for (std::string& host : hosts) host += text;
        rest_.remove_prefix(text.size());
      }
    }
    if (empty) refuse("a host is missing");
    return hosts;
  }

  std::vector<std::string> product(const std::vector<std::string>& hosts,
                                   const std::vector<std::string>& ends) const {
    if (hosts.size() > kMaxEntries / ends.size()) refuse("it has too many hosts");
    std::vector<std::string> result;
    result.reserve(hosts.size() * ends.size());
    for (const std::string& host : hosts) {
      for (const std::string& end : ends) result.push_back(host + end);
    }
    return result;
  }

  /// The numbers of "[1-3,07]": 1, 2, 3, 07.
  std::vector<std::string> read_brackets() {
    const size_t end = rest_.find(']');
    if (end == std::string_view::npos) refuse("a ] is missing");
    std::vector<std::string> numbers;
    for (const std::string_view range : split(rest_.substr(1, end - 1))) {
      const size_t dash = range.find('-');
      const std::string_view first = range.substr(0, dash);
      add_range(first, dash == std::string_view::npos ? first : range.substr(dash + 1), numbers);
    }
    rest_.remove_prefix(end + 1);
    return numbers;
  }

  /// Pads the numbers to the width of the first one if that begins with zeros.
  void add_range(std::string_view first, std::string_view last,
                 std::vector<std::string>& numbers) const {
    const auto low = digits(first);
    const auto high = digits(last);
    if (!low || !high || *high < *low) refuse("brackets hold numbers and ranges like 1-3");
    if (static_cast<uint64_t>(*high - *low) >= kMaxEntries - numbers.size()) {
      refuse("it has too many hosts");
    }
    for (int64_t i = *low; i <= *high; ++i) {
      std::string number = format("{}", i);
      if (number.size() < first.size()) number.insert(0, first.size() - number.size(), '0');
      numbers.push_back(std::move(number));
    }
  }

  const std::string& list_;
  std::string_view rest_;
};

}  // namespace

std::vector<std::string> expand_hostlist(const std::string& hostlist) {
  return HostlistReader(hostlist).read();
}

std::vector<int64_t> expand_tasks_per_node(const std::string& tasks_per_node) {
  const auto refuse = [&] {
    return ValueError("Cannot read the tasks per node '{}': it must be like 3(x2),1.",
                      tasks_per_node);
  };
  std::vector<int64_t> result;
  for (std::string_view entry : split(tasks_per_node)) {
    std::optional<int64_t> times = 1;
    if (entry.ends_with(')')) {
      const size_t open = entry.find("(x");
      if (open == std::string_view::npos) throw refuse();
      times = digits(entry.substr(open + 2, entry.size() - open - 3));
      entry = entry.substr(0, open);
    }
    const auto tasks = digits(entry);
    if (!tasks || !times || static_cast<uint64_t>(*times) > kMaxEntries - result.size()) {
      throw refuse();
    }
    result.insert(result.end(), static_cast<size_t>(*times), *tasks);
  }
  return result;
}

}  // namespace antler::distribute

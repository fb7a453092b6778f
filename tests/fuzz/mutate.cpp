#include "fuzz/mutate.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/philox.h"

namespace antler::fuzz {
namespace {

constexpr size_t kLongest = 8192;

/// Numbers and words at which readers of shapes, counts and options break.
constexpr const char* kHostile[] = {"0",
                                    "-1",
                                    "1",
                                    "9223372036854775807",
                                    "-9223372036854775808",
                                    "18446744073709551616",
                                    "1e308",
                                    "-1e999",
                                    "0.5",
                                    "null",
                                    "true",
                                    "[]",
                                    "{}",
                                    "\"\"",
                                    "[[[]]]"};

/// The positions of JSON's values and names: quoted strings and runs of digits and letters.
std::vector<std::pair<size_t, size_t>> tokens(const std::string& bytes) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_';
  };
  std::vector<std::pair<size_t, size_t>> found;
  for (size_t i = 0; i < bytes.size();) {
    const size_t start = i++;
    if (bytes[start] == '"') {
      while (i < bytes.size() && bytes[i] != '"') ++i;
      if (i < bytes.size()) ++i;
    } else if (is_word(bytes[start])) {
      while (i < bytes.size() && is_word(bytes[i])) ++i;
    } else {
      continue;
    }
    found.emplace_back(start, i - start);
  }
  return found;
}

/// Shortens numbers to three digits if a large machine could hold a model of that size: a reader
/// would rightly build it, which takes minutes. Sizes that no machine can hold are kept.
void shorten_sizes(std::string& bytes) {
  constexpr size_t kKept = 3;
  constexpr size_t kBeyondMemory = 19;
  for (size_t i = 0; i < bytes.size(); ++i) {
    size_t end = i;
    while (end < bytes.size() && std::isdigit(static_cast<unsigned char>(bytes[end])) != 0) ++end;
    if (end - i > kKept && end - i < kBeyondMemory) {
      bytes.erase(i + kKept, end - i - kKept);
      end = i + kKept;
    }
    i = end;
  }
}

}  // namespace

Mutator::Mutator(std::vector<std::string> inputs, uint64_t seed)
    : inputs_(std::move(inputs)), seed_(seed) {
  if (inputs_.empty()) throw ValueError("Mutator: there is no input to begin with.");
}

size_t Mutator::draw(size_t n) {
  const auto numbers = philox({draws_++, 0, 0, 0},
                              {static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32U)});
  return n == 0 ? 0 : numbers[0] % n;
}

std::string Mutator::next() {
  std::string bytes = inputs_[draw(inputs_.size())];
  for (size_t changes = 1 + draw(4); changes > 0; --changes) change(bytes);
  bytes.resize(std::min(bytes.size(), kLongest));
  shorten_sizes(bytes);
  return bytes;
}

void Mutator::change(std::string& bytes) {
  const size_t at = draw(bytes.size() + 1);
  const size_t length = std::min(bytes.size() - at, 1 + draw(64));
  switch (draw(9)) {
    case 0:
      if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << draw(8)));
      break;
    case 1:
      if (at < bytes.size()) bytes[at] = static_cast<char>(draw(256));
      break;
    case 2:
      bytes.erase(at, length);
      break;
    case 3:
      bytes.insert(draw(bytes.size() + 1), bytes.substr(at, length));
      break;
    case 4:
      bytes.resize(at);
      break;
    case 5: {
      const std::string& other = inputs_[draw(inputs_.size())];
      const size_t from = draw(other.size() + 1);
      bytes.replace(at, length, other.substr(from, 1 + draw(256)));
      break;
    }
    case 6:
      swap_tokens(bytes);
      break;
    default:
      change_number(bytes);
      break;
  }
}

void Mutator::change_number(std::string& bytes) {
  const auto found = tokens(bytes);
  if (found.empty()) return;
  const auto [start, length] = found[draw(found.size())];
  bytes.replace(start, length, kHostile[draw(std::size(kHostile))]);
}

void Mutator::swap_tokens(std::string& bytes) {
  const auto found = tokens(bytes);
  if (found.size() < 2) return;
  auto first = found[draw(found.size())];
  auto second = found[draw(found.size())];
  if (first.first > second.first) std::swap(first, second);
  if (first.first == second.first) return;
  const std::string one = bytes.substr(first.first, first.second);
  const std::string other = bytes.substr(second.first, second.second);
  bytes.replace(second.first, second.second, one);
  bytes.replace(first.first, first.second, other);
}

}  // namespace antler::fuzz

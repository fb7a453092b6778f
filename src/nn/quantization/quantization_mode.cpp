#include "nn/quantization/quantization_mode.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <vector>

#include "antler/base/error.h"

namespace antler {
namespace {

std::optional<int64_t> integer_of(std::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return {};
  return value;
}

bool is_group_size(int64_t size) { return size == -1 || size > 0; }

QuantizationMode parse_int4(const std::string& mode) {
  const std::optional<int64_t> size = integer_of(std::string_view(mode).substr(5));
  if (!size) {
    throw ValueError(
        "Invalid mode for Int4DTypePolicy. <block_size> must be an integer. Expected format "
        "'int4/<block_size>', but got '{}'.",
        mode);
  }
  if (!is_group_size(*size)) {
    throw ValueError(
        "Invalid block_size in mode. Supported values are -1 (per-channel) or a positive integer "
        "(sub-channel), but got {} from '{}'.",
        *size, mode);
  }
  return {.name = "int4", .block_size = size};
}

/// Parses "gptq/4/128" and "awq/4/128".
QuantizationMode parse_groups(const std::string& mode, bool is_gptq) {
  const std::string name = is_gptq ? "gptq" : "awq";
  const std::string class_name = is_gptq ? "GPTQDTypePolicy" : "AWQDTypePolicy";
  std::vector<std::string_view> parts;
  for (size_t from = 0; from <= mode.size();) {
    const size_t to = std::min(mode.find('/', from), mode.size());
    parts.push_back(std::string_view(mode).substr(from, to - from));
    from = to + 1;
  }
  if (parts.size() != 3 || parts[0] != name) {
    throw ValueError(
        "Invalid mode for {}. Expected format '{}/<weight_bits>/<group_size>', but got '{}'.",
        class_name, name, mode);
  }
  const std::optional<int64_t> bits = integer_of(parts[1]);
  const std::optional<int64_t> group = integer_of(parts[2]);
  if (!bits || !group) {
    throw ValueError(
        "Invalid mode for {}. <weight_bits> and <group_size> must be integers. Expected format "
        "'{}/<weight_bits>/<group_size>', but got '{}'.",
        class_name, name, mode);
  }
  constexpr std::array<int64_t, 4> kBits = {2, 3, 4, 8};
  if (is_gptq ? std::ranges::find(kBits, *bits) == kBits.end() : *bits != 4) {
    throw ValueError(
        "Invalid weight_bits in mode. {}, but got {} from '{}'.",
        is_gptq ? "Supported values are 2, 3, 4, and 8" : "AWQ only supports 4-bit quantization",
        *bits, mode);
  }
  if (!is_group_size(*group)) {
    throw ValueError(
        "Invalid group_size in mode. Supported values are -1 ({}) or a positive integer, but got "
        "{} from '{}'.",
        is_gptq ? "whole-tensor" : "per-channel", *group, mode);
  }
  return {.name = name, .weight_bits = *bits, .group_size = *group};
}

}  // namespace

QuantizationMode QuantizationMode::parse(const std::string& mode) {
  if (mode == "int8" || mode == "int4" || mode == "float8") return {.name = mode};
  if (mode.starts_with("int4/")) return parse_int4(mode);
  if (mode.starts_with("gptq")) return parse_groups(mode, true);
  if (mode.starts_with("awq")) return parse_groups(mode, false);
  throw ValueError(
      "Invalid quantization mode. Expected one of ('int8', 'float8', 'int4', 'gptq', 'awq'). "
      "Received: mode={}",
      mode);
}

}  // namespace antler

#include "antler/io/safetensors.h"

#include <algorithm>
#include <cstring>
#include <set>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/json.h"
#include "io/little_endian.h"

// The format's own library is written in Rust; a file is a JSON header followed by the tensors.
namespace antler::io {
namespace {

constexpr size_t kLengthBytes = sizeof(uint64_t);
/// The reference implementation's limit on the header's size.
constexpr uint64_t kMaxJson = 100'000'000;
constexpr int kMaxSafetensorsDims = 32;

struct NamedType {
  const char* name;
  DType dtype;
};

constexpr NamedType kTypes[] = {
    {"F32", DType::float32},   {"F64", DType::float64}, {"F16", DType::float16},
    {"BF16", DType::bfloat16}, {"I8", DType::int8},     {"I16", DType::int16},
    {"I32", DType::int32},     {"I64", DType::int64},   {"U8", DType::uint8},
    {"U16", DType::uint16},    {"U32", DType::uint32},  {"U64", DType::uint64},
    {"BOOL", DType::boolean},
};

[[noreturn]] void bad_safetensors(std::string_view what) {
  throw IOError("The safetensors file is corrupt: {}.", what);
}

struct Entry {
  std::string name;
  TensorSpec spec;
  uint64_t begin = 0;
  uint64_t end = 0;
};

Entry entry_of(const std::string& name, const Json& json) {
  Entry entry;
  entry.name = name;
  const std::string dtype = json.at("dtype").get<std::string>();
  const auto* type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                  [&](const NamedType& t) { return dtype == t.name; });
  if (type == std::end(kTypes)) {
    throw ValueError("Array '{}' of the safetensors file has dtype {}, which tensors do not have.",
                     name, dtype);
  }
  const Json& shape = json.at("shape");
  if (!shape.is_array() || shape.size() > kMaxSafetensorsDims)
    bad_safetensors(format("the shape of '{}' is invalid", name));
  uint64_t bytes = dtype_size(type->dtype);
  Shape dims;
  for (const Json& size : shape) {
    if (!size.is_number_unsigned()) bad_safetensors(format("the shape of '{}' is invalid", name));
    const auto d = size.get<uint64_t>();
    if (d > (uint64_t{1} << 62) || __builtin_mul_overflow(bytes, d, &bytes)) {
      bad_safetensors(format("the shape of '{}' is too large", name));
    }
    dims.push_back(static_cast<int64_t>(d));
  }
  const Json& offsets = json.at("data_offsets");
  if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
      !offsets[1].is_number_unsigned()) {
    bad_safetensors(format("the offsets of '{}' are invalid", name));
  }
  entry.spec = {type->dtype, dims};
  entry.begin = offsets[0].get<uint64_t>();
  entry.end = offsets[1].get<uint64_t>();
  if (entry.end < entry.begin || entry.end - entry.begin != bytes) {
    bad_safetensors(format("the size of '{}' does not match its shape", name));
  }
  return entry;
}

std::vector<Entry> entries_of(std::string_view json) {
  const Json header = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!header.is_object()) bad_safetensors("its header is not a JSON object");
  std::vector<Entry> entries;
  try {
    for (const auto& [name, entry] : header.items()) {
      if (name != "__metadata__") entries.push_back(entry_of(name, entry));
    }
  } catch (const Json::exception&) {
    bad_safetensors("a field of its header is missing or has the wrong type");
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  return entries;
}

}  // namespace

NamedTensors parse_safetensors(std::string_view bytes) {
  if (bytes.size() < kLengthBytes) bad_safetensors("it ends inside the header's length");
  const auto length = read_little_endian<uint64_t>(bytes);
  bytes.remove_prefix(kLengthBytes);
  if (length > kMaxJson || length > bytes.size()) bad_safetensors("it ends inside the header");
  const std::vector<Entry> entries = entries_of(bytes.substr(0, length));
  bytes.remove_prefix(length);
  NamedTensors arrays;
  uint64_t at = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != at || entry.end > bytes.size()) {
      bad_safetensors(
          format("'{}' overlaps another array, leaves a gap or is truncated", entry.name));
    }
    at = entry.end;
    Tensor array = Tensor::empty(entry.spec.dtype, entry.spec.shape);
    if (entry.end > entry.begin) {
      std::memcpy(array.mutable_data(), bytes.data() + entry.begin, entry.end - entry.begin);
    }
    arrays.emplace_back(entry.name, array);
  }
  if (at != bytes.size()) bad_safetensors("there are bytes after the last array");
  return arrays;
}

NamedTensors load_safetensors(const std::string& path) {
  try {
    return parse_safetensors(read_file(path));
  } catch (const IOError& error) {
    throw IOError("'{}': {}", path, error.what());
  }
}

std::string format_safetensors(const NamedTensors& entries) {
  Json header = Json::object();
  std::set<std::string> names = {"__metadata__"};
  uint64_t at = 0;
  for (const auto& [name, array] : entries) {
    if (!names.insert(name).second) {
      throw ValueError("The array name '{}' occurs twice or is reserved.", name);
    }
    const auto* type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                    [&](const NamedType& t) { return t.dtype == array.dtype(); });
    header[name] = {{"dtype", type->name},
                    {"shape", array.shape().dims()},
                    {"data_offsets", {at, at + array.bytes()}}};
    at += array.bytes();
  }
  std::string text = header.dump();
  // The data begins at a multiple of 8 bytes.
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string bytes;
  bytes.reserve(kLengthBytes + text.size() + at);
  append_little_endian(bytes, static_cast<uint64_t>(text.size()));
  bytes += text;
  for (const auto& [name, array] : entries) {
    bytes.append(static_cast<const char*>(array.data()), array.bytes());
  }
  return bytes;
}

void save_safetensors(const std::string& path, const NamedTensors& entries) {
  write_file_atomically(path, format_safetensors(entries));
}

}  // namespace antler::io

#include "io/hdf5_filters.h"

#include <zlib.h>

#include <algorithm>

#include "antler/base/format.h"

namespace antler::io::hdf5 {
namespace {

// Filter numbers.
constexpr uint32_t kDeflate = 1;
constexpr uint32_t kShuffle = 2;
constexpr uint32_t kFletcher = 3;
constexpr uint32_t kLzf = 32000;  // registered by h5py

std::string inflated(const FileBytes& file, const std::string& bytes, uint64_t max_bytes) {
  std::string result(max_bytes, '\0');
  uLongf size = max_bytes;
  if (uncompress(reinterpret_cast<Bytef*>(result.data()), &size,
                 reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()) != Z_OK) {
    file.damaged("a compressed chunk is corrupt");
  }
  result.resize(size);
  return result;
}

/// Turns the first bytes of all elements, then the second bytes, ... into elements again.
std::string unshuffled(const std::string& bytes, uint64_t size) {
  if (size < 2) return bytes;
  const uint64_t count = bytes.size() / size;
  std::string result = bytes;  // bytes after the last whole element stay
  for (uint64_t b = 0; b < size; ++b) {
    for (uint64_t i = 0; i < count; ++i) result[i * size + b] = bytes[b * count + i];
  }
  return result;
}

/// HDF5's variant of the checksum, over big-endian words of two bytes.
uint32_t fletcher32(std::string_view bytes) {
  uint32_t first = 0;
  uint32_t second = 0;
  for (size_t i = 0; i < bytes.size(); i += 2) {
    const uint32_t high = static_cast<uint8_t>(bytes[i]);
    const uint32_t low = i + 1 < bytes.size() ? static_cast<uint8_t>(bytes[i + 1]) : 0;
    first = (first + (high << 8 | low)) % 65535;
    second = (second + first) % 65535;
  }
  // Zero equals 65535 in this sum; HDF5 writes the latter.
  const auto folded = [](uint32_t sum) { return sum == 0 ? 65535U : sum; };
  return folded(second) << 16 | folded(first);
}

bool same_fletcher32(uint32_t stored, uint32_t right) {
  const auto folded = [](uint32_t sum) { return (sum & 0xFFFF) == 0 ? sum | 0xFFFF : sum; };
  const auto both = [&](uint32_t sum) { return folded(sum >> 16) << 16 | folded(sum & 0xFFFF); };
  return both(stored) == both(right);
}

/// LZF (Marc Lehmann's liblzf). A control byte below 32 gives the number of literal bytes that
/// follow. A larger one is a back reference: its highest three bits, which a byte may extend, are
/// the length, and the other bits and a byte are the distance.
std::string lzf_decoded(const FileBytes& file, std::string_view bytes, uint64_t max_bytes) {
  const auto damaged = [&]() { file.damaged("a compressed chunk is corrupt"); };
  std::string result;
  result.reserve(max_bytes);
  Cursor cursor(file, bytes);
  while (cursor.left() > 0) {
    const uint32_t control = cursor.u8();
    if (control < 32) {
      result += cursor.take(control + 1);
    } else {
      uint64_t count = control >> 5;
      if (count == 7) count += cursor.u8();
      const uint64_t back = (uint64_t{control & 31} << 8 | cursor.u8()) + 1;
      if (back > result.size() || result.size() + count + 2 > max_bytes) damaged();
      for (uint64_t i = 0; i < count + 2; ++i) result += result[result.size() - back];
    }
    if (result.size() > max_bytes) damaged();
  }
  return result;
}

/// The bytes before the checksum, which is verified.
std::string checked(const FileBytes& file, std::string bytes) {
  if (bytes.size() < 4) file.damaged("a chunk has no checksum");
  const uint64_t data = bytes.size() - 4;
  Cursor stored(file, std::string_view(bytes).substr(data));
  if (!same_fletcher32(stored.u32(), fletcher32(std::string_view(bytes).substr(0, data)))) {
    file.damaged("the checksum of a chunk does not match");
  }
  bytes.resize(data);
  return bytes;
}

}  // namespace

std::vector<Filter> parse_filters(const Objects& file, const Messages& messages) {
  const std::optional<std::string> message = find_message(file, messages, kFilters);
  if (!message) return {};
  Cursor cursor(file.bytes(), *message);
  const uint32_t version = cursor.u8();
  if (version != 1 && version != 2) file.bytes().damaged("a list of filters is corrupt");
  const uint32_t count = cursor.u8();
  if (version == 1) cursor.skip(6);
  std::vector<Filter> filters;
  for (uint32_t i = 0; i < count; ++i) {
    Filter filter;
    filter.id = cursor.u16();
    const uint64_t name = version == 1 || filter.id >= 256 ? cursor.u16() : 0;
    cursor.skip(2);
    const uint64_t values = cursor.u16();
    cursor.skip(version == 1 ? (name + 7) / 8 * 8 : name);
    for (uint64_t v = 0; v < values; ++v) {
      const uint32_t value = cursor.u32();
      if (v == 0) filter.first_value = value;
    }
    if (version == 1 && values % 2 == 1) cursor.skip(4);
    if (filter.id != kDeflate && filter.id != kShuffle && filter.id != kFletcher &&
        filter.id != kLzf) {
      file.bytes().unsupported(format("a dataset with filter number {}", filter.id));
    }
    filters.push_back(filter);
  }
  return filters;
}

std::string unfiltered(const FileBytes& file, const std::vector<Filter>& filters, uint32_t skipped,
                       std::string bytes, uint64_t chunk_bytes) {
  // A checksum may have been added before compression.
  const uint64_t most = chunk_bytes + 64;
  for (size_t f = filters.size(); f-- > 0;) {
    if (f < 32 && (skipped >> f & 1) != 0) continue;
    const Filter& filter = filters[f];
    if (filter.id == kShuffle) bytes = unshuffled(bytes, filter.first_value);
    if (filter.id == kDeflate) bytes = inflated(file, bytes, most);
    if (filter.id == kLzf) bytes = lzf_decoded(file, bytes, most);
    if (filter.id == kFletcher) bytes = checked(file, std::move(bytes));
  }
  if (bytes.size() != chunk_bytes) file.damaged("a chunk does not have the expected size");
  return bytes;
}

}  // namespace antler::io::hdf5

#include "antler/core/string_handles.h"

#include <deque>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <unordered_map>

#include "antler/base/error.h"

namespace antler {
namespace {

/// The upper half of every handle, which tells handles from other numbers.
constexpr uint64_t kMark = uint64_t{0x7E875E1F} << 32;
constexpr uint64_t kIndexMask = 0xFFFFFFFF;

/// All strings of the process that have a handle. Elements of a deque never move.
class StringTable {
 public:
  uint64_t handle(const std::string& string) {
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = index_.find(string); found != index_.end()) return found->second;
    }
    const std::unique_lock lock(mutex_);
    if (const auto found = index_.find(string); found != index_.end()) return found->second;
    if (strings_.size() > kIndexMask)
      throw RuntimeError("string_handles: too many different strings.");
    const uint64_t handle = kMark | strings_.size();
    index_.emplace(strings_.emplace_back(string), handle);
    return handle;
  }
  /// Null for a number that is not a handle.
  const std::string* find(uint64_t number) const {
    if ((number & ~kIndexMask) != kMark) return nullptr;
    const std::shared_lock lock(mutex_);
    const uint64_t index = number & kIndexMask;
    return index < strings_.size() ? &strings_[index] : nullptr;
  }

 private:
  mutable std::shared_mutex mutex_;
  std::deque<std::string> strings_;
  std::unordered_map<std::string_view, uint64_t> index_;
};

StringTable& table() {
  static StringTable instance;
  return instance;
}

}  // namespace

StringTensor::operator Tensor() const { return string_handles(*this); }

Tensor Tensor::of_strings(const std::vector<std::string>& strings, const Shape& shape) {
  return string_handles({strings, shape});
}

std::vector<std::string> Tensor::strings() const { return strings_of(*this).values; }

uint64_t string_handle(const std::string& string) { return table().handle(string); }

const std::string& string_of(uint64_t handle) {
  if (const std::string* string = table().find(handle)) return *string;
  throw TypeError("Expected a string of string_handles(). Received: the number {}.", handle);
}

// A tensor holds either strings or numbers, so its first element decides.
bool holds_strings(const Tensor& tensor) {
  return tensor.is_value() && tensor.dtype() == kStringDType && tensor.size() > 0 &&
         table().find(*tensor.data<uint64_t>()) != nullptr;
}

Tensor string_handles(const StringTensor& strings) {
  Tensor handles = Tensor::empty(kStringDType, strings.shape);
  auto* out = handles.mutable_data<uint64_t>();
  for (const std::string& string : strings.values) *out++ = string_handle(string);
  return handles;
}

StringTensor strings_of(const Tensor& handles) {
  if (handles.dtype() != kStringDType) {
    throw TypeError("Expected strings of string_handles(). Received: a tensor of {}.",
                    dtype_name(handles.dtype()));
  }
  StringTensor strings;
  strings.shape = handles.shape();
  for (const uint64_t handle : handles.to_vector<uint64_t>()) {
    strings.values.push_back(string_of(handle));
  }
  return strings;
}

}  // namespace antler

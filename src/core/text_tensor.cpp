#include "antler/core/text_tensor.h"

#include <deque>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <unordered_map>

#include "antler/base/error.h"

namespace antler {
namespace {

/// In the upper half of every handle, so that numbers of other origin are noticed.
constexpr uint64_t kMark = uint64_t{0x7E875E1F} << 32;
constexpr uint64_t kIndexMask = 0xFFFFFFFF;

/// All texts of the process that have a handle; elements of a deque do not move.
class TextTable {
 public:
  uint64_t handle(const std::string& text) {
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = index_.find(text); found != index_.end()) return found->second;
    }
    const std::unique_lock lock(mutex_);
    if (const auto found = index_.find(text); found != index_.end()) return found->second;
    if (texts_.size() > kIndexMask) throw RuntimeError("text_tensor: too many different texts.");
    const uint64_t handle = kMark | texts_.size();
    index_.emplace(texts_.emplace_back(text), handle);
    return handle;
  }
  /// Null for a number that is no handle.
  const std::string* find(uint64_t number) const {
    if ((number & ~kIndexMask) != kMark) return nullptr;
    const std::shared_lock lock(mutex_);
    const uint64_t index = number & kIndexMask;
    return index < texts_.size() ? &texts_[index] : nullptr;
  }

 private:
  mutable std::shared_mutex mutex_;
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, uint64_t> index_;
};

TextTable& table() {
  static TextTable instance;
  return instance;
}

}  // namespace

bool is_text(uint64_t number) { return table().find(number) != nullptr; }

uint64_t text_handle(const std::string& text) { return table().handle(text); }

const std::string& text_of(uint64_t handle) {
  if (const std::string* text = table().find(handle)) return *text;
  throw TypeError("Expected a text, as text_tensor() makes it. Received: the number " +
                  std::to_string(handle) + ".");
}

Tensor text_tensor(const StringTensor& texts) {
  const Tensor handles = Tensor::empty(kTextDType, texts.shape);
  auto* out = handles.mutable_data<uint64_t>();
  for (const std::string& text : texts.values) *out++ = text_handle(text);
  return handles;
}

StringTensor texts_of(const Tensor& handles) {
  if (handles.dtype() != kTextDType) {
    throw TypeError("Expected texts, as text_tensor() makes them. Received: a tensor of " +
                    std::string(dtype_name(handles.dtype())) + ".");
  }
  StringTensor texts;
  texts.shape = handles.shape();
  for (const uint64_t handle : handles.to_vector<uint64_t>()) {
    texts.values.push_back(text_of(handle));
  }
  return texts;
}

}  // namespace antler

#include "pjrt/mirrored_value.h"

#include <algorithm>
#include <exception>
#include <memory>

#include "antler/core/tensor.h"

namespace antler::pjrt {
namespace {

Buffers known_copies(const Variable& variable) {
  const std::shared_ptr<DeviceValue> value = device_value(variable);
  if (auto buffer = std::dynamic_pointer_cast<DeviceBuffer>(value)) return {std::move(buffer)};
  const auto mirrored = std::dynamic_pointer_cast<MirroredValue>(value);
  return mirrored == nullptr ? Buffers() : mirrored->copies();
}

void keep_copies(const Variable& variable, Buffers copies, bool is_newer) {
  if (copies.size() == 1) {
    set_device_value(variable, std::move(copies[0]), is_newer);
  } else {
    set_device_value(variable, std::make_shared<MirroredValue>(std::move(copies)), is_newer);
  }
}

}  // namespace

void MirroredValue::copy_to(void* memory) {
  for (size_t i = 0; i + 1 < copies_.size(); ++i) {
    try {
      copies_[i]->copy_to(memory);
      return;
    } catch (const std::exception&) {
      // another device may still have it
    }
  }
  copies_.back()->copy_to(memory);
}

Buffers value_on_devices(const Variable& variable, Client& client, std::span<const int> devices) {
  const Buffers known = known_copies(variable);
  Buffers copies;
  for (const int device : devices) {
    const auto found = std::find_if(known.begin(), known.end(), [&](const BufferPtr& copy) {
      return &copy->client() == &client && copy->device() == device;
    });
    copies.push_back(found == known.end() ? nullptr : *found);
  }
  if (std::find(copies.begin(), copies.end(), nullptr) == copies.end()) return copies;
  const Tensor value = variable.stored();
  Buffers all = known;  // copies on other devices stay
  for (size_t i = 0; i < copies.size(); ++i) {
    if (copies[i] != nullptr) continue;
    copies[i] = client.upload(value.data(), value.spec(), devices[i]);
    all.push_back(copies[i]);
  }
  keep_copies(variable, std::move(all), false);
  return copies;
}

void set_value_on_devices(const Variable& variable, Buffers copies) {
  keep_copies(variable, std::move(copies), true);
}

}  // namespace antler::pjrt

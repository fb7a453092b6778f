#include "pjrt/step_block.h"

#include <algorithm>
#include <exception>

namespace antler::pjrt {

StepBlock::StepBlock(std::span<const TensorSpec> batch, int64_t size) : size_(size) {
  for (const TensorSpec& spec : batch) {
    Array array;
    array.batch = spec;
    std::vector<int64_t> dims = spec.shape.dims();
    if (size > 1) dims.insert(dims.begin(), size);
    array.stack = {spec.dtype, Shape(std::move(dims))};
    array.batch_bytes = static_cast<size_t>(spec.shape.num_elements()) * dtype_size(spec.dtype);
    array.memory = Buffer::allocate(array.batch_bytes * static_cast<size_t>(size));
    arrays_.push_back(std::move(array));
  }
}

StepBlock::~StepBlock() {
  for (Array& array : arrays_) {
    try {
      array.sent.wait("writing to the device");  // it reads the memory until then
    } catch (const std::exception&) {
      // nobody is left to tell
    }
  }
}

int64_t StepBlock::fill(BatchFeed& feed, int64_t count, std::exception_ptr& failure) {
  for (Array& array : arrays_) array.sent.wait("writing to the device");
  std::vector<void*> batch(arrays_.size());
  int64_t filled = 0;
  for (; filled < std::min(count, size_); ++filled) {
    for (size_t i = 0; i < arrays_.size(); ++i) {
      batch[i] = static_cast<char*>(arrays_[i].memory->data()) +
                 static_cast<size_t>(filled) * arrays_[i].batch_bytes;
    }
    try {
      if (!feed.fill(batch)) break;
    } catch (...) {
      failure = std::current_exception();
      break;
    }
  }
  return filled;
}

Buffers StepBlock::send(Client& client, int device) {
  Buffers buffers;
  for (Array& array : arrays_)
    buffers.push_back(client.upload(array.memory->data(), array.stack, device, &array.sent));
  return buffers;
}

}  // namespace antler::pjrt

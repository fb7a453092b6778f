#include "pjrt/step_block.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "pjrt/specs.h"

namespace antler::pjrt {

StepBlock::StepBlock(std::span<const TensorSpec> batch, int64_t size) : size_(size) {
  for (const TensorSpec& spec : batch) add(spec);
}

StepBlock::StepBlock(int64_t rows, int64_t size) : size_(size), has_row_numbers_(true) {
  add({DType::int32, {rows}});
}

void StepBlock::add(const TensorSpec& spec) {
  Array array;
  array.batch = spec;
  array.stack = stack_of(spec, size_);
  array.batch_bytes = static_cast<size_t>(spec.num_bytes());
  array.memory = Buffer::allocate(array.batch_bytes * static_cast<size_t>(size_));
  arrays_.push_back(std::move(array));
}

StepBlock::~StepBlock() {
  for (Array& array : arrays_) {
    try {
      wait(array);  // the transfers read the memory until then
    } catch (const std::exception&) {
      // a destructor cannot report it
    }
  }
}

bool StepBlock::next(BatchFeed& feed, std::span<void* const> batch) {
  if (!has_row_numbers_) return feed.fill(batch);
  const auto rows = static_cast<size_t>(arrays_[0].batch.shape[0]);
  return feed.fill_row_numbers({static_cast<int32_t*>(batch[0]), rows});
}

int64_t StepBlock::fill(BatchFeed& feed, int64_t count, std::exception_ptr& failure) {
  for (Array& array : arrays_) wait(array);
  std::vector<void*> batch(arrays_.size());
  int64_t filled = 0;
  for (; filled < std::min(count, size_); ++filled) {
    for (size_t i = 0; i < arrays_.size(); ++i) {
      batch[i] = static_cast<char*>(arrays_[i].memory->data()) +
                 static_cast<size_t>(filled) * arrays_[i].batch_bytes;
    }
    try {
      if (!next(feed, batch)) break;
    } catch (...) {
      failure = std::current_exception();
      break;
    }
  }
  return filled;
}

void StepBlock::wait(Array& array) {
  for (Event& event : array.sent) event.wait("writing to the device");
  array.sent.clear();
}

BufferPtr StepBlock::send_part(Array& array, Client& client, int device, bool stacked, size_t part,
                               size_t parts) {
  TensorSpec spec = stacked ? array.stack : array.batch;
  const int rows = stacked ? 1 : 0;
  const size_t bytes = array.batch_bytes / parts;
  spec.shape[rows] /= static_cast<int64_t>(parts);
  std::vector<int64_t> strides;
  if (stacked && parts > 1) {  // the parts of a device are not contiguous
    strides.resize(static_cast<size_t>(spec.shape.rank()));
    auto stride = static_cast<int64_t>(dtype_size(spec.dtype));
    for (int axis = spec.shape.rank() - 1; axis >= rows; --axis) {
      strides[static_cast<size_t>(axis)] = stride;
      stride *= spec.shape[axis];
    }
    strides[0] = static_cast<int64_t>(array.batch_bytes);
  }
  return client.upload(static_cast<const char*>(array.memory->data()) + part * bytes, spec, device,
                       &array.sent.emplace_back(), strides);
}

std::vector<Buffers> StepBlock::send(Client& client, std::span<const int> devices, bool stacked,
                                     std::span<const RowParts> rows) {
  std::vector<Buffers> lists(devices.size());
  for (size_t i = 0; i < arrays_.size(); ++i) {
    Array& array = arrays_[i];
    const TensorSpec& spec = stacked ? array.stack : array.batch;
    const auto& [parts, part_of_device] = rows[i];
    for (size_t d = 0; d < devices.size(); ++d) {
      lists[d].push_back(
          parts > 1
              ? send_part(array, client, devices[d], stacked, part_of_device[d], parts)
              : client.upload(array.memory->data(), spec, devices[d], &array.sent.emplace_back()));
    }
  }
  return lists;
}

}  // namespace antler::pjrt

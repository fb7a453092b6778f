#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "antler/core/feed.h"
#include "pjrt/client.h"
#include "pjrt/placement.h"

namespace antler::pjrt {

/// Host memory for the batches of one block of steps. They are sent to the device from here.
class StepBlock {
 public:
  /// Room for `size` batches of arrays of these specs.
  StepBlock(std::span<const TensorSpec> batch, int64_t size);
  /// Room for the row numbers of `size` batches of `rows` rows.
  StepBlock(int64_t rows, int64_t size);

  ~StepBlock();
  StepBlock(const StepBlock&) = delete;
  StepBlock& operator=(const StepBlock&) = delete;

  int64_t size() const { return size_; }
  /// Takes up to `count` batches of the feed and returns how many it got. First waits until
  /// everything sent before has reached the device. If the feed throws, stores the exception in
  /// `failure`; the batches before it are complete.
  int64_t fill(BatchFeed& feed, int64_t count, std::exception_ptr& failure);
  bool has_row_numbers() const { return has_row_numbers_; }
  /// Starts to send the batches to all devices, as one array of `size` batches for each array of a
  /// batch. Without `stacked`, for a block of size 1, the arrays are sent as they are. Returns the
  /// arrays by device. `rows`: for each array, the part of the rows of each batch that a device
  /// gets.
  std::vector<Buffers> send(Client& client, std::span<const int> devices, bool stacked,
                            std::span<const RowParts> rows);

 private:
  struct Array {
    TensorSpec batch;
    TensorSpec stack;  ///< of `size` batches
    std::shared_ptr<Buffer> memory;
    size_t batch_bytes = 0;
    std::vector<Event> sent;  ///< to each device
  };
  void add(const TensorSpec& spec);
  /// Returns when the devices have received everything that was sent to them.
  static void wait(Array& array);
  /// Sends part `part` of `parts` of the rows of each batch.
  static BufferPtr send_part(Array& array, Client& client, int device, bool stacked, size_t part,
                             size_t parts);
  bool next(BatchFeed& feed, std::span<void* const> batch);

  int64_t size_;
  bool has_row_numbers_ = false;
  std::vector<Array> arrays_;
};

}  // namespace antler::pjrt

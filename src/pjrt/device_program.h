#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "antler/ir/graph.h"
#include "antler/runtime/device.h"
#include "pjrt/client.h"
#include "pjrt/lowering/lowering.h"
#include "pjrt/pending_values.h"
#include "pjrt/placement.h"
#include "pjrt/report_pace.h"
#include "pjrt/step_block.h"

namespace antler::pjrt {

/// A graph that runs on a device of a plug-in, or on several devices: the replicas of a strategy,
/// or a mesh. Steps run in blocks: one call of the device runs as many steps as the block has
/// batches, and the next block is filled and sent during that run. The values of the variables stay
/// on the device between calls.
class PjrtProgram final : public runtime::DeviceProgram {
 public:
  /// Throws Unsupported if the graph has no lowering.
  PjrtProgram(ir::Graph graph, std::string name, Client& client, Placement placement);

  Tensors run(std::span<const Tensor> arguments) override;
  int64_t run(int64_t n, BatchFeed& feed, Tensors& outputs, const Program::StepOutputs& each_step,
              int64_t period) override;
  const ProgramMemory& memory_plan() const override;
  std::string plan_text() const override { return step_text_; }
  int64_t kernel_count() const override { return 1; }

 private:
  /// The form of a single step.
  static constexpr BlockForm kStep = {.steps = 0};
  const Executable& executable(const BlockForm& form) const;
  std::unique_ptr<Executable> compile(const BlockForm& form) const;
  /// Throws ResourceExhaustedError with a list of what takes the memory if the device has too
  /// little.
  void require_memory(const BlockForm& form, const Executable& compiled) const;
  /// Bytes of the states on one device.
  int64_t state_bytes() const;
  /// Chooses the form of a block for `n` steps on batches of `feed`.
  BlockForm choose_form(int64_t n, const std::vector<Tensor>& arrays, bool stacks_outputs) const;
  /// The arrays of the feed if the device has room for them.
  std::vector<Tensor> resident_arrays(const BatchFeed& feed) const;
  /// Starts one call of the devices. The arguments are `before`, the states, and `after`; both
  /// lists are by device. Gives the states their new values and returns the outputs, which are the
  /// same on all devices.
  Buffers start(const BlockForm& form, const std::vector<Buffers>& before,
                const std::vector<Buffers>& after, std::vector<Event>& done);
  /// A number of steps as a buffer on each device.
  const std::vector<Buffers>& count_buffers(int64_t count);
  /// The memory of the smallest device in bytes; 0 if the plug-in does not report it.
  int64_t device_memory() const;
  /// After a failed run: a variable whose memory on the device is lost falls back to its last value
  /// on the host.
  void recover_states() const noexcept;
  void wait(std::vector<Event>& ends) const;
  std::unique_ptr<StepBlock> take_block(const BlockForm& form);
  void give_back(std::unique_ptr<StepBlock> block);
  /// The outputs that a block of `count` steps sends to the host: those of its last step, or of
  /// all.
  struct Results {
    PendingValues values;
    int64_t count;
    bool are_stacks;
  };
  Results results_of(const BlockForm& form, const Buffers& outputs, int64_t count) const;
  /// Calls each_step for each step in `results`; returns the outputs of the last one.
  Tensors report(Results results, const Program::StepOutputs& each_step) const;
  PendingValues start_fetch(const Buffers& buffers, std::span<const TensorSpec> specs) const;
  /// Waits for the values and returns them.
  Tensors take(PendingValues values) const;
  Tensors fetch(const Buffers& buffers, std::span<const TensorSpec> specs) const;

  ir::Graph graph_;
  std::string name_;
  Client& client_;
  Placement placement_;
  std::string step_text_;
  std::vector<TensorSpec> inputs_;  ///< of whole batches
  std::vector<TensorSpec> outputs_;
  int64_t batch_bytes_ = 0;      ///< of a whole batch
  int64_t part_bytes_ = 0;       ///< of the part of it that one device takes
  int64_t room_for_arrays_ = 0;  ///< bytes
  mutable ReportPace pace_;
  mutable std::mutex mutex_;  ///< guards the members below
  mutable std::map<BlockForm, std::unique_ptr<Executable>> executables_;
  std::map<int64_t, std::vector<Buffers>> counts_;
  std::vector<std::unique_ptr<StepBlock>> idle_blocks_;
  mutable std::optional<ProgramMemory> memory_;
};

}  // namespace antler::pjrt

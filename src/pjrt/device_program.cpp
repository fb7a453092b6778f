#include "pjrt/device_program.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

#include "antler/base/error.h"
#include "antler/core/device_value.h"
#include "antler/runtime/config.h"
#include "pjrt/lowering/families.h"
#include "pjrt/lowering/lowering.h"
#include "pjrt/specs.h"

namespace antler::pjrt {
namespace {

/// A block holds at most this much of the data, unless one batch is larger.
constexpr int64_t kMaxBlockBytes = int64_t{64} << 20;
/// Memory for arrays on a device that does not report its memory. Otherwise they may take a quarter
/// of it.
constexpr int64_t kDefaultRoomForArrays = int64_t{1} << 30;
/// More steps per call gain nothing: the overhead of a call is already negligible.
constexpr int64_t kMaxBlock = 1024;
constexpr const char* kHowToSaveMemory =
    "Use a smaller batch_size, fewer steps_per_execution, or mixed_bfloat16.";

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<TensorSpec> specs_of(const ir::Graph& graph, const std::vector<ir::ValueId>& values) {
  std::vector<TensorSpec> specs;
  specs.reserve(values.size());
  for (const ir::ValueId v : values) specs.push_back(graph.spec(v));
  return specs;
}

int64_t total_bytes(const std::vector<TensorSpec>& specs) {
  int64_t bytes = 0;
  for (const TensorSpec& spec : specs) bytes += spec.num_bytes();
  return bytes;
}

std::vector<TensorSpec> stacks_of(const std::vector<TensorSpec>& specs, int64_t count) {
  std::vector<TensorSpec> stacks;
  stacks.reserve(specs.size());
  for (const TensorSpec& spec : specs) stacks.push_back(stack_of(spec, count));
  return stacks;
}

}  // namespace

PjrtProgram::PjrtProgram(ir::Graph graph, std::string name, Client& client, Placement placement)
    : graph_(std::move(graph)),
      name_(std::move(name)),
      client_(client),
      placement_(std::move(placement)),
      step_text_(lower_step(graph_, name_, placement_.mesh())),
      outputs_(specs_of(graph_, graph_.outputs)) {
  for (size_t i = 0; i < graph_.inputs.size(); ++i) {
    inputs_.push_back(placement_.whole_input(graph_, i));
    part_bytes_ += placement_.part_of_input(graph_, i).num_bytes();
  }
  batch_bytes_ = total_bytes(inputs_);
  const int64_t memory = device_memory();
  room_for_arrays_ = memory > 0 ? memory / 4 : kDefaultRoomForArrays;
  if (config::dump_sink()) config::dump_sink()(name_, "stablehlo", step_text_);
}

const Executable& PjrtProgram::executable(const BlockForm& form) const {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Executable>& entry = executables_[form];
  if (entry == nullptr) {
    const double start = now();
    auto compiled = compile(form);
    pace_.add_compilation(now() - start);
    require_memory(form, *compiled);
    entry = std::move(compiled);
  }
  return *entry;
}

std::unique_ptr<Executable> PjrtProgram::compile(const BlockForm& form) const {
  try {
    return client_.compile(
        form == kStep ? step_text_ : lower_block(graph_, name_, form, placement_.mesh()), name_,
        placement_.devices(), placement_.sharing());
  } catch (const Error& error) {
    // XLA tries variants of kernels on the device. If they do not fit, it reports a different type
    // of error.
    if (std::string_view(error.what()).find("ut of memory") == std::string_view::npos) throw;
    throw ResourceExhaustedError("{}\n{}", error.what(), kHowToSaveMemory);
  }
}

void PjrtProgram::require_memory(const BlockForm& form, const Executable& compiled) const {
  const int64_t available = device_memory();
  if (available == 0) return;  // the plug-in does not report it
  const int64_t steps = std::max<int64_t>(form.steps, 1);
  const int64_t batches = form.array_rows < 0 ? 2 * steps * part_bytes_ : 0;
  const int64_t arrays =
      form.array_rows < 0
          ? 0
          : batch_bytes_ / std::max<int64_t>(inputs_[0].shape[0], 1) * form.array_rows;
  const int64_t temporary = compiled.temporary_bytes();
  const int64_t total = batches + arrays + state_bytes() + temporary;
  if (total <= available) return;
  throw ResourceExhaustedError(
      "`{}` needs {} MiB of the {} MiB of device {}: variables {}, batches {}, arrays {}, "
      "intermediate values {}. {}",
      name_, total >> 20, available >> 20, placement_.devices()[0], state_bytes() >> 20,
      batches >> 20, arrays >> 20, temporary >> 20, kHowToSaveMemory);
}

int64_t PjrtProgram::device_memory() const {
  int64_t memory = client_.info(placement_.devices()[0]).memory;
  for (const int device : placement_.devices())
    memory = std::min(memory, client_.info(device).memory);
  return memory;
}

int64_t PjrtProgram::state_bytes() const {
  int64_t bytes = 0;
  for (size_t i = 0; i < graph_.states.size(); ++i)
    bytes += placement_.part_of_state(graph_, i).num_bytes();
  return bytes;
}

std::vector<Tensor> PjrtProgram::resident_arrays(const BatchFeed& feed) const {
  std::vector<Tensor> arrays = feed.row_arrays();
  int64_t bytes = 0;
  for (const Tensor& array : arrays) bytes += array.spec().num_bytes();
  if (arrays.size() != inputs_.size() || bytes > room_for_arrays_) return {};
  for (size_t i = 0; i < arrays.size(); ++i) {  // the batch must consist of their unchanged rows
    std::vector<int64_t> dims = arrays[i].shape().dims();
    if (dims.empty() || inputs_[i].shape.rank() == 0) return {};
    dims[0] = inputs_[0].shape[0];
    if (inputs_[i] != TensorSpec{arrays[i].dtype(), Shape(std::move(dims))}) return {};
  }
  return arrays;
}

BlockForm PjrtProgram::choose_form(int64_t n, const std::vector<Tensor>& arrays,
                                   bool stacks_outputs) const {
  BlockForm form{.stacks_outputs = stacks_outputs};
  if (!arrays.empty()) {
    form.array_rows = arrays[0].dim(0);
  } else if (n <= 1) {
    return kStep;
  }
  const int64_t step_bytes =
      (arrays.empty() ? batch_bytes_ : 0) + (stacks_outputs ? total_bytes(outputs_) : 0);
  const int64_t fitting =
      std::clamp<int64_t>(kMaxBlockBytes / std::max<int64_t>(step_bytes, 1), 1, kMaxBlock);
  form.steps = std::clamp<int64_t>(n, 1, fitting);
  form.runs_all = true;
  const std::lock_guard lock(mutex_);
  const auto is_alike = [&](const BlockForm& other) {
    return other.stacks_outputs == form.stacks_outputs && other.array_rows == form.array_rows;
  };
  // The first few numbers of steps get a program each. If more follow, for example while the number
  // is tuned, they share programs for up to the next power of two.
  constexpr int kOwnPrograms = 4;
  int own_programs = 0;
  for (const auto& [other, executable] : executables_) {
    if (other == form) return form;
    if (other.runs_all && is_alike(other)) ++own_programs;
  }
  if (own_programs < kOwnPrograms) return form;
  form.runs_all = false;
  for (const auto& [other, executable] : executables_) {
    if (!other.runs_all && is_alike(other) && other.steps >= form.steps &&
        other.steps <= 2 * form.steps)
      return other;
  }
  form.steps =
      std::min(static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(form.steps))), fitting);
  return form;
}

const std::vector<Buffers>& PjrtProgram::count_buffers(int64_t count) {
  const std::lock_guard lock(mutex_);
  std::vector<Buffers>& buffers = counts_[count];
  const auto number = static_cast<int32_t>(count);
  for (size_t d = buffers.size(); d < placement_.size(); ++d)
    buffers.push_back({client_.upload(&number, {DType::int32, {}}, placement_.devices()[d])});
  return buffers;
}

void PjrtProgram::recover_states() const noexcept {
  for (size_t i = 0; i < graph_.states.size(); ++i) {
    if (graph_.states[i].output < 0) continue;
    for (const Variable& part : placement_.parts_of_state(graph_, i)) {
      try {
        (void)part.stored();
      } catch (const std::exception&) {
        set_device_value(part, nullptr, false);  // keeps the last value on the host
      }
    }
  }
}

Buffers PjrtProgram::start(const BlockForm& form, const std::vector<Buffers>& before,
                           const std::vector<Buffers>& after, std::vector<Event>& done) {
  const Executable& program = executable(form);
  std::vector<Buffers> arguments = before;
  for (size_t i = 0; i < graph_.states.size(); ++i) {
    const Buffers values = placement_.state_on_devices(graph_, i, client_);
    for (size_t d = 0; d < values.size(); ++d) arguments[d].push_back(values[d]);
  }
  for (size_t d = 0; d < after.size(); ++d)
    arguments[d].insert(arguments[d].end(), after[d].begin(), after[d].end());
  std::vector<TensorSpec> results;
  for (size_t i = 0; i < graph_.states.size(); ++i) {
    if (graph_.states[i].output >= 0) results.push_back(placement_.part_of_state(graph_, i));
  }
  const size_t written = results.size();
  const auto outputs = form.stacks_outputs ? stacks_of(outputs_, form.steps) : outputs_;
  results.insert(results.end(), outputs.begin(), outputs.end());
  std::vector<Buffers> values;
  try {
    values = program.run(arguments, results, &done);
  } catch (const ResourceExhaustedError& error) {
    recover_states();
    throw ResourceExhaustedError("{}\n{}", error.what(), kHowToSaveMemory);
  } catch (...) {
    recover_states();
    throw;
  }
  size_t next = 0;
  for (size_t i = 0; i < graph_.states.size(); ++i) {
    if (graph_.states[i].output < 0) continue;
    Buffers on_devices;
    for (const Buffers& list : values) on_devices.push_back(list[next]);
    ++next;
    placement_.set_state(graph_, i, on_devices);
  }
  return {values[0].begin() + static_cast<std::ptrdiff_t>(written), values[0].end()};
}

Tensors PjrtProgram::take(PendingValues values) const {
  try {
    return values.take();
  } catch (...) {
    recover_states();
    throw;
  }
}

PendingValues PjrtProgram::start_fetch(const Buffers& buffers,
                                       std::span<const TensorSpec> specs) const {
  try {
    return {buffers, specs};
  } catch (...) {
    recover_states();
    throw;
  }
}

Tensors PjrtProgram::fetch(const Buffers& buffers, std::span<const TensorSpec> specs) const {
  return take(start_fetch(buffers, specs));
}

Tensors PjrtProgram::run(std::span<const Tensor> arguments) {
  runtime::check_arguments(inputs_, arguments);
  std::vector<Buffers> inputs(placement_.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const RowParts rows = placement_.rows_of_input(i);
    const TensorSpec part = placement_.part_of_input(graph_, i);
    for (size_t d = 0; d < placement_.size(); ++d) {
      const size_t offset = rows.of_device[d] * (arguments[i].bytes() / rows.count);
      inputs[d].push_back(client_.upload(static_cast<const char*>(arguments[i].data()) + offset,
                                         part, placement_.devices()[d]));
    }
  }
  std::vector<Event> done;
  const Buffers outputs = start(kStep, std::vector<Buffers>(placement_.size()), inputs, done);
  Tensors results = fetch(outputs, outputs_);
  wait(done);
  return results;
}

std::unique_ptr<StepBlock> PjrtProgram::take_block(const BlockForm& form) {
  const int64_t size = std::max<int64_t>(form.steps, 1);
  const bool has_rows = form.array_rows >= 0;
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(idle_blocks_.begin(), idle_blocks_.end(), [&](const auto& block) {
    return block->size() == size && block->has_row_numbers() == has_rows;
  });
  if (found == idle_blocks_.end()) {
    return has_rows ? std::make_unique<StepBlock>(inputs_[0].shape[0], size)
                    : std::make_unique<StepBlock>(inputs_, size);
  }
  std::unique_ptr<StepBlock> block = std::move(*found);
  idle_blocks_.erase(found);
  return block;
}

void PjrtProgram::give_back(std::unique_ptr<StepBlock> block) {
  const std::lock_guard lock(mutex_);
  idle_blocks_.push_back(std::move(block));
}

void PjrtProgram::wait(std::vector<Event>& ends) const {
  try {
    for (Event& end : ends) end.wait("running a program");
  } catch (...) {
    recover_states();
    throw;
  }
}

PjrtProgram::Results PjrtProgram::results_of(const BlockForm& form, const Buffers& outputs,
                                             int64_t count) const {
  return {start_fetch(outputs, form.stacks_outputs ? stacks_of(outputs_, form.steps) : outputs_),
          count, form.stacks_outputs};
}

Tensors PjrtProgram::report(Results results, const Program::StepOutputs& each_step) const {
  Tensors stacks = take(std::move(results.values));
  if (!results.are_stacks) {
    each_step(stacks);
    return stacks;
  }
  Tensors values;
  for (int64_t step = 0; step < results.count; ++step) {
    values.clear();
    for (size_t i = 0; i < stacks.size(); ++i) {
      Tensor value = Tensor::empty(outputs_[i].dtype, outputs_[i].shape);
      const size_t bytes = value.bytes();
      if (bytes > 0) {
        std::memcpy(value.mutable_data(),
                    static_cast<const char*>(stacks[i].data()) + static_cast<size_t>(step) * bytes,
                    bytes);
      }
      values.push_back(std::move(value));
    }
    each_step(values);
  }
  return values;
}

int64_t PjrtProgram::run(int64_t n, BatchFeed& feed, Tensors& outputs,
                         const Program::StepOutputs& each_step, int64_t period) {
  if (!each_step) period = 0;
  const bool reports_steps = each_step && period == 0;
  const std::vector<Tensor> arrays = resident_arrays(feed);
  const bool groups = period == 1 && pace_.is_in_groups();
  const int64_t per_report = groups ? ReportPace::kGroup : period;
  const BlockForm form = choose_form(per_report > 0 ? std::min(n, per_report) : n, arrays,
                                     (reports_steps || groups) && n > 1);
  std::vector<Buffers> residents(placement_.size());
  for (size_t d = 0; d < placement_.size(); ++d) {
    for (const Tensor& array : arrays)
      residents[d].push_back(client_.resident(array, placement_.devices()[d]));
  }
  std::vector<RowParts> rows;
  if (!arrays.empty()) rows.push_back(placement_.rows_of_row_numbers());
  for (size_t i = 0; arrays.empty() && i < inputs_.size(); ++i)
    rows.push_back(placement_.rows_of_input(i));
  // Two blocks: one is filled while the device works on the other.
  std::unique_ptr<StepBlock> blocks[2] = {take_block(form), take_block(form)};
  std::vector<Event> ends[2];
  int64_t done = 0;
  Buffers last;
  // Results at the end of a period. They are reported once the next block has been started.
  std::optional<Results> pending;
  const auto report_pending = [&](std::optional<Results> next) {
    std::optional<Results> results = std::exchange(pending, std::move(next));
    if (results) outputs = report(std::move(*results), each_step);
  };
  const double begin = now();
  const double compilations = pace_.compilations();
  std::exception_ptr failure;  // of the feed; the steps before it are done
  int turn = 0;
  while (done < n && failure == nullptr) {
    wait(ends[turn]);
    const int64_t limit = per_report > 0 ? std::min(n, (done / per_report + 1) * per_report) : n;
    const int64_t wanted = std::min(limit - done, blocks[turn]->size());
    const int64_t count = blocks[turn]->fill(feed, wanted, failure);
    if (count == 0) break;
    std::vector<Buffers> data =
        blocks[turn]->send(client_, placement_.devices(), form != kStep, rows);
    for (size_t d = 0; d < data.size(); ++d)
      data[d].insert(data[d].end(), residents[d].begin(), residents[d].end());
    BlockForm used = form;
    if (count < form.steps) used.runs_all = false;
    const bool needs_count = form != kStep && !used.runs_all;
    last = start(used, needs_count ? count_buffers(count) : std::vector<Buffers>(placement_.size()),
                 data, ends[turn]);
    done += count;
    if (reports_steps) outputs = report(results_of(form, last, count), each_step);
    if (period > 0) {
      std::optional<Results> results;
      if (done % period == 0) results = results_of(form, last, count);
      report_pending(std::move(results));
    }
    if (count < wanted) break;
    turn ^= 1;
  }
  report_pending(std::nullopt);
  // Request the copies before waiting for anything: then they follow the run without a pause.
  const bool has_outputs = reports_steps || (period > 0 && done % period == 0);
  if (done > 0 && !has_outputs) outputs = fetch(last, outputs_);
  for (std::vector<Event>& end : ends) wait(end);
  for (auto& used : blocks) give_back(std::move(used));
  if (period == 1 && !groups)
    pace_.add_single_steps(done, now() - begin - (pace_.compilations() - compilations));
  if (failure != nullptr) std::rethrow_exception(failure);
  return done;
}

const ProgramMemory& PjrtProgram::memory_plan() const {
  const Executable& step = executable(kStep);
  const std::lock_guard lock(mutex_);
  if (!memory_) {
    ProgramMemory memory;
    memory.arguments = batch_bytes_;
    memory.states = state_bytes();
    memory.results = total_bytes(outputs_);
    memory.arena = step.temporary_bytes();
    memory_ = memory;
  }
  return *memory_;
}

}  // namespace antler::pjrt

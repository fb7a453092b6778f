#include "antler/cluster/mpi_communicator.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>

#include "antler/base/error.h"
#include "cluster/half_reduction.h"
#include "cluster/mpi_plugin.h"
#include "cluster/reduction.h"
#include "ops/started_reductions.h"

namespace antler::cluster {
namespace {

constexpr const char* kLibrary = "libantler_mpi.so";

/// The path of the plug-in; only its name if the system must search for it.
std::string plugin_path() {
  if (const char* const path = std::getenv("ANTLER_MPI_PLUGIN")) return path;
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const auto& folder : {program, program.parent_path() / "lib"}) {
    if (std::filesystem::exists(folder / kLibrary, error)) return folder / kLibrary;
  }
  return kLibrary;
}

/// MPI's own plug-ins search for its symbols in the global scope of the program.
void* load() { return dlopen(plugin_path().c_str(), RTLD_NOW | RTLD_GLOBAL); }

const MpiPlugin& plugin() {
  void* const library = load();
  if (library == nullptr) {
    throw NotFoundError(
        "Communication through MPI needs the plug-in {} (Antler built with ANTLER_BUILD_MPI): {}",
        kLibrary, dlerror());
  }
  void* const function = dlsym(library, kMpiPluginSymbol);
  if (function == nullptr)
    throw NotFoundError("{} is of another version of Antler: {}", plugin_path(), dlerror());
  return *reinterpret_cast<const MpiPlugin* (*)()>(function)();
}

MpiOp op_of(ops::ReduceOp op) {
  return op == ops::ReduceOp::max ? MpiOp::max : op == ops::ReduceOp::min ? MpiOp::min : MpiOp::sum;
}

MpiType type_of(DType dtype) {
  switch (dtype) {
    case DType::int8:
      return MpiType::i8;
    case DType::int16:
      return MpiType::i16;
    case DType::int32:
      return MpiType::i32;
    case DType::int64:
      return MpiType::i64;
    case DType::uint8:
      return MpiType::u8;
    case DType::uint16:
      return MpiType::u16;
    case DType::uint32:
      return MpiType::u32;
    case DType::uint64:
      return MpiType::u64;
    case DType::float32:
      return MpiType::f32;
    case DType::float64:
      return MpiType::f64;
    default:
      throw NotImplementedError("MPI cannot combine values of type {}.", dtype_name(dtype));
  }
}

class MpiCommunicator final : public ops::Communicator {
 public:
  explicit MpiCommunicator(const MpiOptions& options)
      : options_(options),
        mpi_(plugin()),
        any_thread_(connect()),
        started_(any_thread_ ? ops::StartedReductions::When::in_background
                             : ops::StartedReductions::When::at_once,
                 [this](void* data, size_t count, DType dtype, ops::ReduceOp op) {
                   reduce(data, count, dtype, op);
                 }) {}

  int64_t rank() const override { return options_.rank; }
  int64_t size() const override { return options_.size; }

  void all_reduce(void* data, size_t count, DType dtype, ops::ReduceOp op) override {
    started_.wait();
    reduce(data, count, dtype, op);
  }

  uint64_t start_all_reduce(std::span<const Array> arrays, DType dtype, ops::ReduceOp op) override {
    reduction(dtype, op);
    return started_.start(arrays, dtype, op);
  }
  void finish_all_reduce(uint64_t number, std::span<const Array> arrays) override {
    started_.finish(number, arrays);
  }

  void all_gather(std::span<const std::byte> block, std::span<std::byte> result) override {
    started_.wait();
    if (result.size() != block.size() * static_cast<size_t>(size())) {
      throw ValueError("all_gather needs {} bytes for the blocks of {} processes. Received: {}",
                       block.size() * static_cast<size_t>(size()), size(), result.size());
    }
    if (block.empty()) return;
    call("all_gather", [&] {
      check(mpi_.all_gather(block.data(), block.size(), result.data(), options_.timeout));
    });
  }

  void broadcast(std::span<std::byte> data, int64_t root) override {
    started_.wait();
    if (root < 0 || root >= size())
      throw ValueError("`root` must be one of {} processes. Received: root={}", size(), root);
    if (data.empty()) return;
    call("broadcast",
         [&] { check(mpi_.broadcast(data.data(), data.size(), root, options_.timeout)); });
  }

  void barrier() override {
    started_.wait();
    call("barrier", [&] { check(mpi_.barrier(options_.timeout)); });
  }

 private:
  bool connect() {
    bool any_thread = false;
    if (const char* const error = mpi_.connect(options_.rank, options_.size, &any_thread))
      throw RuntimeError("MPI could not connect process {} of {}: {}", options_.rank, options_.size,
                         error);
    return any_thread;
  }

  void reduce(void* data, size_t count, DType dtype, ops::ReduceOp op) {
    reduction(dtype, op);
    if (count == 0 || size() == 1) return;
    call("all_reduce", [&] {
      if (HalfReduction::takes(dtype)) return reduce_halves(data, count, dtype, op);
      check(mpi_.all_reduce(data, count, type_of(dtype), op_of(op), options_.timeout));
      if (op == ops::ReduceOp::mean) finish_mean(data, count, dtype, size());
    });
  }

  /// MPI has no half-precision types.
  void reduce_halves(void* data, size_t count, DType dtype, ops::ReduceOp op) {
    halves_.reduce(
        data, count, dtype, op, static_cast<size_t>(size()),
        [&](uint16_t* blocks, size_t share, uint16_t* result) {
          check(mpi_.all_to_all(blocks, share * sizeof(uint16_t), result, options_.timeout));
        },
        [&](uint16_t* block, size_t share, uint16_t* result) {
          check(mpi_.all_gather(block, share * sizeof(uint16_t), result, options_.timeout));
        });
  }

  static void check(const char* error) {
    if (error != nullptr) throw std::runtime_error(error);
  }

  template <class Collective>
  void call(const char* name, const Collective& collective) {
    const std::lock_guard lock(mutex_);
    if (!failure_.empty()) throw UnavailableError("{}", failure_);
    try {
      collective();
    } catch (const std::runtime_error& error) {
      failure_ = format("{} of worker {} failed: {}", name, rank(), error.what());
      if (std::string_view(error.what()) != kMpiTimedOut) throw UnavailableError("{}", failure_);
      throw DeadlineExceededError("{} of worker {}: not all processes took part within {} seconds.",
                                  name, rank(), options_.timeout);
    }
  }

  const MpiOptions options_;
  const MpiPlugin& mpi_;
  const bool any_thread_;
  std::mutex mutex_;     // held during a collective
  std::string failure_;  // guarded by mutex_, as is halves_
  HalfReduction halves_;
  ops::StartedReductions started_;  // last: its thread uses all of the above
};

}  // namespace

bool is_started_by_mpi() {
  return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMIX_RANK") != nullptr;
}

bool has_mpi_plugin() {
  void* const library = load();
  return library != nullptr;
}

std::shared_ptr<ops::Communicator> connect_mpi(const MpiOptions& options) {
  if (!is_started_by_mpi()) {
    throw RuntimeError(
        "Communication through MPI needs a program started by mpirun or srun --mpi=pmix.");
  }
  return std::make_shared<MpiCommunicator>(options);
}

}  // namespace antler::cluster

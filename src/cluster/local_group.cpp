#include "cluster/local_group.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <span>
#include <stdexcept>
#include <string>

#include "antler/base/format.h"
#include "base/clock.h"
#include "cluster/reduction.h"

namespace antler::cluster {
namespace {

/// Messages are processed in chunks of this size, so that areas stay in a core's cache.
constexpr size_t kChunkBytes = size_t{256} << 10;
/// Up to this size each process combines the whole chunk, which needs one barrier instead of two.
constexpr size_t kSmallChunkBytes = size_t{32} << 10;
constexpr size_t kLineBytes = 64;
/// Seconds for which a waiting process spins before it sleeps. Waking up takes longer than most
/// waits.
constexpr double kPatience = 2e-4;
/// Seconds between two checks of the group while asleep.
constexpr double kNap = 0.02;

using Word = std::atomic<uint32_t>;
static_assert(sizeof(Word) == sizeof(uint32_t) && Word::is_always_lock_free);

/// Sleeps for at most kNap, until another process wakes the waiters of `word`. Returns at once if
/// `word` is no longer `value`.
void sleep_on(Word& word, uint32_t value) {
  const timespec nap{.tv_sec = 0, .tv_nsec = static_cast<long>(kNap * 1e9)};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &nap, nullptr, 0);
}

void wake(Word& word) { syscall(SYS_futex, &word, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0); }

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Whether the process of a descriptor has ended.
bool has_ended(int descriptor) {
  pollfd ended{.fd = descriptor, .events = POLLIN, .revents = 0};
  return poll(&ended, 1, 0) > 0;
}

bool agree(ops::Communicator& group, bool answer) {
  int32_t all = answer ? 1 : 0;
  group.all_reduce(&all, 1, DType::int32, ops::ReduceOp::min);
  return all == 1;
}

/// Identifies the shared memory of process 0.
struct Place {
  pid_t pid = 0;
  int descriptor = -1;
  std::array<uint32_t, 4> token = {};
};

std::array<uint32_t, 4> random_token() {
  std::random_device random;
  return {random(), random(), random(), random()};
}

/// A range of bytes in a chunk.
struct Range {
  size_t begin;
  size_t end;
};

/// Calls `visit(input, output, offset, bytes)` for the parts of arrays that are in `range` of the
/// chunk that starts at byte `chunk` of the message. Offsets are relative to the chunk.
template <class Visit>
void for_pieces(std::span<const ops::Communicator::Array> arrays, size_t width, size_t chunk,
                const Range& range, const Visit& visit) {
  size_t array_begin = 0;
  for (const auto& [input, output, count] : arrays) {
    const size_t array_end = array_begin + count * width;
    const size_t begin = std::max(array_begin, chunk + range.begin);
    const size_t end = std::min(array_end, chunk + range.end);
    if (begin < end) {
      visit(static_cast<const std::byte*>(input) + (begin - array_begin),
            static_cast<std::byte*>(output) + (begin - array_begin), begin - chunk, end - begin);
    }
    array_begin = array_end;
  }
}

}  // namespace

/// The part of an array that is in a chunk, at `offset`.
struct LocalGroup::Piece {
  const std::byte* input;
  std::byte* output;
  size_t offset;
  size_t bytes;
};

struct alignas(kLineBytes) LocalGroup::Process {
  Word part;  ///< the last part that it has completed
  Word sleepers;
  std::array<std::atomic<uint64_t>, 2> calls;  ///< chunks alternate, as the areas do
  pid_t pid;
};

struct alignas(kLineBytes) LocalGroup::Memory {
  std::array<uint32_t, 4> token;
  Word abandoned;  ///< 1 + the rank of the first process that has abandoned the group, or 0

  // The memory holds this header, one entry per process, then two areas per process.
  static size_t bytes(int64_t size) {
    return sizeof(Memory) + static_cast<size_t>(size) * (sizeof(Process) + 2 * kChunkBytes);
  }
  Process& process(int64_t rank) { return reinterpret_cast<Process*>(this + 1)[rank]; }
  /// The area of a process for a chunk.
  std::byte* area(int64_t rank, int64_t size, size_t chunk) {
    const size_t index = static_cast<size_t>(rank) * 2 + chunk % 2;
    return reinterpret_cast<std::byte*>(&process(size)) + index * kChunkBytes;
  }
};

std::unique_ptr<LocalGroup> LocalGroup::make(ops::Communicator& group) {
  std::unique_ptr<LocalGroup> local(new LocalGroup(group.rank(), group.size()));
  if (!local->share(group)) return nullptr;
  return agree(group, local->watch_others()) ? std::move(local) : nullptr;
}

bool LocalGroup::share(ops::Communicator& group) {
  const size_t bytes = Memory::bytes(size_);
  Place place;
  if (rank_ == 0) {
    place = {.pid = getpid(),
             .descriptor = memfd_create("antler", MFD_CLOEXEC),
             .token = random_token()};
    if (place.descriptor >= 0 && ftruncate(place.descriptor, static_cast<off_t>(bytes)) != 0) {
      close(place.descriptor);
      place.descriptor = -1;
    }
  }
  group.broadcast(std::as_writable_bytes(std::span(&place, 1)), 0);
  int descriptor = place.descriptor;
  if (rank_ != 0 && descriptor >= 0)
    descriptor =
        open(format("/proc/{}/fd/{}", place.pid, place.descriptor).c_str(), O_RDWR | O_CLOEXEC);
  struct stat status {};
  if (descriptor >= 0 && fstat(descriptor, &status) == 0 &&
      status.st_size == static_cast<off_t>(bytes)) {
    void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (at != MAP_FAILED) memory_ = static_cast<Memory*>(at);
  }
  if (memory_ != nullptr && rank_ == 0) memory_->token = place.token;
  group.barrier();
  // On another machine the same descriptor number means another file.
  const bool is_shared = memory_ != nullptr && memory_->token == place.token;
  if (is_shared) memory_->process(rank_).pid = getpid();
  const bool all = agree(group, is_shared);
  if (descriptor >= 0) close(descriptor);
  return all;
}

bool LocalGroup::watch_others() {
  for (int64_t rank = 0; rank < size_; ++rank) {
    if (rank == rank_) continue;
    const auto descriptor =
        static_cast<int>(syscall(SYS_pidfd_open, memory_->process(rank).pid, 0));
    if (descriptor < 0) return false;
    others_.push_back(descriptor);
  }
  return true;
}

LocalGroup::~LocalGroup() {
  if (memory_ != nullptr) {
    abandon();
    munmap(memory_, Memory::bytes(size_));
  }
  for (const int descriptor : others_) close(descriptor);
}

void LocalGroup::abandon() {
  uint32_t nobody = 0;
  memory_->abandoned.compare_exchange_strong(nobody, static_cast<uint32_t>(rank_) + 1);
  for (int64_t rank = 0; rank < size_; ++rank) wake(memory_->process(rank).part);
}

std::set<int64_t> LocalGroup::gone() const {
  std::set<int64_t> gone;
  if (const uint32_t abandoned = memory_->abandoned; abandoned != 0) gone.insert(abandoned - 1);
  for (size_t i = 0; i < others_.size(); ++i) {
    const auto place = static_cast<int64_t>(i);
    if (has_ended(others_[i])) gone.insert(place < rank_ ? place : place + 1);
  }
  gone.erase(rank_);
  return gone;
}

const char* LocalGroup::find_loss() const {
  if (memory_->abandoned != 0) return "a process has left the group";
  if (std::any_of(others_.begin(), others_.end(), has_ended)) return "a process has ended";
  return nullptr;
}

void LocalGroup::wait_for(Process& process, uint32_t part, double seconds) {
  Word& word = process.part;
  // The difference is correct even after the counter wraps around.
  const auto is_done = [&] { return static_cast<int32_t>(word.load() - part) >= 0; };
  const double start = steady_seconds();
  while (steady_seconds() - start < kPatience) {
    for (int i = 0; i < 16; ++i) {
      if (is_done()) return;
      pause();
    }
  }
  ++process.sleepers;
  for (;;) {
    // Before the counter: a process may leave as soon as all have completed the part.
    const char* const loss = find_loss();
    const uint32_t seen = word;
    if (is_done()) break;
    if (loss != nullptr) throw std::runtime_error(loss);
    if (steady_seconds() - start > seconds) throw std::runtime_error("Timed out");
    if (static_cast<int32_t>(seen - part) < 0) sleep_on(word, seen);
  }
  --process.sleepers;
}

void LocalGroup::meet(double seconds) {
  Process& own = memory_->process(rank_);
  own.part = ++part_;
  if (own.sleepers > 0) wake(own.part);
  for (int64_t rank = 0; rank < size_; ++rank)
    if (rank != rank_) wait_for(memory_->process(rank), part_, seconds);
}

std::byte* LocalGroup::area(int64_t rank) { return memory_->area(rank, size_, chunk_); }

void LocalGroup::combine(const Piece& piece, DType dtype, ops::ReduceOp op) {
  // The output may be the input, so only the first step reads the input.
  std::vector<const void*> operands;
  for (int64_t rank = 0; rank < size_; ++rank)
    operands.push_back(rank == rank_ && rank < 2 ? piece.input : area(rank) + piece.offset);
  combine_all(piece.output, operands, piece.bytes / dtype_size(dtype), dtype, op);
}

void LocalGroup::all_reduce(std::span<const Array> arrays, DType dtype, ops::ReduceOp op,
                            uint64_t call, double seconds) {
  const size_t width = dtype_size(dtype);
  size_t bytes = 0;
  for (const Array& array : arrays) bytes += array.count * width;
  memory_->process(rank_).calls[chunk_ % 2] = call;
  for (size_t begin = 0; begin < bytes; begin += kChunkBytes) {
    const size_t size = std::min(bytes - begin, kChunkBytes);
    const auto visit = [&](const Range& range, const auto& visitor) {
      for_pieces(arrays, width, begin, range,
                 [&](const std::byte* input, std::byte* output, size_t offset, size_t n) {
                   visitor(Piece{input, output, offset, n});
                 });
    };
    visit({0, size}, [&](const Piece& piece) {
      std::memcpy(area(rank_) + piece.offset, piece.input, piece.bytes);
    });
    meet(seconds);
    if (begin == 0) check_call(call);
    if (size_ == 2 || size <= kSmallChunkBytes) {
      visit({0, size}, [&](const Piece& piece) { combine(piece, dtype, op); });
    } else {
      exchange_segments(size, dtype, op, seconds, visit);
    }
    ++chunk_;
  }
}

template <class Visit>
void LocalGroup::exchange_segments(size_t size, DType dtype, ops::ReduceOp op, double seconds,
                                   const Visit& visit) {
  const auto processes = static_cast<size_t>(size_);
  // Segments start at cache lines.
  const size_t share =
      ((size + processes - 1) / processes + kLineBytes - 1) / kLineBytes * kLineBytes;
  const auto segment = [&](int64_t rank) {
    const size_t begin = static_cast<size_t>(rank) * share;
    return Range{std::min(begin, size), std::min(begin + share, size)};
  };
  // No other process reads this process's segment of its area before it contains the result.
  visit(segment(rank_), [&](const Piece& piece) {
    combine(piece, dtype, op);
    std::memcpy(area(rank_) + piece.offset, piece.output, piece.bytes);
  });
  meet(seconds);
  for (int64_t rank = 0; rank < size_; ++rank) {
    if (rank == rank_) continue;
    visit(segment(rank), [&](const Piece& piece) {
      std::memcpy(piece.output, area(rank) + piece.offset, piece.bytes);
    });
  }
}

void LocalGroup::broadcast(std::span<std::byte> data, int64_t root, uint64_t call, double seconds) {
  memory_->process(rank_).calls[chunk_ % 2] = call;
  for (size_t begin = 0; begin < data.size(); begin += kChunkBytes, ++chunk_) {
    const size_t size = std::min(data.size() - begin, kChunkBytes);
    if (rank_ == root) std::memcpy(area(root), data.data() + begin, size);
    meet(seconds);
    if (begin == 0) check_call(call);
    if (rank_ != root) std::memcpy(data.data() + begin, area(root), size);
  }
}

void LocalGroup::check_call(uint64_t call) {
  for (int64_t rank = 0; rank < size_; ++rank) {
    if (memory_->process(rank).calls[chunk_ % 2] != call)
      throw std::runtime_error("the processes made different calls");
  }
}

}  // namespace antler::cluster

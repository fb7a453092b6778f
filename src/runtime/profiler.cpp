#include "antler/runtime/profiler.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/json.h"
#include "base/clock.h"
#include "base/strings.h"
#include "compiler/kernels.h"
#include "runtime/kernel_cost.h"
#include "runtime/profile_session.h"

namespace antler {
namespace runtime {

std::atomic<bool> g_profiling = false;

namespace {

constexpr size_t kMaxEvents = 200000;

struct Session {
  double start = 0;
  Profile profile;
  /// Index in profile.kernels of each plan's first kernel. Keeps the plans alive, so that a later
  /// plan cannot get the address of an earlier one.
  std::map<std::shared_ptr<const CompiledPlan>, size_t> first_kernels;
  std::map<std::thread::id, int32_t> threads;
};

std::mutex g_session_mutex;
std::unique_ptr<Session> g_session;

/// The layers whose values a kernel writes, at most three: "model/dense, gradients/model/dense_1".
std::string kernel_layers(const compiler::Plan& plan, const compiler::PlanKernel& kernel) {
  constexpr size_t kMost = 3;
  std::vector<std::string> layers;
  for (const ir::ValueId v : compiler::writes_of(plan.graph, kernel)) {
    const ir::Node* const node = plan.graph.definition(v);
    if (node == nullptr || node->origin == nullptr) continue;
    if (std::find(layers.begin(), layers.end(), *node->origin) != layers.end()) continue;
    if (layers.size() == kMost) return join(layers, ", ") + ", ...";
    layers.push_back(*node->origin);
  }
  return join(layers, ", ");
}

size_t first_kernel(Session& session, const std::shared_ptr<const CompiledPlan>& compiled,
                    std::span<const char* const> implementations) {
  const auto [it, is_new] =
      session.first_kernels.try_emplace(compiled, session.profile.kernels.size());
  if (!is_new) return it->second;
  const compiler::Plan& plan = compiled->plan;
  for (size_t i = 0; i < implementations.size(); ++i) {
    KernelProfile kernel;
    kernel.program = compiled->name;
    kernel.implementation = implementations[i];
    kernel.index = static_cast<int64_t>(i);
    if (compiled->step != nullptr) {
      kernel.name = fmt::format("all {} kernels", plan.kernels.size());
      for (const auto& part : plan.kernels) kernel.bytes += kernel_bytes(plan, part);
    } else {
      kernel.name = plan.kernels[i].name;
      kernel.layers = kernel_layers(plan, plan.kernels[i]);
      kernel.bytes = kernel_bytes(plan, plan.kernels[i]);
      kernel.flops = kernel_flops(plan, plan.kernels[i]);
    }
    session.profile.kernels.push_back(std::move(kernel));
  }
  return it->second;
}

}  // namespace

void record_step(const std::shared_ptr<const CompiledPlan>& compiled,
                 std::span<const double> stamps, std::span<const char* const> implementations) {
  const std::lock_guard lock(g_session_mutex);
  if (g_session == nullptr) return;
  Session& session = *g_session;
  const size_t first = first_kernel(session, compiled, implementations);
  const auto thread =
      session.threads
          .try_emplace(std::this_thread::get_id(), static_cast<int32_t>(session.threads.size()))
          .first->second;
  for (size_t i = 0; i + 1 < stamps.size(); ++i) {
    KernelProfile& kernel = session.profile.kernels[first + i];
    const double seconds = stamps[i + 1] - stamps[i];
    ++kernel.runs;
    kernel.seconds += seconds;
    if (session.profile.events.size() < kMaxEvents) {
      session.profile.events.push_back(
          {static_cast<int32_t>(first + i), thread, stamps[i] - session.start, seconds});
    }
  }
}

}  // namespace runtime

Profiler::Profiler() {
  const std::lock_guard lock(runtime::g_session_mutex);
  if (runtime::g_session != nullptr) {
    throw RuntimeError("A Profiler is already running. Only one can run at a time.");
  }
  runtime::g_session = std::make_unique<runtime::Session>();
  runtime::g_session->start = steady_seconds();
  runtime::g_profiling = true;
}

Profiler::~Profiler() {
  if (!running_) return;
  runtime::g_profiling = false;
  const std::lock_guard lock(runtime::g_session_mutex);
  runtime::g_session = nullptr;
}

Profile Profiler::stop() {
  if (!running_) throw RuntimeError("This Profiler has already been stopped.");
  running_ = false;
  runtime::g_profiling = false;
  std::unique_ptr<runtime::Session> session;
  {
    const std::lock_guard lock(runtime::g_session_mutex);
    session = std::move(runtime::g_session);
  }
  Profile profile = std::move(session->profile);
  profile.wall = steady_seconds() - session->start;
  // Sort the kernels by time, and renumber the kernels of the events accordingly.
  std::vector<int32_t> order(profile.kernels.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return profile.kernels[static_cast<size_t>(a)].seconds >
           profile.kernels[static_cast<size_t>(b)].seconds;
  });
  std::vector<int32_t> rank(order.size());
  std::vector<KernelProfile> sorted;
  for (size_t i = 0; i < order.size(); ++i) {
    rank[static_cast<size_t>(order[i])] = static_cast<int32_t>(i);
    sorted.push_back(std::move(profile.kernels[static_cast<size_t>(order[i])]));
  }
  profile.kernels = std::move(sorted);
  for (Profile::Event& event : profile.events) {
    event.kernel = rank[static_cast<size_t>(event.kernel)];
  }
  return profile;
}

double Profile::kernel_seconds() const {
  return std::accumulate(kernels.begin(), kernels.end(), 0.0,
                         [](double sum, const KernelProfile& k) { return sum + k.seconds; });
}

std::string Profile::table(const MachineLimits& limits, int lines) const {
  std::string text =
      fmt::format("{:>10} {:>6} {:>8} {:>8} {:>7} {:>6}  {:<14} {}\n", "us/run", "share", "runs",
                  "GFLOP/s", "GB/s", "limit", "program", "kernel [implementation]  layers");
  const double total = std::max(wall, 1e-12);
  for (size_t i = 0; i < kernels.size() && i < static_cast<size_t>(std::max(lines, 0)); ++i) {
    const KernelProfile& k = kernels[i];
    const double seconds =
        std::max(k.seconds / static_cast<double>(std::max<int64_t>(k.runs, 1)), 1e-12);
    const double flops = static_cast<double>(k.flops) / seconds;
    const double bytes = static_cast<double>(k.bytes) / seconds;
    const double fraction = std::max(limits.flops > 0 ? flops / limits.flops : 0,
                                     limits.bytes > 0 ? bytes / limits.bytes : 0);
    text += fmt::format("{:>10.2f} {:>5.1f}% {:>8} {:>8} {:>7.1f} {:>5.0f}%  {:<14} {} [{}]{}\n",
                        seconds * 1e6, 100 * k.seconds / total, k.runs,
                        k.flops > 0 ? fmt::format("{:.1f}", flops * 1e-9) : "-", bytes * 1e-9,
                        100 * fraction, k.program, k.name, k.implementation,
                        k.layers.empty() ? "" : "  " + k.layers);
  }
  const double outside = std::max(wall - kernel_seconds(), 0.0);
  text +=
      fmt::format("{:>10} {:>5.1f}%  of {:.3f} s outside of kernels: data, callbacks, waiting\n",
                  "", 100 * outside / total, wall);
  return text;
}

void Profile::write_trace(const std::string& path) const {
  // Written as text, because a single JSON value of all events would take many times the memory.
  std::string text = "{\"traceEvents\":[\n";
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    const KernelProfile& k = kernels[static_cast<size_t>(event.kernel)];
    text += fmt::format(
        "{{\"name\":{},\"cat\":{},\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f},"
        "\"args\":{{\"implementation\":{},\"layers\":{},\"bytes\":{},\"flops\":{}}}}}{}\n",
        Json(k.name).dump(), Json(k.program).dump(), event.thread, event.start * 1e6,
        event.seconds * 1e6, Json(k.implementation).dump(), Json(k.layers).dump(), k.bytes, k.flops,
        i + 1 < events.size() ? "," : "");
  }
  text += "],\"displayTimeUnit\":\"ns\"}\n";
  write_file_atomically(path, text);
}

}  // namespace antler

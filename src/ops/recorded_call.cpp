#include "ops/recorded_call.h"

#include <atomic>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"

namespace antler::ops {
namespace {

std::atomic<CallRecorder> g_recorder = nullptr;

}  // namespace

bool has_unknown_size(const Tensor& x) { return x.is_placeholder() && !x.shape().is_known(); }

Tensors record_call(const char* class_name, const Tensor& x, const Json& config) {
  const CallRecorder recorder = g_recorder;
  if (recorder == nullptr)
    throw InternalError("No recorder of calls on placeholders is installed.");
  return recorder(class_name, x, config);
}

void set_call_recorder(CallRecorder recorder) { g_recorder = recorder; }

}  // namespace antler::ops

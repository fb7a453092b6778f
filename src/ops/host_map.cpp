#include "antler/ops/host_map.h"

#include <atomic>
#include <mutex>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "antler/base/error.h"
#include "antler/core/dispatch.h"
#include "antler/core/string_handles.h"
#include "antler/ir/emit.h"
#include "antler/ops/strings.h"
#include "ops/families.h"

namespace antler::ops {
namespace {

/// The host functions that exist, by id.
class Functions {
 public:
  int64_t next_id() { return ++last_; }
  void add(const HostFunctionPtr& function) {
    const std::lock_guard lock(mutex_);
    by_id_.emplace(function->id(), function);
  }
  void remove(int64_t id) {
    const std::lock_guard lock(mutex_);
    by_id_.erase(id);
  }
  HostFunctionPtr find(int64_t id) {
    const std::lock_guard lock(mutex_);
    const auto found = by_id_.find(id);
    HostFunctionPtr function = found == by_id_.end() ? nullptr : found->second.lock();
    if (function == nullptr) {
      throw RuntimeError(
          "ops::host_map: the function no longer exists. Keep the layer that was traced alive as "
          "long as the program is used.");
    }
    return function;
  }

 private:
  std::mutex mutex_;
  std::atomic<int64_t> last_ = 0;
  std::unordered_map<int64_t, std::weak_ptr<const HostFunction>> by_id_;
};

Functions& functions() {
  static auto* const instance = new Functions;  // never destroyed: outlives all functions
  return *instance;
}

std::vector<TensorSpec> infer_host(const ir::InferArgs& args) {
  return {functions().find(args.attrs.integer("function"))->spec(args.inputs[0])};
}

void reference_host(const ir::ReferenceArgs& args) {
  functions().find(args.attrs.integer("function"))->run(args.inputs[0], args.outputs[0]);
}

constinit const ir::OpDef kHostMap = {
    .name = "host_map", .infer = infer_host, .reference = reference_host, .no_gradient = true};

template <class T>
std::string text_of(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else {
    return format("{:.6f}", static_cast<double>(static_cast<ComputeType<T>>(value)));
  }
}

const HostFunctionPtr& as_string_function() {
  static const HostFunctionPtr function = host_function(
      [](const TensorSpec& input) {
        return TensorSpec{kStringDType, input.shape};
      },
      [](const Tensor& input, const Tensor& output) {
        dispatch(input.dtype(), [&]<class T>() {
          const T* from = static_cast<const T*>(input.data());
          auto* to = output.mutable_data<uint64_t>();
          for (int64_t i = 0; i < input.size(); ++i) to[i] = string_handle(text_of(from[i]));
        });
      });
  return function;
}

}  // namespace

HostFunction::HostFunction(Spec spec, Run run)
    : id_(functions().next_id()), spec_(std::move(spec)), run_(std::move(run)) {}

HostFunction::~HostFunction() { functions().remove(id_); }

HostFunctionPtr host_function(HostFunction::Spec spec, HostFunction::Run run) {
  auto function = std::make_shared<const HostFunction>(std::move(spec), std::move(run));
  functions().add(function);
  return function;
}

OpSpan host_ops() {
  static constexpr const ir::OpDef* kOps[] = {&kHostMap};
  return kOps;
}

Tensor host_map(const HostFunctionPtr& function, const Tensor& x) {
  return ir::emit_one(kHostMap, {x}, {{"function", function->id()}});
}

Tensor as_string(const Tensor& x) {
  return x.dtype() == kStringDType ? x : host_map(as_string_function(), x);
}

bool is_as_string(int64_t host_function) { return as_string_function()->id() == host_function; }

}  // namespace antler::ops

#include "antler/nn/dtype_policy.h"

#include <mutex>

namespace antler {
namespace {

std::mutex g_policy_mutex;
DTypePolicy g_policy;

}  // namespace

DTypePolicy DTypePolicy::parse(const std::string& name) {
  if (name == "mixed_float16") return {name, DType::float16, DType::float32};
  if (name == "mixed_bfloat16") return {name, DType::bfloat16, DType::float32};
  const DType dtype = parse_dtype(name);
  return {dtype_name(dtype), dtype, dtype};
}

namespace mixed_precision {

void set_global_policy(const std::string& name) {
  DTypePolicy policy = DTypePolicy::parse(name);
  const std::lock_guard lock(g_policy_mutex);
  g_policy = std::move(policy);
}

DTypePolicy global_policy() {
  const std::lock_guard lock(g_policy_mutex);
  return g_policy;
}

}  // namespace mixed_precision
}  // namespace antler

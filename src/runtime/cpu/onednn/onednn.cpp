#include "runtime/cpu/onednn/onednn.h"

namespace antler::runtime::onednn {

const dnnl::engine& engine() {
  static const dnnl::engine instance(dnnl::engine::kind::cpu, 0);
  return instance;
}

dnnl::stream& stream() {
  thread_local dnnl::stream instance(engine());
  return instance;
}

std::optional<dnnl::memory::data_type> data_type(DType dtype) {
  if (dtype == DType::float32) return dnnl::memory::data_type::f32;
  if (dtype == DType::bfloat16) return dnnl::memory::data_type::bf16;
  return std::nullopt;
}

dnnl::primitive_attr user_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

bool is_fast(const std::string& implementation) {
  return implementation.starts_with("jit") || implementation.starts_with("brg");
}

BoundPrimitive::BoundPrimitive(dnnl::primitive primitive,
                               const std::vector<std::pair<int, dnnl::memory::desc>>& arguments)
    : primitive_(std::move(primitive)) {
  memories_.reserve(arguments.size());
  for (const auto& [index, desc] : arguments) {
    memories_.push_back(dnnl::memory(desc, engine(), nullptr));
    arguments_.push_back({index, memories_.back().get()});
  }
}

void BoundPrimitive::run() {
  dnnl::error::wrap_c_api(
      dnnl_primitive_execute(primitive_.get(), stream().get(), static_cast<int>(arguments_.size()),
                             arguments_.data()),
      "cannot execute a oneDNN primitive");
}

}  // namespace antler::runtime::onednn

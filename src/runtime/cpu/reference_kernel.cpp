#include <utility>

#include "antler/core/tensor.h"
#include "runtime/cpu/kernel_lists.h"
#include "runtime/cpu/node_view.h"

namespace antler::runtime {
namespace {

/// Runs the op's reference loop on tensors that borrow the buffers.
class ReferenceKernel final : public LibraryKernel {
 public:
  ReferenceKernel(const ir::Graph& graph, const ir::Node& node)
      : reference_(node.op->reference), attrs_(node.attrs), regions_(node.regions) {
    for (const ir::ValueId v : node.inputs) inputs_.push_back(unbound_tensor(graph.spec(v)));
    for (const ir::ValueId v : node.outputs) outputs_.push_back(unbound_tensor(graph.spec(v)));
  }

  void run(void* const* buffers) override {
    for (const Tensor& t : inputs_) bind(t, *buffers++);
    for (const Tensor& t : outputs_) bind(t, *buffers++);
    reference_({inputs_, outputs_, attrs_, regions_});
  }
  const char* name() const override { return kReferenceKernel.name; }

 private:
  static Tensor unbound_tensor(const TensorSpec& spec) {
    auto impl = std::make_shared<TensorImpl>();
    impl->dtype = spec.dtype;
    impl->shape = spec.shape;
    impl->id = next_unique_id();
    return Tensor(std::move(impl));
  }
  static void bind(const Tensor& tensor, void* data) {
    std::shared_ptr<Buffer>& buffer = tensor.impl()->buffer;
    if (buffer == nullptr || buffer->data() != data) {
      buffer = Buffer::borrow(data, tensor.bytes(), nullptr);
    }
  }

  ir::ReferenceFn reference_;
  ir::Attrs attrs_;
  ir::Regions regions_;
  Tensors inputs_;
  Tensors outputs_;
};

std::unique_ptr<LibraryKernel> make_reference(const ir::Graph& graph, const ir::Node& node,
                                              const KernelContext&, std::string* refusal) {
  if (node.op->reference == nullptr) return refuse(refusal, "the op has no reference loop");
  return std::make_unique<ReferenceKernel>(graph, node);
}

}  // namespace

const Candidate kReferenceKernel = {"reference", make_reference};

}  // namespace antler::runtime

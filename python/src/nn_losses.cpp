#include "antler/ops/nn/losses.h"

#include "antler/ops/nn/one_hot.h"
#include "bindings.h"
#include "casters.h"

namespace antler::python {

void bind_nn_losses(nb::module_& m) {
  using nb::literals::operator""_a;
  m.def(
      "categorical_crossentropy",
      [](const Tensor& target, const Tensor& output, bool from_logits, int64_t axis) {
        return ops::categorical_crossentropy(target, output, {from_logits, axis});
      },
      "target"_a, "output"_a, "from_logits"_a = false, "axis"_a = -1);
  m.def(
      "sparse_categorical_crossentropy",
      [](const Tensor& target, const Tensor& output, bool from_logits, int64_t axis) {
        return ops::sparse_categorical_crossentropy(target, output, {from_logits, axis});
      },
      "target"_a, "output"_a, "from_logits"_a = false, "axis"_a = -1);
  m.def(
      "binary_crossentropy",
      [](const Tensor& target, const Tensor& output, bool from_logits) {
        return ops::binary_crossentropy(target, output, {from_logits});
      },
      "target"_a, "output"_a, "from_logits"_a = false);
  m.def("psnr", &ops::psnr, "x"_a, "y"_a, "max_val"_a);
  m.def("ctc_loss",
        nb::overload_cast<const Tensor&, const Tensor&, const Tensor&, const Tensor&, int64_t>(
            &ops::ctc_loss),
        "target"_a, "output"_a, "target_length"_a = nb::none(), "output_length"_a = nb::none(),
        "mask_index"_a = 0);
  m.def(
      "ctc_decode",
      [](const Tensor& inputs, const Tensor& sequence_lengths, bool merge_repeated,
         int64_t mask_index) {
        const auto [labels, scores] = ops::ctc_decode(
            inputs, sequence_lengths, {.merge_repeated = merge_repeated, .mask_index = mask_index});
        return std::pair(labels, scores);
      },
      "inputs"_a, "sequence_lengths"_a, "merge_repeated"_a = true, "mask_index"_a = 0);
  m.def(
      "ctc_beam_search",
      [](const Tensor& inputs, const Tensor& sequence_lengths, int64_t beam_width,
         int64_t top_paths, int64_t mask_index) {
        const auto [labels, scores] =
            ops::ctc_beam_search(inputs, sequence_lengths, {beam_width, top_paths, mask_index});
        return std::pair(labels, scores);
      },
      "inputs"_a, "sequence_lengths"_a, "beam_width"_a = 100, "top_paths"_a = 1,
      "mask_index"_a = 0);

  m.def(
      "one_hot",
      [](const Tensor& indices, int64_t num_classes, int64_t axis, DType dtype) {
        return ops::one_hot(indices, num_classes, {axis, dtype});
      },
      "indices"_a, "num_classes"_a, "axis"_a = -1, "dtype"_a = "float32");
  m.def(
      "multi_hot",
      [](const Tensor& indices, int64_t num_classes, DType dtype) {
        return ops::multi_hot(indices, num_classes, {.dtype = dtype});
      },
      "indices"_a, "num_classes"_a, "dtype"_a = "float32");
}

}  // namespace antler::python

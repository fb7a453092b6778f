#include "antler/nn/quantizers.h"

#include "bindings.h"
#include "casters.h"

namespace antler::python {

void bind_quantizers(nb::module_& m) {
  using nb::literals::operator""_a;
  m.def(
      "round_to_float8",
      [](const Tensor& x, const std::string& format) {
        return quantizers::quantize_and_dequantize(x, 1.0F, format, DType::float32);
      },
      "x"_a, "format"_a,
      "float32 numbers that \"float8_e4m3fn\" or \"float8_e5m2\" can hold; larger ones become the "
      "largest.");
}

}  // namespace antler::python

#include "antler/ops/random.h"

#include "bindings.h"
#include "casters.h"

namespace antler::python {

void bind_random_ops(nb::module_& m) {
  using nb::literals::operator""_a;
  m.def("random_bits", &ops::random_bits, "seed"_a, "shape"_a);
  m.def("random_uniform", &ops::random_uniform, "seed"_a, "shape"_a, "low"_a = 0.0, "high"_a = 1.0,
        "dtype"_a = "float32");
  m.def("random_normal", &ops::random_normal, "seed"_a, "shape"_a, "mean"_a = 0.0, "stddev"_a = 1.0,
        "dtype"_a = "float32");
  m.def("random_truncated_normal", &ops::random_truncated_normal, "seed"_a, "shape"_a,
        "mean"_a = 0.0, "stddev"_a = 1.0, "dtype"_a = "float32");
  m.def("random_integers", &ops::random_integers, "seed"_a, "shape"_a, "low"_a, "high"_a,
        "dtype"_a = "int32");
  m.def("random_bernoulli", &ops::random_bernoulli, "seed"_a, "shape"_a, "p"_a);
  m.def("random_shuffle", &ops::random_shuffle, "seed"_a, "x"_a, "axis"_a = 0);
  m.def("random_categorical", &ops::random_categorical, "seed"_a, "logits"_a, "num_samples"_a,
        "dtype"_a = "int32");
  m.def("random_gamma", &ops::random_gamma, "seed"_a, "shape"_a, "alpha"_a, "dtype"_a = "float32");
  m.def("random_log_gamma", &ops::random_log_gamma, "seed"_a, "shape"_a, "alpha"_a);
  m.def("random_beta", &ops::random_beta, "seed"_a, "shape"_a, "alpha"_a, "beta"_a,
        "dtype"_a = "float32");
  m.def("random_binomial", &ops::random_binomial, "seed"_a, "shape"_a, "counts"_a,
        "probabilities"_a, "max_count"_a = nb::none(), "dtype"_a = "float32");
  m.def("random_dropout", &ops::random_dropout, "seed"_a, "x"_a, "rate"_a,
        "noise_shape"_a = nb::none());
}

}  // namespace antler::python

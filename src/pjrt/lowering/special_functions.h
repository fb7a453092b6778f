#pragma once

#include "pjrt/lowering/expr.h"

/// Functions that StableHLO does not have, for float32 and float64.
namespace antler::pjrt {

Expr lower_erf(const Expr& x);
Expr lower_erfc(const Expr& x);
Expr lower_erf_inv(const Expr& x);
Expr lower_lgamma(const Expr& x);
Expr lower_digamma(const Expr& x);

}  // namespace antler::pjrt

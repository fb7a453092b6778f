#pragma once

#include "compiler/rewriter.h"

namespace antler::compiler {

/// The dimension lists of a dot_general, with the free dimensions spelt out.
struct DotLists {
  ir::Ints lhs_contract, rhs_contract, lhs_batch, rhs_batch;
  ir::Ints lhs_free, rhs_free;

  DotLists(const ir::Attrs& attrs, int lhs_rank, int rhs_rank);
  ir::Attrs attrs() const;
};

/// Product of the sizes of some dimensions.
int64_t product_of(const Shape& shape, const ir::Ints& dims);

}  // namespace antler::compiler

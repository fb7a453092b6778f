#pragma once

#include <functional>
#include <vector>

#include "runtime/cpu/jit/loop_plan.h"
#include "runtime/cpu/jit/loops.h"
#include "runtime/cpu/jit/lowering.h"

namespace antler::runtime::jit {

/// Emits the code of one nest. Loops are opened from the outside in. Each access has a cursor that
/// advances with the loops, and each expression is evaluated as soon as the innermost loop that it
/// depends on is open.
class Lowering {
 public:
  Lowering(const Gen& g, const compiler::LoopNest& nest, const LoopPlan& plan,
           const Values& buffers);
  void run(const Range& range, llvm::Value* begin, llvm::Value* end);

 private:
  /// Values of an expression in the current block of rows x vectors. A value that is the same for
  /// all rows or vectors is stored once. One that does not depend on the vector axis is a scalar;
  /// its splat is stored if needed.
  struct Slot {
    Values values;
    Values splats;
  };
  struct ExprInfo {
    bool by_row = false;
    bool by_vector = false;
    bool splat = false;  ///< used by a vector
    size_t depth = 0;    ///< number of loops that must be open
    size_t cursor = 0;   ///< of loads and indices
  };
  /// The pointer of a load or store, or the value of an index expression.
  struct Cursor {
    const compiler::Access* access;
    size_t phase;
    DType dtype;
    bool index;
  };
  struct PhaseState {
    std::vector<Slot> slots;
    std::vector<ExprInfo> infos;
    std::vector<size_t> store_cursors;
    std::vector<Values> rows;  ///< per reduction: row values in the current block
    DimSet vector_bit = 0;
    bool empty = false;  ///< its reduction space is empty
  };

  size_t add_cursor(const compiler::Access& access, size_t phase, DType dtype, bool index);
  void analyze(size_t p);
  void allocate_slots(size_t p);

  /// A loop over the parallel space or over the reduction space of a phase.
  struct Loop {
    const LoopAxis& axis;
    bool reduction = false;
    size_t phase = 0;
  };
  int64_t stride(const Loop& loop, const Cursor& cursor) const;
  llvm::Value* advanced(size_t cursor, llvm::Value* index, int64_t stride) const;
  void enter(const Loop& loop, llvm::Value* index);
  Values emit_blocks(const Loop& loop, llvm::Value* first, llvm::Value* last, bool nonempty,
                     Values carried, const std::function<Values(const Values&)>& body);

  // Parallel space.
  void range_loop(const Range& range, llvm::Value* begin, llvm::Value* end);
  void delinearize(size_t level, const Range& range, llvm::Value* rest);
  void parallel(size_t level);
  void single(size_t level, llvm::Value* start, int64_t size, const std::function<void()>& inside);
  void block(size_t level, int64_t size, const std::function<void()>& inside);
  void point();

  // Reduction space.
  void phase(size_t p);
  Values reduce(size_t p, size_t level, Values carried);
  Values reduce_single(size_t p, size_t level, int64_t start, int64_t size, Values carried);
  Values reduce_block(size_t p, size_t level, int64_t size, Values carried);
  Values body(size_t p, Values carried);
  void finish(size_t p, const Values& carried);

  void evaluate(size_t p, size_t depth);
  llvm::Value* evaluate_one(size_t p, size_t e, int row, int vector);
  llvm::Value* value_at(size_t p, int e, int row, int vector, bool as_vector);
  llvm::Value* address(const Cursor& cursor, size_t id, DimSet vector_bit, int row, int vector);
  void emit_stores(size_t p);

  /// Active lanes of a vector of the current block.
  int active(int vector) const {
    return vector == vectors_ - 1 && tail_ != 0 ? tail_ : plan_.lanes;
  }

  const Gen& g_;
  const compiler::LoopNest& nest_;
  const LoopPlan& plan_;
  const Values& buffers_;
  std::vector<std::vector<DimSet>> bits_;
  std::vector<Cursor> cursors_;
  Values at_;  ///< current position of each cursor
  std::vector<PhaseState> phases_;
  DimSet row_bit_ = 0;
  int rows_ = 1;     ///< of the current block
  int vectors_ = 1;  ///< of the current block
  int tail_ = 0;     ///< lanes of the last vector of the block, 0 = all
};

}  // namespace antler::runtime::jit

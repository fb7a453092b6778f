#include "runtime/cpu/jit/memory.h"

#include <numeric>

namespace antler::runtime::jit::memory {

using llvm::Align;
using llvm::Type;
using llvm::Value;

namespace {

/// Base pointers are 64-byte aligned, but offsets are arbitrary.
Align element_align(DType dtype) { return Align(dtype_size(dtype)); }

/// <lanes - 1, ..., 0>
std::vector<int> reversal(int lanes) {
  std::vector<int> order(static_cast<size_t>(lanes));
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

/// Splits the first `active` lanes into pieces of powers of two and calls f(first lane, count).
template <class F>
void for_each_piece(int active, F f) {
  int lane = 0;
  for (int size = 1 << 30; size > 0; size /= 2) {
    if ((active & size) == 0) continue;
    f(lane, size);
    lane += size;
  }
}

std::vector<int> lane_range(int first, int count) {
  std::vector<int> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), first);
  return order;
}

/// Loads the first `active` contiguous elements. The other lanes are zero.
Value* load_partial(const Gen& g, DType dtype, Value* pointer, Type* vector, int lanes,
                    int active) {
  const Align align = element_align(dtype);
  const int smallest = g.target.masked_bytes;
  if (smallest > 0 && static_cast<int>(dtype_size(dtype)) >= smallest) {
    return g.b.CreateMaskedLoad(vector, pointer, align, lane_mask(g, lanes, active),
                                llvm::Constant::getNullValue(vector));
  }
  Value* result = llvm::Constant::getNullValue(vector);
  for_each_piece(active, [&](int first, int count) {
    Type* type = Gen::vector_of(g.memory_type(dtype), count);
    Value* piece = g.b.CreateAlignedLoad(type, advance(g, dtype, pointer, g.i64(first)), align);
    if (count == 1) {
      result = g.b.CreateInsertElement(result, piece, static_cast<uint64_t>(first));
      return;
    }
    std::vector<int> widen(static_cast<size_t>(lanes), -1);
    std::iota(widen.begin(), widen.begin() + count, 0);
    std::vector<int> merge = lane_range(0, lanes);
    std::iota(merge.begin() + first, merge.begin() + first + count, lanes);
    result = g.b.CreateShuffleVector(result, g.b.CreateShuffleVector(piece, widen), merge);
  });
  return result;
}

void store_partial(const Gen& g, DType dtype, Value* packed, Value* pointer, int active) {
  const Align align = element_align(dtype);
  if (g.target.masked_stores) {
    g.b.CreateMaskedStore(packed, pointer, align, lane_mask(g, Gen::lanes(packed), active));
    return;
  }
  for_each_piece(active, [&](int first, int count) {
    Value* piece = count == 1 ? g.b.CreateExtractElement(packed, static_cast<uint64_t>(first))
                              : g.b.CreateShuffleVector(packed, lane_range(first, count));
    g.b.CreateAlignedStore(piece, advance(g, dtype, pointer, g.i64(first)), align);
  });
}

}  // namespace

Value* advance(const Gen& g, DType dtype, Value* pointer, Value* offset) {
  auto* constant = llvm::dyn_cast<llvm::ConstantInt>(offset);
  if (constant != nullptr && constant->isZero()) return pointer;
  return g.b.CreateInBoundsGEP(g.memory_type(dtype), pointer, offset);
}

llvm::Constant* lane_mask(const Gen& g, int lanes, int active) {
  std::vector<llvm::Constant*> bits;
  for (int lane = 0; lane < lanes; ++lane) bits.push_back(g.b.getInt1(lane < active));
  return llvm::ConstantVector::get(bits);
}

Value* load_scalar(const Gen& g, DType dtype, Value* pointer) {
  return g.unpack(g.b.CreateAlignedLoad(g.memory_type(dtype), pointer, element_align(dtype)),
                  dtype);
}

Value* load(const Gen& g, DType dtype, Value* pointer, int64_t stride, int lanes, int active) {
  if (lanes == 1) return load_scalar(g, dtype, pointer);
  Type* element = g.memory_type(dtype);
  Type* vector = Gen::vector_of(element, lanes);
  const Align align = element_align(dtype);
  if (stride == 1 && active == lanes) {
    return g.unpack(g.b.CreateAlignedLoad(vector, pointer, align), dtype);
  }
  if (stride == 1) {
    return g.unpack(load_partial(g, dtype, pointer, vector, lanes, active), dtype);
  }
  if (stride == -1 && active == lanes) {
    Value* lowest = advance(g, dtype, pointer, g.i64(1 - lanes));
    Value* loaded = g.b.CreateAlignedLoad(vector, lowest, align);
    return g.unpack(g.b.CreateShuffleVector(loaded, reversal(lanes)), dtype);
  }
  Value* gathered = llvm::Constant::getNullValue(vector);
  for (int lane = 0; lane < active; ++lane) {
    Value* at = advance(g, dtype, pointer, g.i64(lane * stride));
    gathered = g.b.CreateInsertElement(gathered, g.b.CreateAlignedLoad(element, at, align),
                                       static_cast<uint64_t>(lane));
  }
  return g.unpack(gathered, dtype);
}

void store_scalar(const Gen& g, DType dtype, Value* value, Value* pointer) {
  g.b.CreateAlignedStore(g.pack(value, dtype), pointer, element_align(dtype));
}

void store(const Gen& g, DType dtype, Value* value, Value* pointer, int64_t stride, int active) {
  const int lanes = Gen::lanes(value);
  if (lanes == 1) return store_scalar(g, dtype, value, pointer);
  Value* packed = g.pack(value, dtype);
  const Align align = element_align(dtype);
  if (stride == 1) {
    if (active == lanes) {
      g.b.CreateAlignedStore(packed, pointer, align);
    } else {
      store_partial(g, dtype, packed, pointer, active);
    }
    return;
  }
  if (stride == -1 && active == lanes) {
    Value* lowest = advance(g, dtype, pointer, g.i64(1 - lanes));
    g.b.CreateAlignedStore(g.b.CreateShuffleVector(packed, reversal(lanes)), lowest, align);
    return;
  }
  for (int lane = 0; lane < active; ++lane) {
    Value* at = advance(g, dtype, pointer, g.i64(lane * stride));
    g.b.CreateAlignedStore(g.b.CreateExtractElement(packed, static_cast<uint64_t>(lane)), at,
                           align);
  }
}

}  // namespace antler::runtime::jit::memory

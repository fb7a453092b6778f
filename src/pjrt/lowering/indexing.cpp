#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>

#include "antler/base/format.h"
#include "pjrt/lowering/families.h"

namespace antler::pjrt {
namespace {

/// first, ..., last - 1
Ints int_range(int64_t first, int64_t last) {
  Ints numbers(static_cast<size_t>(std::max<int64_t>(last - first, 0)));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

Ints joined_ints(Ints head, const Ints& tail) {
  head.insert(head.end(), tail.begin(), tail.end());
  return head;
}

/// Indices as signed integers of at least 32 bits. Unsigned 64-bit indices wrap, as they do in the
/// reference loops. Shorter types might not be able to hold the size of a dimension.
Value signed_indices(Emitter& emit, const Value& indices) {
  const std::string& element = indices.type.element;
  const bool is_wide = element == "ui32" || element == "ui64" || element == "i64";
  return emit.convert(indices, is_wide ? "i64" : "i32");
}

/// "name = [1, 2], ", or nothing for an empty list.
std::string dimension_list(const char* name, const Ints& dims) {
  return dims.empty() ? std::string() : format("{} = [{}], ", name, join_ints(dims));
}

/// Positions of blocks in an array. An index vector gives the coordinates in the dimensions
/// `indexed`; the block covers the other dimensions. Dimensions `window` of the gathered (or
/// scattered) array are the dimensions of the block.
struct Blocks {
  Ints indexed;
  Ints window;
  int64_t vector_dim = 0;  ///< of the indices; their rank if an index is a scalar
};

Blocks blocks_along_axis(const Value& x, const Value& indices, int64_t axis) {
  const int64_t rank = indices.type.rank();
  return {
      .indexed = {axis},
      .window = joined_ints(int_range(0, axis), int_range(axis + rank, x.type.rank() - 1 + rank)),
      .vector_dim = rank};
}

Blocks blocks_at_coordinates(const Value& x, const Value& indices) {
  const int64_t places = indices.type.rank() - 1;
  const int64_t depth = indices.type.dims.back();
  return {.indexed = int_range(0, depth),
          .window = int_range(places, places + x.type.rank() - depth),
          .vector_dim = places};
}

/// Indices out of range are clamped, as in StableHLO.
Value emit_gather(Emitter& emit, const Value& x, const Value& indices, const Type& result,
                  const Blocks& blocks) {
  if (result.num_elements() == 0) return emit.fill(0, result);
  Ints sizes = x.type.dims;
  for (const int64_t d : blocks.indexed) sizes[static_cast<size_t>(d)] = 1;
  return emit.op("gather", {x, signed_indices(emit, indices)}, result,
                 format("dimension_numbers = #stablehlo.gather<{}{}{}index_vector_dim = {}>, "
                        "slice_sizes = {}, indices_are_sorted = false",
                        dimension_list("offset_dims", blocks.window),
                        dimension_list("collapsed_slice_dims", blocks.indexed),
                        dimension_list("start_index_map", blocks.indexed), blocks.vector_dim,
                        i64_array(sizes)));
}

Values lower_gather(const LowerArgs& args) {
  const Blocks blocks = blocks_along_axis(args[0], args[1], args.attrs().integer("axis"));
  return {emit_gather(args.emit, args[0], args[1], args.result(), blocks)};
}

Values lower_gather_nd(const LowerArgs& args) {
  const Value& x = args[0];
  const Type result = args.result();
  if (args[1].type.dims.back() == 0) {  // each index selects the whole array
    const int64_t places = args[1].type.rank() - 1;
    return {args.emit.broadcast(x, int_range(places, places + x.type.rank()), result.dims)};
  }
  return {emit_gather(args.emit, x, args[1], result, blocks_at_coordinates(x, args[1]))};
}

/// The result of applying an update to an element. For max and min, NaN neither replaces a value
/// nor is replaced, unlike in StableHLO's operations.
Value combine_update(Emitter& emit, const std::string& mode, const Value& old,
                     const Value& update) {
  if (mode == "set") return update;
  if (mode == "add") return emit.binary("add", old, update);
  if (mode == "mul") return emit.binary("multiply", old, update);
  return emit.select(emit.compare(mode == "max" ? "LT" : "GT", old, update), update, old);
}

/// Updates outside of x are dropped, as in StableHLO.
Value emit_scatter_blocks(Emitter& emit, const std::string& mode, const Value& x,
                          const Value& indices, const Value& updates, const Blocks& blocks) {
  const Type scalar{x.type.element, {}};
  const Emitter::Region region{{scalar, scalar}, [&](const Values& v) {
                                 return Values{combine_update(emit, mode, v[0], v[1])};
                               }};
  const Value operands[] = {x, indices, updates};
  return emit.op_with_regions(
      "scatter", operands, std::span(&x.type, 1), std::span(&region, 1),
      format("scatter_dimension_numbers = #stablehlo.scatter<{}{}{}index_vector_dim = {}>, "
             "indices_are_sorted = false, unique_indices = false",
             dimension_list("update_window_dims", blocks.window),
             dimension_list("inserted_window_dims", blocks.indexed),
             dimension_list("scatter_dims_to_operand_dims", blocks.indexed), blocks.vector_dim))[0];
}

/// The indices, with -1 in place of each index that a later one repeats, because StableHLO does not
/// define the order of updates. The last index of each block wins.
Value last_indices(Emitter& emit, const Value& x, const Value& indices, const Blocks& blocks) {
  Ints places = indices.type.dims;
  const bool is_vector = blocks.vector_dim < indices.type.rank();
  if (is_vector) places.pop_back();
  const Type flat{"i32", {Type{"i32", places}.num_elements()}};
  if (flat.dims[0] > std::numeric_limits<int32_t>::max())
    throw Unsupported{"a scatter has more than 2^31 indices"};
  if (flat.dims[0] == 1) return indices;
  const Value order = emit.reshape(emit.iota(0, flat), places);
  Ints grid;
  for (const int64_t d : blocks.indexed) grid.push_back(x.type.dims[static_cast<size_t>(d)]);
  // Blocks of an array that has only the indexed dimensions.
  const Blocks single{.indexed = int_range(0, static_cast<int64_t>(grid.size())),
                      .window = {},
                      .vector_dim = blocks.vector_dim};
  const Value winner =
      emit_scatter_blocks(emit, "max", emit.fill_int(-1, {"i32", grid}), indices, order, single);
  const Value is_last =
      emit.compare("EQ", emit_gather(emit, winner, indices, order.type, single), order);
  const Value mask = emit.broadcast(is_last, int_range(0, is_last.type.rank()), indices.type.dims);
  return emit.select(mask, indices, emit.fill_int(-1, indices.type));
}

Value scatter_in_order(const LowerArgs& args, const Value& indices, const Value& updates,
                       const Blocks& blocks) {
  const std::string& mode = args.attrs().string("mode");
  Value at = signed_indices(args.emit, indices);
  if (mode == "set") at = last_indices(args.emit, args[0], at, blocks);
  return emit_scatter_blocks(args.emit, mode, args[0], at, updates, blocks);
}

bool has_nothing_to_scatter(const LowerArgs& args) {
  return args[0].type.num_elements() == 0 || args[2].type.num_elements() == 0;
}

Values lower_scatter(const LowerArgs& args) {
  if (has_nothing_to_scatter(args)) return {args[0]};
  const Blocks blocks = blocks_along_axis(args[0], args[1], args.attrs().integer("axis"));
  return {scatter_in_order(args, args[1], args[2], blocks)};
}

/// Without coordinates, each update changes the whole of x: x becomes the only element of an array
/// of arrays.
Values scatter_whole(const LowerArgs& args) {
  Emitter& emit = args.emit;
  const Value& x = args[0];
  Ints places = args[1].type.dims;
  places.back() = 1;
  const Value indices = emit.fill_int(0, {"i32", places});
  const Value boxed = emit.reshape(x, joined_ints({1}, x.type.dims));
  const LowerArgs inner{emit, args.node, std::span(&boxed, 1), args.outputs};
  const Value y = scatter_in_order(inner, indices, args[2], blocks_at_coordinates(boxed, indices));
  return {emit.reshape(y, x.type.dims)};
}

Values lower_scatter_nd(const LowerArgs& args) {
  if (has_nothing_to_scatter(args)) return {args[0]};
  if (args[1].type.dims.back() == 0) return scatter_whole(args);
  return {scatter_in_order(args, args[1], args[2], blocks_at_coordinates(args[0], args[1]))};
}

/// The elements of a vector of indices.
Values scalar_starts(Emitter& emit, const Value& starts) {
  const Value wide = signed_indices(emit, starts);
  const Ints one{1};
  Values scalars;
  for (int64_t i = 0; i < wide.type.dims[0]; ++i)
    scalars.push_back(emit.reshape(emit.slice(wide, Ints{i}, Ints{i + 1}, one), {}));
  return scalars;
}

/// Blocks are moved into the array, as in StableHLO.
Values lower_dynamic_slice(const LowerArgs& args) {
  const Type result = args.result();
  if (result.num_elements() == 0) return {args.emit.fill(0, result)};
  if (result.dims == args[0].type.dims) return {args[0]};
  return {args.emit.dynamic_slice(args[0], scalar_starts(args.emit, args[1]), result.dims)};
}

Values lower_dynamic_update_slice(const LowerArgs& args) {
  if (args[1].type.num_elements() == 0) return {args[0]};
  if (args[1].type.dims == args[0].type.dims) return {args[1]};
  return {args.emit.dynamic_update_slice(args[0], args[1], scalar_starts(args.emit, args[2]))};
}

constexpr Rule kIndexingRules[] = {
    {"gather", lower_gather},
    {"gather_nd", lower_gather_nd},
    {"scatter", lower_scatter},
    {"scatter_nd", lower_scatter_nd},
    {"dynamic_slice", lower_dynamic_slice},
    {"dynamic_update_slice", lower_dynamic_update_slice},
};

}  // namespace

Rules indexing_rules() { return kIndexingRules; }

}  // namespace antler::pjrt

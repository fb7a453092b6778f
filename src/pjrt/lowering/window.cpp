#include <algorithm>
#include <functional>
#include <limits>

#include "antler/base/format.h"
#include "pjrt/lowering/families.h"
#include "pjrt/lowering/identity.h"

namespace antler::pjrt {
namespace {

/// Windows of up to this many elements are unrolled into slices, which compilers fuse.
constexpr int64_t kMostTaps = 32;

/// The windows of an op.
struct WindowShape {
  Ints x, y;  ///< dimensions of the array, and of the windows' places
  Ints window, strides, dilations, pad_low, pad_high;

  WindowShape(const ir::Attrs& attrs, Ints x_dims, Ints y_dims)
      : x(std::move(x_dims)),
        y(std::move(y_dims)),
        window(attrs.ints("window")),
        strides(attrs.ints("strides")),
        dilations(attrs.ints("dilations")),
        pad_low(attrs.ints("pad_low")),
        pad_high(attrs.ints("pad_high")) {}

  size_t rank() const { return window.size(); }
  int64_t taps() const { return Type{"", window}.num_elements(); }
  bool is_padded() const {
    const auto positive = [](int64_t n) { return n > 0; };
    return std::any_of(pad_low.begin(), pad_low.end(), positive) ||
           std::any_of(pad_high.begin(), pad_high.end(), positive);
  }
  /// Whether windows are adjacent, so that each element of x is in at most one.
  bool is_disjoint() const {
    const auto one = [](int64_t n) { return n == 1; };
    return window == strides && std::all_of(dilations.begin(), dilations.end(), one) &&
           !is_padded();
  }
  std::string attributes() const {
    std::vector<std::pair<int64_t, int64_t>> padding;
    for (size_t d = 0; d < rank(); ++d) padding.emplace_back(pad_low[d], pad_high[d]);
    return format(
        "window_dimensions = {}, window_strides = {}, window_dilations = {}, padding = {}",
        i64_array(window), i64_array(strides), i64_array(dilations), i64_pairs(padding));
  }
  /// Offsets of the elements of a window, in row-major order.
  std::vector<Ints> tap_offsets() const {
    std::vector<Ints> offsets = {{}};
    for (size_t d = 0; d < rank(); ++d) {
      std::vector<Ints> longer;
      for (const Ints& head : offsets) {
        for (int64_t k = 0; k < window[d]; ++k) {
          longer.push_back(head);
          longer.back().push_back(k * dilations[d]);
        }
      }
      offsets = std::move(longer);
    }
    return offsets;
  }
};

/// The StableHLO operation and its identity element.
struct WindowReduction {
  const char* op;
  const char* operation;
  Identity identity;
};
constexpr WindowReduction kWindowReductions[] = {
    {"sum", "add", Identity::zero},
    {"prod", "multiply", Identity::one},
    {"max", "maximum", Identity::lowest},
    {"min", "minimum", Identity::highest},
};

Values lower_reduce_window(const LowerArgs& args) {
  const auto* const reduction =
      std::find_if(std::begin(kWindowReductions), std::end(kWindowReductions),
                   [&](const WindowReduction& r) { return args.attrs().string("op") == r.op; });
  if (reduction == std::end(kWindowReductions))
    throw Unsupported{"an unknown reduction of windows"};
  Emitter& emit = args.emit;
  const Type result = args.result();
  if (result.num_elements() == 0 || args[0].type.num_elements() == 0)
    return {identity_value(emit, reduction->identity, result)};
  if (result.rank() == 0) return {args[0]};
  // Sums of half-precision floats are rounded once, at the end.
  const std::string element = is_half_element(result.element) ? "f32" : result.element;
  const Type scalar{element, {}};
  const Type wide{element, result.dims};
  const Value operands[] = {emit.convert(args[0], element),
                            identity_value(emit, reduction->identity, scalar)};
  const Emitter::Region region{{scalar, scalar}, [&](const Values& v) {
                                 return Values{emit.binary(reduction->operation, v[0], v[1])};
                               }};
  const WindowShape shape(args.attrs(), args[0].type.dims, result.dims);
  const Value y = emit.op_with_regions("reduce_window", operands, std::span(&wide, 1),
                                       std::span(&region, 1), shape.attributes())[0];
  return {emit.convert(y, result.element)};
}

/// Finds the extremum of each window as the number of its element ("tap") in the window. If several
/// are equal, it is the first; if there is only padding, it is -1. A NaN is the extremum only if it
/// is the first element.
class WindowTaps {
 public:
  WindowTaps(Emitter& emit, WindowShape shape)
      : emit_(emit), shape_(std::move(shape)), offsets_(shape_.tap_offsets()) {}

  /// Calls take(tap, condition) for each tap, in order. `condition` is true for each window in
  /// which the tap is better than those before it; it has no name for a first tap that is never
  /// padding.
  using Take = std::function<void(size_t tap, const Value& condition)>;
  void for_each_improvement(const Value& x, const std::string& op, const Take& take) {
    const Value padded = with_padding(x);
    Value best;
    Value found;  // with padding: whether there was an earlier element
    for (size_t tap = 0; tap < offsets_.size(); ++tap) {
      const Value value = slice(padded, tap);
      const Value inside = shape_.is_padded() ? inside_mask(tap) : Value();
      Value better = inside;
      if (tap > 0) {
        better = emit_.compare(op == "max" ? "GT" : "LT", value, best);
        if (!inside.name.empty()) {
          const Value first = emit_.unary("not", found);
          better = emit_.binary("and", inside, emit_.binary("or", first, better));
        }
      }
      best = tap == 0 ? value : emit_.select(better, value, best);
      if (!inside.name.empty()) found = tap == 0 ? inside : emit_.binary("or", found, inside);
      take(tap, better);
    }
  }

  /// The tap of the extremum of each window, as integers.
  Value extrema(const Value& x, const std::string& op) {
    const Type type{"i32", shape_.y};
    Value best = emit_.fill_int(shape_.is_padded() ? -1 : 0, type);
    for_each_improvement(x, op, [&](size_t tap, const Value& better) {
      if (better.name.empty()) return;
      best = emit_.select(better, emit_.fill_int(static_cast<int64_t>(tap), type), best);
    });
    return best;
  }

  /// Element `tap` of each window of a padded array.
  Value slice(const Value& padded, size_t tap) {
    Ints limits;
    for (size_t d = 0; d < shape_.rank(); ++d)
      limits.push_back(offsets_[tap][d] + (shape_.y[d] - 1) * shape_.strides[d] + 1);
    return emit_.slice(padded, offsets_[tap], limits, shape_.strides);
  }

  Value with_padding(const Value& x) {
    if (!shape_.is_padded()) return x;
    const Ints none(shape_.rank(), 0);
    return emit_.pad(x, emit_.fill(0, {x.type.element, {}}), shape_.pad_low, shape_.pad_high, none);
  }

  /// The inverse of slice(with_padding(x), tap): an array like x with zeros elsewhere.
  Value unslice(const Value& values, size_t tap) {
    Ints low;
    Ints high;
    Ints holes;
    for (size_t d = 0; d < shape_.rank(); ++d) {
      low.push_back(offsets_[tap][d] - shape_.pad_low[d]);
      holes.push_back(shape_.strides[d] - 1);
      high.push_back(shape_.x[d] - low[d] - (shape_.y[d] - 1) * shape_.strides[d] - 1);
    }
    return emit_.pad(values, emit_.fill(0, {values.type.element, {}}), low, high, holes);
  }

  size_t count() const { return offsets_.size(); }

 private:
  /// Whether element `tap` of each window is an element of x: one vector for each dimension.
  Value inside_mask(size_t tap) {
    Value mask;
    for (size_t d = 0; d < shape_.rank(); ++d) {
      Tensor line = Tensor::empty(DType::boolean, Shape{shape_.y[d]});
      bool all = true;
      for (int64_t o = 0; o < shape_.y[d]; ++o) {
        const int64_t at = o * shape_.strides[d] - shape_.pad_low[d] + offsets_[tap][d];
        const bool inside = at >= 0 && at < shape_.x[d];
        line.mutable_data<bool>()[o] = inside;
        all = all && inside;
      }
      if (all) continue;
      const Ints along{static_cast<int64_t>(d)};
      const Value part = emit_.broadcast(emit_.literal(line), along, shape_.y);
      mask = mask.name.empty() ? part : emit_.binary("and", mask, part);
    }
    return mask.name.empty() ? emit_.fill_int(1, {"i1", shape_.y}) : mask;
  }

  Emitter& emit_;
  WindowShape shape_;
  std::vector<Ints> offsets_;
};

/// The flat index in x of the extremum of each window; -1 if there is only padding. For windows
/// that are too large to unroll.
Value flat_extrema(Emitter& emit, const Value& x, const WindowShape& shape, const std::string& op) {
  const int64_t count = x.type.num_elements();
  const std::string integer = count > std::numeric_limits<int32_t>::max() ? "i64" : "i32";
  const Value flat = emit.reshape(emit.iota(0, {integer, {count}}), x.type.dims);
  const Type value{x.type.element, {}};
  const Type index{integer, {}};
  const Value operands[] = {x, flat, emit.fill(0, value), emit.fill_int(-1, index)};
  const Type results[] = {{x.type.element, shape.y}, {integer, shape.y}};
  const Emitter::Region region{
      {value, index, value, index}, [&](const Values& v) {
        // -1 stands for no element. A later element replaces an earlier one only if it is better.
        const Value zero = emit.fill_int(0, index);
        const char* const better = op == "max" ? "GT" : "LT";
        const Value first_stays = emit.compare(better, v[0], v[2]);
        const Value second_wins =
            emit.select(emit.compare("GT", v[3], v[1]), emit.compare(better, v[2], v[0]),
                        emit.unary("not", first_stays));
        const Value takes_second =
            emit.binary("or", emit.compare("LT", v[1], zero),
                        emit.binary("and", emit.compare("GE", v[3], zero), second_wins));
        return Values{emit.select(takes_second, v[2], v[0]), emit.select(takes_second, v[3], v[1])};
      }};
  return emit.op_with_regions("reduce_window", operands, results, std::span(&region, 1),
                              shape.attributes())[1];
}

/// select_window for large windows: gathers from the flat array.
Value select_by_index(Emitter& emit, const Value& at, const Value& g) {
  const Value flat = emit.reshape(g, {g.type.num_elements()});
  const Value taken =
      emit.op("gather", {flat, at}, {g.type.element, at.type.dims},
              format("dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], "
                     "start_index_map = [0], index_vector_dim = {}>, slice_sizes = array<i64: 1>, "
                     "indices_are_sorted = false",
                     at.type.rank()));
  const Value exists = emit.compare("GE", at, emit.fill_int(0, at.type));
  return emit.select(exists, taken, emit.fill(0, taken.type));
}

/// select_and_scatter_add for large windows: scatters into the flat array, ignoring the index -1.
Value scatter_by_index(Emitter& emit, const Value& at, const Value& dy, const Ints& x) {
  const Type flat{dy.type.element, {Type{"", x}.num_elements()}};
  const Type scalar{dy.type.element, {}};
  const Value operands[] = {emit.fill(0, flat), at, dy};
  const Emitter::Region region{
      {scalar, scalar}, [&](const Values& v) { return Values{emit.binary("add", v[0], v[1])}; }};
  const Value sums = emit.op_with_regions(
      "scatter", operands, std::span(&flat, 1), std::span(&region, 1),
      format("scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], "
             "scatter_dims_to_operand_dims = [0], index_vector_dim = {}>, "
             "indices_are_sorted = false, unique_indices = false",
             at.type.rank()))[0];
  return emit.reshape(sums, x);
}

Values lower_select_window(const LowerArgs& args) {
  Emitter& emit = args.emit;
  const Type result = args.result();
  const Value& x = args[0];
  if (result.num_elements() == 0 || x.type.num_elements() == 0) return {emit.fill(0, result)};
  if (result.rank() == 0) return {args[1]};
  const std::string& op = args.attrs().string("op");
  const WindowShape shape(args.attrs(), x.type.dims, result.dims);
  if (shape.taps() > kMostTaps)
    return {select_by_index(emit, flat_extrema(emit, x, shape, op), args[1])};
  WindowTaps taps(emit, shape);
  const Value g = taps.with_padding(args[1]);
  Value selected = emit.fill(0, result);
  taps.for_each_improvement(x, op, [&](size_t tap, const Value& better) {
    const Value here = taps.slice(g, tap);
    selected = better.name.empty() ? here : emit.select(better, here, selected);
  });
  return {selected};
}

/// Each element of adjacent windows compares its position with that of the extremum, in one pass
/// over x. `elements` [y0, w0, y1, w1, ...] has one dimension for the windows and one for the
/// positions inside them.
Value scatter_into_disjoint(Emitter& emit, const Value& at, const Value& dy,
                            const WindowShape& shape) {
  Ints elements;
  Ints places;
  Ints covered;
  Ints rest;
  for (size_t d = 0; d < shape.rank(); ++d) {
    places.push_back(static_cast<int64_t>(2 * d));
    elements.insert(elements.end(), {shape.y[d], shape.window[d]});
    covered.push_back(shape.y[d] * shape.window[d]);
    rest.push_back(shape.x[d] - covered[d]);
  }
  const Value tap = emit.reshape(emit.iota(0, {"i32", {shape.taps()}}), shape.window);
  Ints inner = places;
  for (int64_t& d : inner) ++d;
  const Value is_extremum = emit.compare("EQ", emit.broadcast(at, places, elements),
                                         emit.broadcast(tap, inner, elements));
  const Value spread = emit.broadcast(dy, places, elements);
  Value dx = emit.reshape(emit.select(is_extremum, spread, emit.fill(0, spread.type)), covered);
  if (covered == shape.x) return dx;
  const Ints none(shape.rank(), 0);
  return emit.pad(dx, emit.fill(0, {dx.type.element, {}}), none, rest, none);
}

Value scatter_by_taps(Emitter& emit, const Value& x, const Value& dy, const WindowShape& shape,
                      const std::string& op) {
  WindowTaps taps(emit, shape);
  const Value at = taps.extrema(x, op);
  if (shape.is_disjoint()) return scatter_into_disjoint(emit, at, dy, shape);
  const Value zeros = emit.fill(0, dy.type);
  Value dx;
  for (size_t tap = 0; tap < taps.count(); ++tap) {
    const Value is_extremum =
        emit.compare("EQ", at, emit.fill_int(static_cast<int64_t>(tap), at.type));
    const Value part = taps.unslice(emit.select(is_extremum, dy, zeros), tap);
    dx = tap == 0 ? part : emit.binary("add", dx, part);
  }
  return dx;
}

/// StableHLO's select_and_scatter has no dilations, does not define the result for windows in the
/// padding, and adds in no fixed order.
Values lower_select_and_scatter_add(const LowerArgs& args) {
  Emitter& emit = args.emit;
  const Type result = args.result();
  if (result.num_elements() == 0 || args[1].type.num_elements() == 0) return {emit.fill(0, result)};
  if (result.rank() == 0) return {args[1]};
  const std::string& op = args.attrs().string("op");
  const Value dy = emit.convert(args[1], is_half_element(result.element) ? "f32" : result.element);
  const WindowShape shape(args.attrs(), result.dims, dy.type.dims);
  const Value dx =
      shape.taps() > kMostTaps
          ? scatter_by_index(emit, flat_extrema(emit, args[0], shape, op), dy, result.dims)
          : scatter_by_taps(emit, args[0], dy, shape, op);
  return {emit.convert(dx, result.element)};
}

constexpr Rule kWindowRules[] = {
    {"reduce_window", lower_reduce_window},
    {"select_window", lower_select_window},
    {"select_and_scatter_add", lower_select_and_scatter_add},
};

}  // namespace

Rules window_rules() { return kWindowRules; }

}  // namespace antler::pjrt

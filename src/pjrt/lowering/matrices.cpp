#include "pjrt/lowering/matrices.h"

#include <algorithm>
#include <limits>

namespace antler::pjrt {

Value Matrices::batch(const Value& x) {
  const bool is_short = is_half_element(x.type.element);
  const Value wide = emit_.convert(x, is_short ? "f32" : x.type.element);
  const Ints& dims = x.type.dims;
  int64_t count = 1;
  for (size_t i = 0; i + 2 < dims.size(); ++i) count *= dims[i];
  return emit_.reshape(wide, {count, dims[dims.size() - 2], dims.back()});
}

Value Matrices::result(const Value& x, const Type& type) {
  return emit_.reshape(emit_.convert(x, type.element), type.dims);
}

Value Matrices::identity(const Type& type) {
  const Value on_diagonal = emit_.compare("EQ", row_index(type.dims), column_index(type.dims));
  return emit_.convert(on_diagonal, type.element);
}

Value Matrices::triangle(const Value& x, const char* kept) {
  const Ints& dims = x.type.dims;
  const Value mask = emit_.compare(kept, row_index(dims), column_index(dims));
  return emit_.select(mask, x, like(0, x));
}

Value Matrices::upper_triangle(const Value& x) { return triangle(x, "LE"); }
Value Matrices::lower_triangle(const Value& x) { return triangle(x, "GE"); }

Value Matrices::transposed(const Value& x) { return emit_.transpose(x, Ints{0, 2, 1}); }

Value Matrices::diagonal(const Value& x) {
  const int64_t size = std::min(x.type.dims[1], x.type.dims[2]);
  const Value square = part(part(x, 1, 0, size), 2, 0, size);
  return sum(triangle(square, "EQ"), 1);
}

Value Matrices::sum(const Value& x, int64_t axis) {
  return emit_.reduce("add", x, emit_.fill(0, {x.type.element, {}}), Ints{axis});
}

Value Matrices::part(const Value& x, int64_t axis, int64_t first, int64_t last) {
  const auto a = static_cast<size_t>(axis);
  if (first == 0 && last == x.type.dims[a]) return x;
  Ints starts(x.type.dims.size(), 0);
  Ints limits = x.type.dims;
  starts[a] = first;
  limits[a] = last;
  return emit_.slice(x, starts, limits, Ints(limits.size(), 1));
}

Value Matrices::sorted_columns(const Value& x, const Value& keys, bool descending) {
  const Value operands[] = {as_rows(keys, x.type.dims), x};
  const Type types[] = {operands[0].type, x.type};
  const Type key{keys.type.element, {}};
  const Type element{x.type.element, {}};
  const Emitter::Region region{{key, key, element, element}, [&](const Values& v) {
                                 return Values{emit_.compare(descending ? "GT" : "LT", v[0], v[1])};
                               }};
  return emit_.op_with_regions("sort", operands, types, std::span(&region, 1),
                               "dimension = 2 : i64, is_stable = true")[1];
}

Value Matrices::scale(const Value& x) {
  const Value largest = emit_.reduce("maximum", emit_.unary("abs", x),
                                     emit_.fill(0, {x.type.element, {}}), Ints{1, 2});
  const Value infinite = like(std::numeric_limits<double>::infinity(), largest);
  const Value is_usable = emit_.binary("and", emit_.compare("GT", largest, like(0, largest)),
                                       emit_.compare("LT", largest, infinite));
  return emit_.select(is_usable, largest, like(1, largest));
}

Values Matrices::repeat(int64_t count, bool backwards, const Values& carried, const Step& step) {
  const Type index{"i32", {}};
  Values all = {emit_.fill_int(0, index)};
  all.insert(all.end(), carried.begin(), carried.end());
  std::vector<Type> types;
  for (const Value& v : all) types.push_back(v.type);
  const Emitter::Region regions[] = {
      {types,
       [&](const Values& v) {
         return Values{emit_.compare("LT", v[0], emit_.fill_int(count, index))};
       }},
      {types, [&](const Values& v) {
         const Value last = emit_.fill_int(count - 1, index);
         const Value i = backwards ? emit_.binary("subtract", last, v[0]) : v[0];
         Values next = step(i, Values(v.begin() + 1, v.end()));
         next.insert(next.begin(), emit_.binary("add", v[0], emit_.fill_int(1, index)));
         return next;
       }}};
  Values last = emit_.op_with_regions("while", all, types, regions);
  last.erase(last.begin());
  return last;
}

Values zero_results(const LowerArgs& args) {
  Values zeros;
  for (const TensorSpec& spec : args.outputs) zeros.push_back(args.emit.fill(0, type_of(spec)));
  return zeros;
}

}  // namespace antler::pjrt

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "antler/core/tensor.h"

namespace antler::ops {
struct DeviceGrid;
}

namespace antler::pjrt {

using Ints = std::vector<int64_t>;

/// The name of a dtype in MLIR: "f32", "i64", "ui8", "i1".
const char* element_type(DType dtype);
bool is_float_element(std::string_view element);
/// Whether it is "bf16" or "f16".
bool is_half_element(std::string_view element);

/// The type of a value: MLIR's name of the element type ("f32", "complex<f32>") and the shape.
struct Type {
  std::string element;
  Ints dims;
  /// "tensor<32x10xf32>"
  std::string str() const;
  int64_t rank() const { return static_cast<int64_t>(dims.size()); }
  int64_t num_elements() const;
};
Type type_of(const TensorSpec& spec);

/// An SSA value.
struct Value {
  std::string name;  ///< "%12"
  Type type;
};
using Values = std::vector<Value>;

// Attributes, as MLIR writes them.
std::string i64_array(std::span<const int64_t> numbers);                    ///< array<i64: 1, 2>
std::string i64_scalar(int64_t number);                                     ///< 3 : i64
std::string i64_pairs(std::span<const std::pair<int64_t, int64_t>> pairs);  ///< dense of Nx2xi64
std::string join_ints(std::span<const int64_t> numbers);                    ///< 1, 2

/// Writes the operations of a StableHLO module (openxla/stablehlo, spec.md) in MLIR's generic text
/// form, which needs no special printer for each operation. Regions can use the values outside of
/// them, except regions of reductions, sorts and scatters.
class Emitter {
 public:
  /// For a module that this many replicas run together, or the devices of a mesh.
  explicit Emitter(int64_t replicas = 1, const ops::DeviceGrid* grid = nullptr)
      : replicas_(replicas), grid_(grid) {}
  int64_t replicas() const { return replicas_; }
  /// Null if the module is not for a mesh.
  const ops::DeviceGrid* grid() const { return grid_; }
  /// x, divided over the mesh as a Shardy attribute specifies (see mesh.h).
  Value constrain(const Value& x, std::string_view sharding);
  /// The number of the replica that runs this code (i32).
  Value replica_id() { return convert(op("replica_id", {}, {"ui32", {}}), "i32"); }

  /// An operation "stablehlo.NAME" with one result. `attributes` is the inside of its dictionary.
  Value op(std::string_view name, std::span<const Value> operands, Type result,
           std::string_view attributes = {});
  Value op(std::string_view name, std::initializer_list<Value> operands, Type result,
           std::string_view attributes = {}) {
    return op(name, std::span(operands.begin(), operands.size()), std::move(result), attributes);
  }
  /// Several results.
  Values op(std::string_view name, std::span<const Value> operands, std::span<const Type> results);
  /// Several results and regions. `regions[i]` receives the arguments of its block, whose types are
  /// `region_arguments[i]`, and returns the results of the block.
  using Body = std::function<Values(const Values& arguments)>;
  struct Region {
    std::vector<Type> arguments;
    Body body;
  };
  Values op_with_regions(std::string_view name, std::span<const Value> operands,
                         std::span<const Type> results, std::span<const Region> regions,
                         std::string_view attributes = {});

  // The operations that lowerings need most. All operands have one type unless stated otherwise.
  Value unary(std::string_view name, const Value& x) { return op(name, {x}, x.type); }
  Value binary(std::string_view name, const Value& x, const Value& y) {
    return op(name, {x, y}, x.type);
  }
  /// direction: EQ, NE, LT, LE, GT, GE
  Value compare(std::string_view direction, const Value& x, const Value& y);
  Value select(const Value& condition, const Value& x, const Value& y) {
    return op("select", {condition, x, y}, x.type);
  }
  /// Converts the elements; conversion from floats to integers truncates.
  Value convert(const Value& x, std::string element);
  Value reshape(const Value& x, Ints dims);
  Value transpose(const Value& x, std::span<const int64_t> permutation);
  /// Dimension i of x becomes dimension `dimensions[i]` of the result.
  Value broadcast(const Value& x, std::span<const int64_t> dimensions, Ints dims);
  Value slice(const Value& x, std::span<const int64_t> start, std::span<const int64_t> limit,
              std::span<const int64_t> strides);
  Value pad(const Value& x, const Value& scalar, std::span<const int64_t> low,
            std::span<const int64_t> high, std::span<const int64_t> interior);
  Value concatenate(std::span<const Value> parts, int64_t axis);
  Value iota(int64_t axis, Type type);
  /// Reduces over `axes` with the binary operation `name`, starting from the scalar `initial`.
  Value reduce(std::string_view name, const Value& x, const Value& initial,
               std::span<const int64_t> axes);
  /// Starts are scalars of one integer type.
  Value dynamic_slice(const Value& x, std::span<const Value> starts,
                      std::span<const int64_t> sizes);
  Value dynamic_update_slice(const Value& x, const Value& update, std::span<const Value> starts);
  /// take(): element `i` (a scalar) along an axis, which is removed. put(): x with `element` in
  /// that place.
  Value take(const Value& x, int64_t axis, const Value& i);
  Value put(const Value& x, int64_t axis, const Value& i, const Value& element);

  // Constants.
  Value literal(const Tensor& tensor);
  /// A number repeated over a type; integers must be whole.
  Value fill(double number, const Type& type);
  Value fill_int(int64_t number, const Type& type);
  Value scalar(double number, std::string_view element) {
    return fill(number, {std::string(element), {}});
  }
  /// The largest (or smallest) value of the element type: infinity for floats.
  Value extreme(bool largest, const Type& type);

  /// During its lifetime, operations are marked as coming from `place`, which then appears in the
  /// compiler's errors and profiles. `place` must not need escapes in quotes.
  class Location {
   public:
    Location(Emitter& emitter, std::string place)
        : emitter_(emitter), previous_(std::exchange(emitter.place_, std::move(place))) {}
    ~Location() { emitter_.place_ = std::move(previous_); }
    Location(const Location&) = delete;
    Location& operator=(const Location&) = delete;

   private:
    Emitter& emitter_;
    std::string previous_;
  };

  /// A new SSA name.
  std::string fresh();
  /// The text written so far.
  const std::string& text() const { return text_; }

 private:
  void line(const std::string& text);
  void begin(std::string_view name, std::span<const Value> operands, size_t results,
             std::vector<std::string>& names);
  void end(std::span<const Value> operands, std::span<const Type> results,
           std::string_view attributes);

  std::string text_;
  std::string place_;
  int64_t next_ = 0;
  int64_t replicas_;
  const ops::DeviceGrid* grid_;
};

}  // namespace antler::pjrt

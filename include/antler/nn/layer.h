#pragma once

#include <concepts>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "antler/base/json.h"
#include "antler/core/dtype_arg.h"
#include "antler/core/keyword.h"
#include "antler/core/nest.h"
#include "antler/core/variable.h"
#include "antler/nn/call_options.h"
#include "antler/nn/constraint.h"
#include "antler/nn/initializer.h"
#include "antler/nn/input_spec.h"
#include "antler/nn/random_seed.h"
#include "antler/nn/regularizer.h"

namespace antler {

/// Options of Layer::add_weight.
struct WeightOptions {
  Shape shape = {};                    ///< {}: a scalar
  Initializer initializer = {};        ///< not given: "glorot_uniform"
  std::optional<DTypeArg> dtype = {};  ///< not given: the layer's variable dtype
  bool trainable = true;
  Regularizer regularizer = {};  ///< its penalty is one of the layer's losses
  Constraint constraint = {};    ///< applied after each update by an optimizer
  bool autocast = true;          ///< whether value_of() converts it to the compute dtype
  /// When and how the replicas of a distribution strategy agree on its value. `aggregation` not
  /// given: none for a trainable weight, else the mean (replica 0's value for integers and bools).
  VariableSynchronization synchronization = VariableSynchronization::automatic;
  std::optional<VariableAggregation> aggregation = {};  ///< likewise
  std::string name = "variable";
};

/// The options of every layer, Keras's base arguments.
struct LayerOptions {
  std::optional<std::string> name = {};   ///< not given: class name in snake case, made unique
  std::optional<std::string> dtype = {};  ///< name of a dtype or of a policy; see DTypePolicy
  bool trainable = true;
  Regularizer activity_regularizer = {};  ///< penalty of the outputs, divided by the batch size
  bool autocast = true;  ///< whether floating inputs are converted to the compute dtype
};

class Layer;
class RNNCell;
struct DTypePolicy;
struct LayerState;
using LayerPtr = std::shared_ptr<Layer>;
/// Tensors of a layer under the keys of Keras's files ("0", "1", ...), in order.
using VariableStore = std::vector<std::pair<std::string, Tensor>>;

/// Base of all layers and models. A layer object is a handle: it holds its options, which never
/// change, and shares its state (name, weights, sublayers) with its copies. So layers are passed by
/// value, and a copy is an alias.
///
/// To write a layer, derive from `LayerBase<MyLayer>` and override `call`, and `build` if it has
/// weights:
///
///     class Scale : public LayerBase<Scale> {
///      public:
///       void build(const Shape& input) override {
///         factor_ = add_weight({.shape = {input.back()}, .name = "factor"});
///       }
///       Tensor call(const Tensor& x) override { return x * factor_; }
///
///      private:
///       Variable factor_;
///     };
///
/// A layer may be declared first and assigned later, such as a member that `build` sets: `Dense
/// head_;` and `head_ = track(Dense(10));`. Using one that was never assigned throws TypeError.
///
/// `build` and `call` always run on one instance that all copies share (see share()). So `call`
/// finds the members that `build` has set, whichever copy is called. The variable that is called
/// or put into a list of layers first gets these members when the layer is built; other copies may
/// lack them.
class Layer {
 public:
  /// The type that holds an object of a derived class in lists and files.
  using Handle = LayerPtr;
  virtual ~Layer();

  /// Calls the layer: builds it on first use, sets `training`, checks the input, and calls `call`.
  /// With placeholders, it adds a node to the functional graph instead. Const layers can be called,
  /// too, because the state belongs to all copies.
  Tensor operator()(const Tensor& input, const CallOptions& options = {}) const;
  Tensor operator()(const Tensor& input, const CallOptions& options = {});
  Nest operator()(const Nest& inputs, const CallOptions& options = {}) const;
  Nest operator()(const Nest& inputs, const CallOptions& options = {});
  /// A list of inputs and one output: `Add()({a, b})`.
  Tensor operator()(std::initializer_list<Tensor> inputs, const CallOptions& options = {}) const;
  Tensor operator()(std::initializer_list<Tensor> inputs, const CallOptions& options = {});
  /// Inputs one by one, for layers whose `call` in Keras has a parameter for each:
  /// `attention(query, value)`. Throws TypeError for layers that take one input or a list.
  template <std::same_as<Tensor> T>
  Tensor operator()(const Tensor& first, const T& second, const CallOptions& options = {}) const {
    return call_one_by_one({first, second}, options);
  }
  template <std::same_as<Tensor> T, std::same_as<Tensor> U>
  Tensor operator()(const Tensor& first, const T& second, const U& third,
                    const CallOptions& options = {}) const {
    return call_one_by_one({first, second, third}, options);
  }
  /// The value of a variable. (Templates, because a variable converts to a tensor and to a nest.)
  template <std::same_as<Variable> V>
  Tensor operator()(const V& input, const CallOptions& options = {}) const {
    return (*this)(Tensor(input), options);
  }
  template <std::same_as<Variable> V>
  Tensor operator()(const V& input, const CallOptions& options = {}) {
    return (*this)(Tensor(input), options);
  }
  /// The same with keywords: `layer(x, kw::training = true)`,
  /// `attention(query, value, kw::use_causal_mask = true)`. With `kw::return_attention_scores`, the
  /// result is a Nest of the output and the scores.
  template <class... K>
  requires KeywordArguments<K...> Tensor operator()(const Tensor& input, K... keywords) const {
    return (*this)(input, call_options(std::move(keywords)...));
  }
  template <class... K>
  requires KeywordArguments<K...> Tensor operator()(const Tensor& input, K... keywords) {
    return (*this)(input, call_options(std::move(keywords)...));
  }
  template <class... K>
  requires KeywordArguments<K...> Nest operator()(const Nest& inputs, K... keywords) const {
    return (*this)(inputs, call_options(std::move(keywords)...));
  }
  template <class... K>
  requires KeywordArguments<K...> Nest operator()(const Nest& inputs, K... keywords) {
    return (*this)(inputs, call_options(std::move(keywords)...));
  }
  template <class... K>
  requires KeywordArguments<K...> Tensor operator()(std::initializer_list<Tensor> inputs,
                                                    K... keywords) const {
    return (*this)(inputs, call_options(std::move(keywords)...));
  }
  template <class... K>
  requires KeywordArguments<K...> Tensor operator()(std::initializer_list<Tensor> inputs,
                                                    K... keywords) {
    return (*this)(inputs, call_options(std::move(keywords)...));
  }
  template <std::same_as<Tensor> T, class... K>
  requires KeywordArguments<K...>
  auto operator()(const Tensor& first, const T& second, K... keywords) const {
    return one_by_one<K...>({first, second}, call_options(std::move(keywords)...));
  }
  template <std::same_as<Tensor> T, std::same_as<Tensor> U, class... K>
  requires KeywordArguments<K...>
  auto operator()(const Tensor& first, const T& second, const U& third, K... keywords) const {
    return one_by_one<K...>({first, second, third}, call_options(std::move(keywords)...));
  }

  /// Creates the weights for inputs of this shape (dimension 0 is the batch and may be unknown).
  virtual void build(const Shape& input_shape);
  /// The same for several inputs. The default handles a single one.
  virtual void build(const std::vector<Shape>& input_shapes);
  /// Computes the outputs with ops. Override one of these. If a call does not give `training`, it
  /// is inherited from the enclosing call; sublayers inherit it in turn. `mask` is undefined if
  /// there is none. The options hold both and all other arguments of the call. Take Tensors for
  /// several inputs, and Nests also for several outputs. Callers use operator(), so it does no harm
  /// that an override hides the other overloads. The base throws NotImplementedError.
  virtual Tensor call(const Tensor& input);
  virtual Tensor call(const Tensor& input, bool training);
  virtual Tensor call(const Tensor& input, const Tensor& mask);
  virtual Tensor call(const Tensor& input, bool training, const Tensor& mask);
  virtual Tensor call(const Tensor& input, const CallOptions& options);
  virtual Tensor call(const Tensors& inputs);
  virtual Tensor call(const Tensors& inputs, bool training);
  virtual Nest call(const Nest& inputs);
  virtual Nest call(const Nest& inputs, const CallOptions& options);
  /// Mask of the output. Default: the mask of the input. It is asked for only if the layer supports
  /// masking. Override one of these.
  virtual Tensor compute_mask(const Nest& inputs, const Tensor& mask = {});
  virtual Tensor compute_mask(const Tensor& input, const Tensor& mask);
  /// Names of the parameters of Keras's `call`; the default has one input.
  virtual CallSignature call_signature() const;
  /// The shape of the output for an input shape, whose dimensions may be unknown. It is found by
  /// tracing the call, so there is no need to override it. Models trace as well and do not call it.
  virtual Shape compute_output_shape(const Shape& input_shape) const;
  /// The dtypes and shapes of the outputs, as a tree of placeholders that belong to no graph.
  Nest compute_output_spec(const Nest& inputs, const CallOptions& options = {});
  /// Builds the shared instance unless it is built. Graphs, models and loaders call it instead of
  /// build().
  void ensure_built(const std::vector<Shape>& input_shapes);

  /// The arguments that recreate the layer, under Keras's names.
  virtual Json get_config() const;
  /// Keras's class name ("Dense").
  const std::string& class_name() const;
  const std::string& name() const;
  void set_name(const std::string& name);
  bool built() const;
  bool trainable() const;
  /// Sets the flag of this layer and of all its sublayers.
  void set_trainable(bool trainable);
  /// The dtypes of the weights and of the computation.
  const DTypePolicy& dtype_policy() const;
  /// "int8", "int4", "float8" ... after quantize(), else empty.
  const std::string& quantization_mode() const;
  DType variable_dtype() const;
  DType dtype() const { return variable_dtype(); }  ///< variable_dtype() under Keras's other name
  DType compute_dtype() const;
  bool supports_masking() const;

  /// Weights in Keras's order: own trainable, own non-trainable, then the sublayers'.
  Variables weights() const;
  /// weights(), then the states of random generators.
  Variables variables() const;
  Variables trainable_variables() const;
  Variables non_trainable_variables() const;
  /// The trainable and the non-trainable weights(), without the states of random generators.
  Variables trainable_weights() const { return trainable_variables(); }
  Variables non_trainable_weights() const;
  int64_t count_params() const;  ///< Throws ValueError if the layer is not built.
  Tensors get_weights() const;
  /// Throws ValueError if the count or a shape does not match.
  void set_weights(const Tensors& values);
  /// The direct sublayers.
  std::vector<LayerPtr> sublayers() const;
  /// The input and output placeholders of the layer's first call in a functional graph, or those
  /// that a functional model was created from. Throw AttributeError if there are none.
  virtual Nest input() const;
  virtual Nest output() const;
  /// The losses of activity regularizers and add_loss() from the last call, including sublayers;
  /// then the penalties of the trainable weights that have a regularizer.
  Tensors losses() const;
  void add_loss(const Tensor& loss);
  /// Penalty on the outputs, divided by the batch size. It can be set until the layer is called.
  const Regularizer& activity_regularizer() const;
  void set_activity_regularizer(Regularizer regularizer);

  /// The tensors that files store for the layer itself, without its sublayers. Default: its
  /// weights, trainable ones first.
  virtual VariableStore save_own_variables() const;
  /// The reverse. Throws ValueError if the count or a shape does not match.
  virtual void load_own_variables(const VariableStore& store);
  /// Replaces the weights by quantized ones. `mode` is for example "int8". Throws
  /// NotImplementedError if the layer has no such form.
  virtual void quantize(const std::string& mode);

  /// The instance that all copies share. Graphs and models keep it.
  LayerPtr share() const;
  /// The same for a variable, which gets the members that `build` and the first call set.
  LayerPtr share();
  /// Calls share(), so that a layer can be passed where a LayerPtr is expected:
  /// `layers.push_back(Dense(8))`.
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator std::shared_ptr<Layer>() const { return share(); }
  const std::shared_ptr<LayerState>& state() const { return state_; }

 protected:
  /// (A template, so that options in braces do not convert to a class name.)
  template <std::convertible_to<std::string> S>
  explicit Layer(const S& class_name, const LayerOptions& options = {})
      : Layer(new_state(class_name, options)) {}
  /// Does not compile. Layers derive from LayerBase, which knows how to copy them.
  template <class T = void>
  Layer() {
    static_assert(!std::is_void_v<T>,
                  "A layer of your own derives from LayerBase: "
                  "class MyLayer : public LayerBase<MyLayer> { ... }; its constructor need not "
                  "call LayerBase's.");
  }
  explicit Layer(const LayerOptions&) = delete;  // a layer of your own derives from LayerBase
  /// The copy is an alias.
  Layer(const Layer& other);
  Layer& operator=(const Layer& other);

  /// A copy of the most derived type on the heap; LayerBase implements it. Null for classes that
  /// cannot be shared: such objects can be called, but not become part of a layer or graph.
  virtual std::unique_ptr<Layer> clone_handle() const;
  /// Assigns the members of another object of the same class, between a variable and the shared
  /// instance. Classes whose members never change after the constructor need not implement it.
  virtual void assign_members(const Layer& other);
  /// What the class's own `from_config` makes of get_config(), with which clone_model() copies
  /// classes that are not registered; LayerBase implements it. Null for classes without one.
  virtual std::unique_ptr<Layer> make_from_config(const Json& config) const;
  Variable add_weight(const WeightOptions& options);
  template <class... K>
  requires KeywordArguments<K...> Variable add_weight(K... keywords) {
    return add_weight(from_keywords<WeightOptions>(std::move(keywords)...));
  }
  /// For the default constructors of layers that need arguments; kUnassigned is their name.
  void set_unassigned();
  static constexpr const char* kUnassigned = "unassigned";
  /// The weight with this name. Throws AttributeError if there is none or the layer is not built.
  Variable weight(const std::string& name) const;
  /// Undoes add_weight().
  void remove_weight(const Variable& weight);
  void set_dtype_policy(const DTypePolicy& policy);
  /// The value of a weight in the compute dtype, unless it was added with `autocast` off. `call`
  /// should use it, so that mixed precision works.
  Tensor value_of(const Variable& weight) const;
  /// Registers a sublayer under a path name.
  template <std::derived_from<Layer> L>
  L track(const std::string& name, L layer) {
    track_layer(name, layer.share());
    return layer;
  }
  /// The same under a name derived from its class: "dense", "dense_1", ...
  template <std::derived_from<Layer> L>
  L track(L layer) {
    track_layer(part_name(layer.class_name()), layer.share());
    return layer;
  }
  /// Registers the state of a random generator: saved and traced, but not a weight.
  SeedGenerator track(const std::string& name, SeedGenerator generator);
  void track_layer(const std::string& name, LayerPtr layer);
  /// The first of "dense", "dense_1", ... that no sublayer has.
  std::string part_name(const std::string& class_name) const;
  void set_supports_masking(bool value);
  /// The requirements for inputs, checked at each call. Usually set in `build`.
  void set_input_spec(InputSpec spec);
  /// Off: inputs keep their dtype (the default converts floating inputs to the compute dtype).
  void set_autocast(bool value);

 private:
  explicit Layer(std::shared_ptr<LayerState> state) : state_(std::move(state)) {}
  /// Throws ValueError for a name with a "/".
  static std::shared_ptr<LayerState> new_state(const std::string& class_name,
                                               const LayerOptions& options);
  Tensor call_one_by_one(const Tensors& inputs, const CallOptions& options) const;
  Nest call_for_all_outputs(const Tensors& inputs, const CallOptions& options) const;
  /// Returns a Nest if one of the keywords asks for a second output.
  template <class... K>
  auto one_by_one(const Tensors& inputs, const CallOptions& options) const {
    if constexpr (((std::string_view(K::Keyword::kName) == "return_attention_scores") || ...)) {
      return call_for_all_outputs(inputs, options);
    } else {
      return call_one_by_one(inputs, options);
    }
  }
  /// Makes this object the state's `original`, unless there is one or the layer is built.
  void become_original();
  void cease_to_be_original();
  friend struct LayerInternals;
  std::shared_ptr<LayerState> state_;
};

namespace internal {
/// The name of a class without namespaces: "MyLayer".
std::string class_name(const std::type_info& type);

/// Accepts a pointer to a `call` or `build` that L inherits, or that overrides one of Layer's.
template <class L>
struct LayerMembers {
  template <class F, class C>
  requires(!std::same_as<C, L>) static void call(F C::*inherited);
  static void call(Tensor (L::*)(const Tensor&));
  static void call(Tensor (L::*)(const Tensor&, bool));
  static void call(Tensor (L::*)(const Tensor&, const Tensor&));
  static void call(Tensor (L::*)(const Tensor&, bool, const Tensor&));
  static void call(Tensor (L::*)(const Tensor&, const CallOptions&));
  static void call(Tensor (L::*)(const Tensors&));
  static void call(Tensor (L::*)(const Tensors&, bool));
  static void call(Nest (L::*)(const Nest&));
  static void call(Nest (L::*)(const Nest&, const CallOptions&));
  // Those of RNNCell.
  static void call(std::pair<Tensor, Tensors> (L::*)(
      const Tensor&, const Tensors&)) requires std::derived_from<L, RNNCell>;
  static void call(std::pair<Tensor, Tensors> (L::*)(const Tensor&, const Tensors&,
                                                     bool)) requires std::derived_from<L, RNNCell>;
  template <class F, class C>
  requires(!std::same_as<C, L>) static void build(F C::*inherited);
  static void build(void (L::*)(const Shape&));
  static void build(void (L::*)(const std::vector<Shape>&));
};
/// Bases whose constructor takes the class's name.
template <class Base>
concept NamedByClass = std::same_as<Base, Layer> || std::same_as<Base, RNNCell>;
/// Also true if L has overloads of the name, or inherits it from several bases.
template <class L>
concept CallFits = !requires {
  &L::call;
}
|| requires { LayerMembers<L>::call(&L::call); };
template <class L>
concept BuildFits = !requires {
  &L::build;
}
|| requires { LayerMembers<L>::build(&L::build); };
template <class L>
concept HasFromConfig = requires(const Json& config) {
  { L::from_config(config) } -> std::same_as<L>;
};
}  // namespace internal

/// Gives a concrete layer the ability to be shared by value. `Base` is Layer or a class derived
/// from it. Without arguments, or with LayerOptions alone, the layer's class name is that of
/// `Derived`.
template <class Derived, class Base = Layer>
class LayerBase : public Base {
 public:
  using Base::Base;
  LayerBase() requires(!internal::NamedByClass<Base>) = default;
  LayerBase() requires internal::NamedByClass<Base> : Base(internal::class_name(typeid(Derived))) {}
  explicit LayerBase(const LayerOptions& options) requires std::same_as<Base, Layer>
      : Base(internal::class_name(typeid(Derived)), options) {}

 protected:
  // Not std::make_unique: each class that it is used with costs compile time wherever a layer is
  // made.
  std::unique_ptr<Layer> clone_handle() const override {
    static_assert(
        internal::CallFits<Derived>,
        "This layer's `call` would never be called, because it differs from those of "
        "Layer. Write `Tensor call(const Tensor& x) override`, and add `bool training`, "
        "`const Tensor& mask` or both in this order, or `const CallOptions& options` for "
        "all arguments. A layer of several inputs has `Tensor call(const Tensors& inputs) "
        "override`, also with `bool training`, of several outputs `Nest call(const Nest& "
        "inputs) override`.");
    static_assert(internal::BuildFits<Derived>,
                  "This layer's `build` would never be called. Write `void build(const Shape& "
                  "input_shape) override`, or `void build(const std::vector<Shape>& input_shapes) "
                  "override` for several inputs.");
    // A class that derives from Derived without its own LayerBase would be sliced.
    if (typeid(*this) != typeid(Derived)) return nullptr;
    return std::unique_ptr<Layer>(new Derived(static_cast<const Derived&>(*this)));
  }
  std::unique_ptr<Layer> make_from_config([[maybe_unused]] const Json& config) const override {
    if constexpr (internal::HasFromConfig<Derived>) {
      if (typeid(*this) != typeid(Derived)) return nullptr;  // as in clone_handle()
      return std::unique_ptr<Layer>(new Derived(Derived::from_config(config)));
    } else {
      return nullptr;
    }
  }
  void assign_members(const Layer& other) override {
    if constexpr (std::is_copy_assignable_v<Derived>) {
      if (typeid(*this) != typeid(Derived) || typeid(other) != typeid(Derived)) return;
      static_cast<Derived&>(*this) = static_cast<const Derived&>(other);
    }
  }
};

}  // namespace antler

#pragma once

#include <typeinfo>

#include "antler/nn/layer.h"
#include "antler/nn/registry.h"

namespace antler {

/// Base of the library's layers that are made from one options struct: keeps the options and writes
/// them as the layer's configuration. The class name is that of `Derived`. `Base` is Layer or a
/// class derived from it; its constructor gets the arguments after the options.
///
/// The members are defined in nn/layers/classes.h, which the layer's source includes.
template <class Derived, class Opts, class Base = Layer>
class LayerOf : public LayerBase<Derived, Base> {
 public:
  using Options = Opts;
  Json get_config() const override;
  /// A layer with new weights from get_config(). Throws ValueError for a wrong configuration.
  static Derived from_config(const Json& config) {
    const LayerPtr layer = layer_from_config(internal::class_name(typeid(Derived)), config);
    return dynamic_cast<const Derived&>(*layer);
  }

 protected:
  template <class... Args>
  explicit LayerOf(const Options& options, Args&&... args);
  /// The members of the library's layers are reached through the state.
  void assign_members(const Layer&) override {}
  Options options_;

 private:
  /// Set by the constructor, because only the source of the layer knows the names of the fields.
  Json (*write_)(const Layer& layer, const Options& options);
};

}  // namespace antler

#pragma once

#include <string>

#include "antler/base/string_like.h"
#include "antler/core/keyword.h"
#include "antler/training/model.h"

namespace antler {

/// Arguments of plot_model after the path, in Keras's order.
struct PlotModelOptions {
  bool show_shapes = false;             ///< write shapes of outputs
  bool show_dtype = false;              ///< write dtypes of outputs
  bool show_layer_names = false;        ///< write names of layers
  std::string rankdir = "TB";           ///< top to bottom; or "LR", "BT", "RL"
  bool expand_nested = false;           ///< draw nested models as boxes around their layers
  int dpi = 200;                        ///< of .png
  bool show_layer_activations = false;  ///< write activations
  bool show_trainable = false;          ///< write whether layers are trainable
};

/// The graph of a model's layers in Graphviz's DOT language (Keras's model_to_dot). Throws
/// ValueError for a model that is not built or is subclassed, and for an unknown `rankdir`.
std::string model_to_dot(const Model& model, const PlotModelOptions& options = {});
ANTLER_KEYWORD_FUNCTION(model_to_dot, PlotModelOptions, const Model&)

/// Writes model_to_dot() to a .dot file, or renders it with Graphviz's `dot` as .svg, .png or .pdf
/// (Keras's plot_model), atomically. Throws ValueError like model_to_dot and for another extension;
/// RuntimeError if `dot` is not installed or fails.
void plot_model_to(const std::string& to_file, const Model& model, const PlotModelOptions& options);
// A template, because g++ would convert options in braces to a string.
template <StringLike S>
void plot_model(const Model& model, const S& to_file, const PlotModelOptions& options = {}) {
  plot_model_to(to_file, model, options);
}
template <StringLike S, class... K>
requires KeywordArguments<K...>
void plot_model(const Model& model, const S& to_file, K... keywords) {
  plot_model_to(to_file, model, from_keywords<PlotModelOptions>(std::move(keywords)...));
}
/// Arguments of plot_model, in Keras's order.
struct PlotModelArguments {
  std::string to_file = "model.png";    ///< .png, .svg, .pdf or .dot
  bool show_shapes = false;             ///< write shapes of outputs
  bool show_dtype = false;              ///< write dtypes of outputs
  bool show_layer_names = false;        ///< write names of layers
  std::string rankdir = "TB";           ///< top to bottom; or "LR", "BT", "RL"
  bool expand_nested = false;           ///< draw nested models as boxes around their layers
  int dpi = 200;                        ///< of .png
  bool show_layer_activations = false;  ///< write activations
  bool show_trainable = false;          ///< write whether layers are trainable
};
/// The same by name.
inline void plot_model(const Model& model, const PlotModelArguments& arguments = {}) {
  plot_model_to(arguments.to_file, model,
                {.show_shapes = arguments.show_shapes,
                 .show_dtype = arguments.show_dtype,
                 .show_layer_names = arguments.show_layer_names,
                 .rankdir = arguments.rankdir,
                 .expand_nested = arguments.expand_nested,
                 .dpi = arguments.dpi,
                 .show_layer_activations = arguments.show_layer_activations,
                 .show_trainable = arguments.show_trainable});
}
ANTLER_KEYWORD_FUNCTION(plot_model, PlotModelArguments, const Model&)

}  // namespace antler

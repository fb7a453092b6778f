#pragma once

#include <string>

#include "antler/training/model.h"

namespace antler {

/// Arguments of plot_model behind the path, Keras's, in its order.
struct PlotModelOptions {
  bool show_shapes = false;
  bool show_dtype = false;
  bool show_layer_names = false;
  std::string rankdir = "TB";  ///< top to bottom; or "LR", "BT", "RL"
  bool expand_nested = false;  ///< models inside of models as boxes around their layers
  int dpi = 200;               ///< of .png
  bool show_layer_activations = false;
  bool show_trainable = false;
};

/// The layers of a model and what flows between them as text for Graphviz (Keras's model_to_dot).
/// Throws ValueError for a model that is not built or has no graph (a subclassed one), and for
/// another `rankdir`.
std::string model_to_dot(const Model& model, const PlotModelOptions& options = {});

/// Draws it (Keras's plot_model) as .dot, or with Graphviz's program `dot` as .svg, .png or .pdf.
/// The file appears when it is complete. Throws ValueError as model_to_dot does and for other
/// endings; RuntimeError where `dot` is not installed or fails.
void plot_model(const Model& model, const std::string& to_file = "model.png",
                const PlotModelOptions& options = {});

}  // namespace antler

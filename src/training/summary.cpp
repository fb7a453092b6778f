#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/training/model.h"
#include "base/strings.h"
#include "training/model_state.h"

// Reproduces the layout of Keras 2's `print_summary`.

namespace antler {
namespace {

constexpr int kWideLine = 98;  // with the column "Connected to"
constexpr int kTrainableColumn = 11;

struct Table {
  std::vector<int> ends;  // column ends
  int line_length;
  std::string text;

  void rule(char c) { text += std::string(static_cast<size_t>(line_length), c) + "\n"; }

  /// Adds a row. Long cells wrap, after a closing bracket or quote if possible.
  void row(std::vector<std::string> cells, int level = 0) {
    const size_t last = ends.size() - 1;
    while (
        std::any_of(cells.begin(), cells.end(), [](const std::string& c) { return !c.empty(); })) {
      std::string line = std::string(static_cast<size_t>(level), '|') + " ";
      for (size_t col = 0; col < cells.size(); ++col) {
        const int start = col == 0 ? 0 : ends[col - 1];
        int room = ends[col] - start;
        if (col != last) room -= 3;  // one space before, two after
        if (col == 0) room -= level;
        std::string part = cells[col].substr(0, static_cast<size_t>(std::max(room, 1)));
        size_t cut = std::string::npos;
        for (const char* end : {"),", "},", "],", "',"}) {
          if (const size_t at = part.find(end); at != std::string::npos)
            cut = std::min(cut, at + 2);
        }
        if (cut != std::string::npos) part.resize(cut);
        line += part;
        cells[col].erase(0, part.size());
        if (col != last) line += "  ";
        const int end = ends[col] - (level > 0 && col == last ? level : 0);
        if (static_cast<int>(line.size()) < end)
          line.append(static_cast<size_t>(end) - line.size(), ' ');
      }
      text += line + std::string(static_cast<size_t>(level), '|') + "\n";
    }
  }

  void blank(int level) {
    const std::string bars(static_cast<size_t>(level), '|');
    text += bars + std::string(static_cast<size_t>(line_length - 2 * level), ' ') + bars + "\n";
  }

  void overline(int level) {
    const std::string bars(static_cast<size_t>(level), '|');
    text += bars;
    for (int i = 0; i < line_length - 2 * level; ++i) text += "¯";
    text += bars + "\n";
  }
};

std::string readable_size(int64_t bytes) {
  const char* units[] = {"Byte", "KB", "MB", "GB", "TB", "PB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit < 5; ++unit) value /= 1024;
  return format("{:.2f} {}", value, units[unit]);
}

std::string totals_line(const char* what, const Variables& variables) {
  int64_t count = 0;
  int64_t bytes = 0;
  std::set<uint64_t> seen;
  for (const Variable& v : variables) {
    if (!seen.insert(v.id()).second) continue;
    count += v.shape().num_elements();
    bytes += TensorSpec{v.dtype(), v.shape()}.num_bytes();
  }
  return format("{}{} ({})\n", what, count, readable_size(bytes));
}

std::string joined_shapes(const std::vector<TensorSpec>& specs) {
  if (specs.size() == 1) return specs[0].shape.str();
  return "(" + join(specs, ", ", [](const TensorSpec& spec) { return spec.shape.str(); }) + ")";
}

std::string output_shape(const Layer& layer, const FunctionalGraph* graph) {
  if (graph != nullptr) {
    const auto nodes = graph->nodes_of(layer);
    if (nodes.size() == 1) {
      const std::string shapes = joined_shapes(nodes[0]->outputs);
      return nodes[0]->is_input() ? "[" + shapes + "]" : shapes;
    }
    return "multiple";
  }
  try {
    std::vector<TensorSpec> specs;
    for (const Tensor& t : layer.output().flatten()) specs.push_back(t.spec());
    return joined_shapes(specs);
  } catch (const AttributeError&) {
    return "multiple";  // a layer of a subclassed model: never called in a graph
  }
}

/// "['a[0][0]', 'b[1][0]']": layer, index of its call, index of the output.
std::string connections(const Layer& layer, const FunctionalGraph& graph) {
  std::string list;
  for (const GraphNodePtr& node : graph.nodes_of(layer)) {
    for (const Tensor& t : node->input_placeholders()) {
      const PlaceholderSource& source = placeholder_source(t);
      const auto calls = graph.nodes_of(*source.node->layer);
      const auto call = std::find(calls.begin(), calls.end(), source.node) - calls.begin();
      list += format("{}'{}[{}][{}]'", list.empty() ? "" : ", ", source.node->layer->name(), call,
                     source.index);
    }
  }
  return "[" + list + "]";
}

/// Whether every node has one input and every value one user.
bool is_chain(const FunctionalGraph& graph) {
  std::set<const GraphNode*> used;
  for (const GraphNodePtr& node : graph.nodes()) {
    if (node->is_input()) continue;
    const Tensors inputs = node->input_placeholders();
    if (inputs.size() != 1 || !used.insert(placeholder_source(inputs[0]).node.get()).second)
      return false;
  }
  return graph.inputs().flatten().size() == 1 && graph.outputs().flatten().size() == 1;
}

void add_layers(Table& table, const Model& model, const FunctionalGraph* graph,
                bool with_connections, const SummaryOptions& options, int level) {
  const std::vector<LayerPtr> layers = model.layers();
  for (size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = *layers[i];
    std::vector<std::string> cells = {
        layer.name() + " (" + layer.class_name() + ")", output_shape(layer, graph),
        layer.built() ? std::to_string(layer.count_params()) : "0 (unused)"};
    if (with_connections) cells.push_back(graph != nullptr ? connections(layer, *graph) : "");
    if (options.show_trainable) cells.push_back(layer.trainable() ? "Y" : "N");
    table.row(std::move(cells), level);
    const auto* nested = options.expand_nested ? dynamic_cast<const Model*>(&layer) : nullptr;
    if (nested != nullptr) {
      table.overline(level + 1);
      add_layers(table, *nested, nullptr, with_connections, options, level + 1);
      table.overline(level);
    } else if (level == 0 || i + 1 < layers.size()) {
      table.blank(level);
    }
  }
}

}  // namespace

std::string Model::summary_text(const SummaryOptions& options) const {
  if (!built()) {
    throw ValueError(
        "This model has not yet been built. Build the model first by calling `build()` or by "
        "calling the model on a batch of data.");
  }
  const FunctionalGraph* graph = model_->graph.get();
  const bool wide = graph != nullptr && class_name() != "Sequential" && !is_chain(*graph);
  Table table;
  table.line_length = wide ? std::max(options.line_length, kWideLine) : options.line_length;
  std::vector<std::string> header = {"Layer (type)", "Output Shape", "Param #"};
  const std::vector<double> shares =
      wide ? std::vector{.3, .6, .7, 1.0} : std::vector{.45, .85, 1.0};
  for (double share : shares) table.ends.push_back(static_cast<int>(table.line_length * share));
  if (wide) header.emplace_back("Connected to");
  if (options.show_trainable) {
    table.line_length += kTrainableColumn;
    table.ends.push_back(table.line_length);
    header.emplace_back("Trainable");
  }
  table.text = "Model: \"" + name() + "\"\n";
  table.rule('_');
  table.row(header);
  table.rule('=');
  add_layers(table, *this, graph, wide, options, 0);
  table.rule('=');
  // weights() excludes seed variables, which Keras does not count either.
  const Variables trained = trainable_variables();
  Variables frozen = weights();
  std::erase_if(frozen, [&](const Variable& v) {
    return std::find(trained.begin(), trained.end(), v) != trained.end();
  });
  Variables all = trained;
  all.insert(all.end(), frozen.begin(), frozen.end());
  table.text += totals_line("Total params: ", all);
  table.text += totals_line("Trainable params: ", trained);
  table.text += totals_line("Non-trainable params: ", frozen);
  table.rule('_');
  return table.text;
}

void Model::summary(const SummaryOptions& options) const {
  const std::string text = summary_text(options);
  if (!options.print_fn) return logging::print(text);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) options.print_fn(line);
}

}  // namespace antler

#include "antler/training/plot_model.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/nn/functional_graph.h"
#include "base/markup.h"

namespace antler {
namespace {

std::string shapes(const std::vector<TensorSpec>& specs) {
  std::string list;
  for (const TensorSpec& spec : specs) list += (list.empty() ? "" : ", ") + spec.shape.str();
  return list;
}

std::string dtypes(const std::vector<TensorSpec>& specs) {
  std::string list;
  for (const TensorSpec& spec : specs) {
    list += (list.empty() ? "" : ", ") + std::string(dtype_name(spec.dtype));
  }
  return list;
}

/// The name of a layer's activation; empty if it has none.
std::string activation_of(const Layer& layer) {
  try {
    const Json config = layer.get_config();
    if (!config.contains("activation") || config["activation"].is_null()) return "";
    const Json& activation = config["activation"];
    return activation.is_string() ? activation.get<std::string>()
                                  : activation.value("class_name", std::string());
  } catch (const Error&) {
    return "";  // a custom layer without a configuration
  }
}

bool has_graph(const Model& model) {
  const Tensors inputs = model.inputs();
  return !inputs.empty() && inputs[0].defined();
}

class DotWriter {
 public:
  explicit DotWriter(const PlotModelOptions& options) : options_(options) {}

  std::string write(const Model& model) {
    dot_ = format(
        "digraph G {{\n  rankdir={};\n  node [shape=none, margin=0, fontname=\"Helvetica\", "
        "fontsize=11];\n",
        options_.rankdir);
    add_graph(model, "n", "  ");
    return dot_ + "}\n";
  }

 private:
  struct Ends {
    std::vector<std::string> inputs;   // nodes that read the inputs of a nested model
    std::vector<std::string> outputs;  // nodes that produce its outputs
  };

  std::string table(const Layer& layer, const std::vector<TensorSpec>& in,
                    const std::vector<TensorSpec>& out) const {
    std::string title = layer.class_name();
    if (options_.show_layer_names) title = layer.name() + " (" + title + ")";
    std::string cells;
    int count = 0;
    const auto cell = [&](const std::string& value, const char* attributes = "") {
      cells += format("<td{}>{}</td>", attributes, markup_escaped(value));
      ++count;
    };
    if (options_.show_layer_activations) {
      if (const std::string name = activation_of(layer); !name.empty()) cell("Activation: " + name);
    }
    if (options_.show_shapes) {
      if (!in.empty()) cell("Input shape: " + shapes(in));
      cell("Output shape: " + shapes(out));
    }
    if (options_.show_dtype) cell("Output dtype: " + dtypes(out));
    if (options_.show_trainable) {
      cell(layer.trainable() ? "Trainable" : "Non-trainable",
           layer.trainable() ? " bgcolor=\"#d0f0d0\"" : " bgcolor=\"#f0d0d0\"");
    }
    return format(
        R"(<<table border="0" cellborder="1" cellspacing="0" cellpadding="7"><tr>)"
        R"(<td bgcolor="#263238" colspan="{}"><font color="white"><b>{}</b></font></td></tr>{}</table>>)",
        std::max(count, 1), markup_escaped(title), count > 0 ? "<tr>" + cells + "</tr>" : "");
  }

  /// Adds the nodes and edges of a model. `prefix` makes the names of nested models' nodes unique.
  Ends add_graph(const Model& model, const std::string& prefix, const std::string& indent) {
    const FunctionalGraph graph(model.inputs(), model.outputs());
    std::map<const GraphNode*, Ends> drawn;
    size_t number = 0;
    for (const GraphNodePtr& node : graph.nodes()) {
      const std::string id = prefix + std::to_string(number++);
      const auto* nested = dynamic_cast<const Model*>(node->layer.get());
      const bool expand = options_.expand_nested && nested != nullptr && has_graph(*nested);
      Ends ends;
      if (expand) {
        dot_ += format(
            "{}subgraph cluster_{} {{\n{}  label=\"{}\"; style=dashed; fontname=\"Helvetica\";\n",
            indent, id, indent, markup_escaped(nested->name()));
        ends = add_graph(*nested, id + "_", indent + "  ");
        dot_ += indent + "}\n";
      } else {
        std::vector<TensorSpec> in;
        for (const Tensor& t : node->input_placeholders()) in.push_back(t.spec());
        dot_ += format("{}{} [label={}];\n", indent, id, table(*node->layer, in, node->outputs));
        ends = {{id}, {id}};
      }
      size_t position = 0;
      for (const Tensor& t : node->input_placeholders()) {
        const PlaceholderSource& source = placeholder_source(t);
        const auto& from = drawn.at(source.node.get()).outputs;
        const std::string& begin =
            from[std::min(static_cast<size_t>(source.index), from.size() - 1)];
        const std::string& end = ends.inputs[std::min(position++, ends.inputs.size() - 1)];
        dot_ += format("{}{} -> {};\n", indent, begin, end);
      }
      drawn[node.get()] = std::move(ends);
    }
    Ends ends;
    for (const Tensor& t : graph.inputs().flatten()) {
      const Ends& of = drawn.at(placeholder_source(t).node.get());
      ends.inputs.push_back(of.inputs[0]);
    }
    for (const Tensor& t : graph.outputs().flatten()) {
      const PlaceholderSource& source = placeholder_source(t);
      const auto& of = drawn.at(source.node.get()).outputs;
      ends.outputs.push_back(of[std::min(static_cast<size_t>(source.index), of.size() - 1)]);
    }
    return ends;
  }

  const PlotModelOptions& options_;
  std::string dot_;
};

/// Runs Graphviz. Throws RuntimeError if it is not installed or fails.
void run_dot(std::vector<std::string> arguments) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  const int code = posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ);
  int status = 0;
  if (code == 0) {
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (code == ENOENT || (code == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127)) {
    throw RuntimeError(
        "plot_model: Graphviz is not installed: the program `dot` was not found. Install it with "
        "`apt install graphviz`, or write a .dot file.");
  }
  if (code != 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw RuntimeError("plot_model: Graphviz's `dot` failed.");
  }
}

struct TemporaryFile {
  std::string path;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

}  // namespace

std::string model_to_dot(const Model& model, const PlotModelOptions& options) {
  const std::string& rankdir = options.rankdir;
  if (rankdir != "TB" && rankdir != "LR" && rankdir != "BT" && rankdir != "RL") {
    throw ValueError("plot_model: `rankdir` must be \"TB\", \"LR\", \"BT\" or \"RL\". Received: {}",
                     rankdir);
  }
  if (!has_graph(model)) {
    throw ValueError("plot_model: {} has no graph of layers: it is subclassed or not built.",
                     model.name());
  }
  return DotWriter(options).write(model);
}

void plot_model_to(const std::string& to_file, const Model& model,
                   const PlotModelOptions& options) {
  const std::string extension = std::filesystem::path(to_file).extension().string();
  if (extension != ".dot" && extension != ".svg" && extension != ".png" && extension != ".pdf") {
    throw ValueError(
        "plot_model: the file extension must be .dot, .svg, .png or .pdf. Received: to_file={}",
        to_file);
  }
  const std::string dot = model_to_dot(model, options);
  if (extension == ".dot") return write_file_atomically(to_file, dot);
  AtomicFile target(to_file);
  const TemporaryFile source{target.temporary_path() + ".dot"};
  write_file_atomically(source.path, dot);
  std::vector<std::string> arguments = {"dot", "-T" + extension.substr(1)};
  if (extension == ".png") arguments.push_back("-Gdpi=" + std::to_string(options.dpi));
  arguments.insert(arguments.end(), {"-o", target.temporary_path(), source.path});
  run_dot(std::move(arguments));
  target.commit();
}

}  // namespace antler

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/npy.h"
#include "antler/ops/shape.h"
#include "antler/training/saving.h"
#include "command.h"
#include "data_files.h"

namespace antler::cli {
namespace {

struct Settings {
  std::string model;
  std::string data;
  std::string out;
  std::string labels;
  int64_t top_k = 0;
  int64_t batch_size = 32;
};

std::vector<std::string> read_labels(const std::string& path) {
  std::vector<std::string> labels;
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) labels.push_back(line);
  }
  return labels;
}

std::string label_of(const std::vector<std::string>& labels, int64_t index) {
  const auto i = static_cast<size_t>(index);
  return i < labels.size() ? labels[i] : std::to_string(index);
}

/// A field of a CSV file.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

/// A row per sample: the best classes with their values, or all values.
std::string to_csv(const Tensor& outputs, const std::vector<std::string>& labels, int64_t top_k) {
  const int64_t rows = outputs.shape()[0];
  const int64_t columns = rows == 0 ? 0 : outputs.size() / rows;
  const std::vector<double> values = outputs.to_doubles();
  std::string text;
  if (top_k > 0) {
    for (int64_t k = 0; k < std::min(top_k, columns); ++k) {
      text += fmt::format("{}class_{},value_{}", k == 0 ? "" : ",", k + 1, k + 1);
    }
  } else {
    for (int64_t c = 0; c < columns; ++c) {
      text += (c == 0 ? "" : ",") +
              quoted(labels.empty() ? "output_" + std::to_string(c) : label_of(labels, c));
    }
  }
  text += "\n";
  std::vector<int64_t> order(static_cast<size_t>(columns));
  for (int64_t r = 0; r < rows; ++r) {
    const double* row = values.data() + r * columns;
    std::iota(order.begin(), order.end(), 0);
    if (top_k > 0) {
      std::stable_sort(order.begin(), order.end(),
                       [&](int64_t a, int64_t b) { return row[a] > row[b]; });
    }
    const int64_t count = top_k > 0 ? std::min(top_k, columns) : columns;
    for (int64_t k = 0; k < count; ++k) {
      const int64_t c = order[static_cast<size_t>(k)];
      text += k == 0 ? "" : ",";
      if (top_k > 0) text += quoted(label_of(labels, c)) + ",";
      text += fmt::format("{:.7g}", row[c]);
    }
    text += "\n";
  }
  return text;
}

int run_predict(const Settings& s) {
  Model model = load_model(s.model);
  const auto plan = plan_beside(s.model);
  const LoadedData data = load_data(s.data, {.plan = plan, .needs_y = false});
  const Tensor x = fit_input(model, data.test_x.defined() ? data.test_x : data.x);
  const Nest outputs = model.predict(x, {.batch_size = s.batch_size, .verbose = 0});
  const std::vector<Tensor> leaves = outputs.flatten();
  const std::string extension = std::filesystem::path(s.out).extension().string();
  if (extension == ".npz") {
    io::NamedTensors arrays;
    const std::vector<std::string> names = model.output_names();
    for (size_t i = 0; i < leaves.size(); ++i) {
      arrays.emplace_back(i < names.size() ? names[i] : "output_" + std::to_string(i), leaves[i]);
    }
    io::save_npz(s.out, arrays);
    return 0;
  }
  if (leaves.size() != 1) {
    throw ValueError("The model has " + std::to_string(leaves.size()) +
                     " outputs: write them with --out FILE.npz.");
  }
  if (extension == ".npy") {
    io::save_npy(s.out, leaves[0]);
    return 0;
  }
  std::vector<std::string> labels;
  if (!s.labels.empty()) {
    labels = read_labels(s.labels);
  } else if (plan) {
    labels = plan->classes.empty() ? std::vector<std::string>{plan->target} : plan->classes;
  }
  const std::string csv = to_csv(leaves[0], labels, s.top_k);
  if (s.out.empty()) {
    std::fputs(csv.c_str(), stdout);
  } else {
    write_file_atomically(s.out, csv);
  }
  return 0;
}

}  // namespace

void add_predict(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("predict", "Writes the outputs of a model for data");
  const auto s = std::make_shared<Settings>();
  command->add_option("model", s->model, "A .keras file")->required();
  command->add_option("data", s->data, "As for fit; targets are not needed")->required();
  command->add_option("--out", s->out, "A .csv, .npz or .npy file; default: .csv on stdout");
  command->add_option("--top-k", s->top_k, "Only the k largest outputs, with their labels");
  command->add_option("--labels", s->labels,
                      "A file with the name of class 0, 1, ... on each line");
  command->add_option("--batch-size", s->batch_size)->capture_default_str();
  command->callback([&run, s] { run = [s] { return run_predict(*s); }; });
}

}  // namespace antler::cli

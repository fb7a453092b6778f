#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "antler/runtime/config.h"
#include "base/strings.h"
#include "command_line/command.h"
#include "common/text_table.h"
#include "input/data_arguments.h"
#include "input/data_description.h"

namespace antler::cli {
namespace {

struct InspectDataSettings {
  DataArguments data;
  int64_t rows = 5;
  bool json = false;
};

constexpr size_t kWidest = 40;

/// A value for a cell of a table: short, in one line.
std::string cell(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  if (!value.is_string()) return value.dump();
  std::string text = value.get<std::string>();
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
  if (display_width(text) <= kWidest) return text;
  size_t end = 0;
  for (size_t shown = 0; shown < kWidest - 3 || (text[end] & 0xC0) == 0x80; ++end) {
    if ((static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U) ++shown;
  }
  return text.substr(0, end) + "...";
}

void print_rows(const std::vector<std::vector<std::string>>& rows) {
  size_t columns = 0;
  for (const auto& row : rows) columns = std::max(columns, row.size());
  std::printf("%s", text_table(rows, columns, 2).c_str());
}

std::string range_text(const Json& json) {
  if (json.contains("most_common")) {
    return cell(json["most_common"]) + " (" + cell(json["most_common_count"]) + ")";
  }
  if (!json.contains("min")) return "";
  return cell(json["min"]) + " to " + cell(json["max"]);
}

void print_columns(const Json& columns) {
  std::vector<std::vector<std::string>> rows = {
      {"column", "kind", "missing", "distinct", "range or most common", "mean", "use"}};
  for (const Json& column : columns) {
    rows.push_back({cell(column["name"]), cell(column["kind"]), cell(column["missing"]),
                    cell(column["distinct"]), range_text(column),
                    cell(column.value("mean", Json())), column.value("use", "")});
  }
  print_rows(rows);
}

void print_arrays(const Json& arrays) {
  std::vector<std::vector<std::string>> rows = {{"array", "dtype", "shape", "range", "mean"}};
  for (const Json& array : arrays) {
    const auto shape = array["shape"].get<std::vector<int64_t>>();
    rows.push_back({cell(array["name"]), cell(array["dtype"]),
                    fmt::format("({})", fmt::join(shape, ", ")), range_text(array),
                    cell(array.value("mean", Json()))});
    if (array.contains("not_finite")) {
      rows.back().push_back(cell(array["not_finite"]) + " not finite");
    }
  }
  print_rows(rows);
}

void print_files(const Json& files) {
  const auto size = [&](const char* key) {
    return fmt::format("{} x {}", files[key][0].get<int64_t>(), files[key][1].get<int64_t>());
  };
  if (files.contains("words")) {
    const Json& words = files["words"];
    std::printf("words: %s to %s per text, median %s\n", cell(words["min"]).c_str(),
                cell(words["max"]).c_str(), cell(words["median"]).c_str());
    return;
  }
  const std::string smallest = size("smallest");
  const std::string largest = size("largest");
  const std::string sizes = smallest == largest ? smallest : smallest + " to " + largest;
  std::printf("height x width: %s, in %s of the images; %s\n", sizes.c_str(),
              cell(files["measured"]).c_str(),
              join(files["formats"].get<std::vector<std::string>>()).c_str());
}

void print_target(const Json& target) {
  const std::string name = target.contains("name") ? " " + cell(target["name"]) : "";
  if (!target.contains("classes")) {
    std::printf("target%s: %s, mean %s\n", name.c_str(), range_text(target).c_str(),
                cell(target.value("mean", Json())).c_str());
    return;
  }
  constexpr size_t kShown = 20;
  const Json& classes = target["classes"];
  int64_t total = 0;
  int64_t most = 0;
  int64_t least = classes.empty() ? 0 : classes[0]["count"].get<int64_t>();
  for (const Json& one : classes) {
    const auto count = one["count"].get<int64_t>();
    total += count;
    most = std::max(most, count);
    least = std::min(least, count);
  }
  std::printf("target%s: %zu classes\n", name.c_str(), classes.size());
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < std::min(classes.size(), kShown); ++i) {
    const auto count = classes[i]["count"].get<double>();
    rows.push_back({cell(classes[i]["label"]), cell(classes[i]["count"]),
                    fmt::format("{:.1f}%", 100 * count / static_cast<double>(total))});
  }
  print_rows(rows);
  if (classes.size() > kShown) std::printf("  ... and %zu more\n", classes.size() - kShown);
  constexpr int64_t kImbalance = 4;
  if (most <= kImbalance * least) return;
  const double ratio = static_cast<double>(most) / static_cast<double>(std::max<int64_t>(least, 1));
  std::printf("  The largest class has %s the samples of the smallest: see --class-weight.\n",
              least == 0 ? "all" : fmt::format("{} times", std::round(10 * ratio) / 10).c_str());
}

void print_examples(const Json& json) {
  const Json& examples = json["examples"];
  if (examples.empty()) return;
  std::printf("examples:\n");
  std::vector<std::vector<std::string>> rows;
  if (json.contains("columns")) {
    rows.emplace_back();
    for (const Json& column : json["columns"]) rows.back().push_back(cell(column["name"]));
  }
  for (const Json& example : examples) {
    rows.emplace_back();
    if (example.is_string()) {
      rows.back().push_back(example.get<std::string>());
      continue;
    }
    for (const Json& value : example) rows.back().push_back(cell(value));
  }
  print_rows(rows);
}

void print_description(const Json& json) {
  std::printf("%s: %s, %s samples", json["data"].get<std::string>().c_str(),
              cell(json["format"]).c_str(), cell(json["samples"]).c_str());
  if (json.contains("held_out")) {
    std::printf(", %s more as a test set", cell(json["held_out"]).c_str());
  }
  std::printf("\n");
  if (json.contains("columns")) print_columns(json["columns"]);
  if (json.contains("arrays")) print_arrays(json["arrays"]);
  if (json.contains("files")) print_files(json["files"]);
  if (json.contains("target")) print_target(json["target"]);
  print_examples(json);
}

int run_inspect_data(const InspectDataSettings& s) {
  if (s.data.threads > 0) config::set_threads(s.data.threads);
  const Json json = describe_data(s.data, s.rows);
  if (s.json) {
    std::printf("%s\n", json.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
  } else {
    print_description(json);
  }
  if (!json.contains("problem")) return 0;
  std::fflush(stdout);
  std::fprintf(stderr, "It cannot be used for training as it is: %s\n",
               json["problem"].get<std::string>().c_str());
  return 1;
}

}  // namespace

void add_inspect(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand(
      "inspect", "Describes the data: columns, classes, sizes, and how a model would use them");
  const auto s = std::make_shared<InspectDataSettings>();
  add_data_arguments(*command, s->data, kDataHelp)->required();
  command->add_option("--rows", s->rows, "Number of examples to show")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--json", s->json, "Print only one line of JSON");
  command->callback([&run, s] { run = [s] { return run_inspect_data(*s); }; });
}

}  // namespace antler::cli

#include "evaluation/report.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "base/ceil_div.h"
#include "base/markup.h"
#include "evaluation/classification.h"
#include "evaluation/sample_view.h"

namespace antler::cli {
namespace {

constexpr const char* kStyle =
    "body{font-family:sans-serif;margin:2em;color:#222}"
    "table{border-collapse:collapse}th,td{padding:.3em .6em;border:1px solid #ddd;"
    "text-align:right}th{font-weight:normal;color:#555}.wide{overflow-x:auto}"
    ".sheet{display:flex;flex-wrap:wrap;gap:.6em}.sheet div{width:112px;padding:.4em;"
    "border:2px solid #ddd;font-size:.85em;overflow-wrap:anywhere}"
    ".sheet .wrong{border-color:#d55e00}.sheet img{width:96px;image-rendering:pixelated}";

/// The table has a cell for each pair of classes: 10,000 cells make a page of a megabyte.
constexpr int64_t kShownClasses = 100;
constexpr int64_t kShownPoints = 2000;

/// Up to `most` classes with the most errors, in order. `counts` is a confusion matrix.
std::vector<size_t> most_confused(const std::vector<int64_t>& counts, int64_t classes,
                                  int64_t most) {
  const auto n = static_cast<size_t>(classes);
  std::vector<int64_t> errors(n, 0);
  for (size_t t = 0; t < n; ++t) {
    for (size_t p = 0; p < n; ++p) {
      if (t == p) continue;
      errors[t] += counts[t * n + p];
      errors[p] += counts[t * n + p];
    }
  }
  std::vector<size_t> chosen(n);
  std::iota(chosen.begin(), chosen.end(), size_t{0});
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](size_t a, size_t b) { return errors[a] > errors[b]; });
  chosen.resize(static_cast<size_t>(std::min(classes, most)));
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

/// A target and its prediction.
struct Point {
  double target;
  double prediction;
};

/// The HTML of a report, built section by section.
class Page {
 public:
  explicit Page(const ReportInput& input) : input_(input) {}

  std::string name_of(int64_t label) const {
    return markup_escaped(class_name(input_.classes, label));
  }

  void metrics() {
    text_ += "<h2>Metrics</h2><table>";
    for (const auto& [name, value] : input_.metrics) {
      text_ += fmt::format("<tr><th>{}</th><td>{:.5g}</td></tr>", markup_escaped(name), value);
    }
    text_ += fmt::format("<tr><th>samples</th><td>{}</td></tr></table>\n", input_.samples.count());
  }

  void confusion(const Classified& c) {
    const auto n = static_cast<size_t>(c.classes);
    const std::vector<int64_t> counts = c.confusion_matrix();
    const std::vector<size_t> shown = most_confused(counts, c.classes, kShownClasses);
    text_ += "<h2>Confusion matrix</h2><p>Rows: true class. Columns: predicted class.";
    if (shown.size() < n) {
      text_ += fmt::format(" Only the {} of {} classes with the most errors.", shown.size(), n);
    }
    text_ += "</p><div class=\"wide\"><table class=\"matrix\"><tr><th></th>";
    for (const size_t k : shown) {
      text_ += fmt::format("<th>{}</th>", name_of(static_cast<int64_t>(k)));
    }
    text_ += "<th>recall</th></tr>";
    std::vector<int64_t> columns(n, 0);
    std::vector<int64_t> rows(n, 0);
    for (size_t t = 0; t < n; ++t) {
      for (size_t p = 0; p < n; ++p) {
        rows[t] += counts[t * n + p];
        columns[p] += counts[t * n + p];
      }
    }
    const auto share = [](int64_t part, int64_t all) {
      return all == 0 ? std::string("-")
                      : fmt::format("{:.3f}", static_cast<double>(part) / static_cast<double>(all));
    };
    for (const size_t t : shown) {
      text_ += fmt::format("<tr><th>{}</th>", name_of(static_cast<int64_t>(t)));
      for (const size_t p : shown) {
        const double part =
            rows[t] == 0 ? 0
                         : static_cast<double>(counts[t * n + p]) / static_cast<double>(rows[t]);
        text_ += fmt::format("<td style=\"background:rgba({},{:.2f})\">{}</td>",
                             t == p ? "0,114,178" : "213,94,0", part, counts[t * n + p]);
      }
      text_ += fmt::format("<td>{}</td></tr>", share(counts[t * n + t], rows[t]));
    }
    text_ += "<tr><th>precision</th>";
    for (const size_t p : shown) {
      text_ += fmt::format("<td>{}</td>", share(counts[p * n + p], columns[p]));
    }
    text_ += "<td></td></tr></table></div>\n";
  }

  void samples(const Classified& c, const std::map<int64_t, std::string>& pictures,
               const std::vector<int64_t>& chosen) {
    text_ +=
        "<h2>Samples</h2><p>The most confident mistakes first, then correct predictions.</p><div "
        "class=\"sheet\">";
    for (const int64_t i : chosen) {
      const auto at = static_cast<size_t>(i);
      const bool right = c.right(i);
      text_ += fmt::format("<div class=\"{}\">", right ? "right" : "wrong");
      const auto picture = pictures.find(i);
      if (picture != pictures.end()) {
        text_ += fmt::format("<img src=\"data:image/png;base64,{}\">", picture->second);
      }
      const auto& files = input_.samples.files;
      const std::string sample = at < files.size()
                                     ? std::filesystem::path(files[at]).filename().string()
                                     : fmt::format("sample {}", i);
      text_ += fmt::format("<br><small>{}</small><br><b>{}</b> {:.0f}%", markup_escaped(sample),
                           name_of(c.predicted[at]), 100 * c.confidence[at]);
      if (!right) text_ += fmt::format("<br>true: {}", name_of(c.truth[at]));
      text_ += "</div>";
    }
    text_ += "</div>\n";
  }

  /// Plots predictions against targets.
  void scatter(const Tensor& outputs, const Tensor& y) {
    const std::vector<double> p = outputs.to_doubles();
    const std::vector<double> t = y.to_doubles();
    if (p.size() != t.size() || p.empty()) return;
    std::vector<Point> points;
    for (size_t i = 0; i < p.size(); ++i) {
      if (std::isfinite(t[i]) && std::isfinite(p[i])) points.push_back({t[i], p[i]});
    }
    text_ += "<h2>Predictions</h2>";
    if (points.size() < p.size()) {
      text_ += fmt::format("<p>{} of {} predictions or their targets are not finite.</p>\n",
                           p.size() - points.size(), p.size());
    }
    if (!points.empty()) plot(points);
  }

  std::string html() const {
    return fmt::format(R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{0}</title><style>{1}</style></head>
<body><h1>Evaluation</h1><p>Model <b>{0}</b>, data <b>{2}</b></p>
{3}</body></html>
)",
                       markup_escaped(input_.model_path), kStyle, markup_escaped(input_.data_path),
                       text_);
  }

 private:
  /// Plots finite numbers; at least one point.
  void plot(const std::vector<Point>& points) {
    double low = points[0].target;
    double high = low;
    for (const Point& point : points) {
      low = std::min({low, point.target, point.prediction});
      high = std::max({high, point.target, point.prediction});
    }
    const double range = high > low ? high - low : 1;
    text_ +=
        "<p>Horizontal: target. Vertical: prediction.</p>"
        "<svg width=\"420\" height=\"420\"><rect x=\"10\" y=\"10\" width=\"400\" "
        "height=\"400\" fill=\"none\" stroke=\"#888\"/><line x1=\"10\" y1=\"410\" x2=\"410\" "
        "y2=\"10\" stroke=\"#ccc\"/>";
    const auto step = static_cast<size_t>(ceil_div(std::ssize(points), kShownPoints));
    for (size_t i = 0; i < points.size(); i += step) {
      text_ += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\" fill=\"#0072b2\" "
          "fill-opacity=\"0.5\"/>",
          10 + 400 * (points[i].target - low) / range,
          410 - 400 * (points[i].prediction - low) / range);
    }
    text_ += fmt::format("</svg><p>{:.4g} to {:.4g}</p>\n", low, high);
  }

  const ReportInput& input_;
  std::string text_;
};

std::map<int64_t, std::string> pictures_of(const Model& model, const Samples& samples,
                                           const std::vector<int64_t>& chosen) {
  std::map<int64_t, std::string> pictures;
  const auto add = [&](const Tensor& x, int64_t first) {
    for (const int64_t i : chosen) {
      if (i < first || i >= first + x.shape()[0]) continue;
      if (std::string png = sample_picture(x, i - first); !png.empty())
        pictures[i] = std::move(png);
    }
  };
  if (!samples.batches) {
    const FitData inputs = samples.inputs(model);
    if (inputs.arrays().is_tensor()) add(inputs.arrays().tensor(), 0);
    return pictures;
  }
  if (chosen.empty()) return pictures;
  const int64_t last = *std::max_element(chosen.begin(), chosen.end());
  int64_t first = 0;
  for (const Nest& batch : *samples.batches) {
    if (first > last) break;
    const Tensor x = batch.flatten()[0];
    add(x, first);
    first += x.shape()[0];
  }
  return pictures;
}

}  // namespace

std::string evaluation_report(Model& model, const ReportInput& input) {
  Page page(input);
  page.metrics();
  const Tensors outputs =
      model.predict(input.samples.inputs(model), PredictOptions{.verbose = 0}).flatten();
  if (outputs.size() == 1) {
    const Classified classified = classify(outputs[0], input.samples, input.classes);
    if (classified.classes > 0) {
      page.confusion(classified);
      const std::vector<int64_t> chosen = classified.examples(24);
      page.samples(classified, pictures_of(model, input.samples, chosen), chosen);
    } else if (input.samples.y.defined()) {
      page.scatter(outputs[0], input.samples.y);
    }
  }
  return page.html();
}

}  // namespace antler::cli

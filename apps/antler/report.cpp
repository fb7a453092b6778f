#include "report.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "antler/base/error.h"
#include "base/base64.h"
#include "base/markup.h"
#include "io/png.h"

namespace antler::cli {
namespace {

/// True and predicted classes of samples.
struct Classified {
  std::vector<int64_t> truth;
  std::vector<int64_t> predicted;
  std::vector<double> confidence;
  int64_t classes = 0;
};

/// The true classes; targets are integers or one-hot rows.
std::vector<int64_t> true_classes(const Samples& samples, int64_t columns) {
  if (!samples.labels.empty()) return samples.labels;
  const int64_t rows = samples.y.shape()[0];
  const std::vector<double> y = samples.y.to_doubles();
  const int64_t width = samples.y.size() / std::max<int64_t>(rows, 1);
  std::vector<int64_t> labels;
  for (int64_t r = 0; r < rows; ++r) {
    const double* row = y.data() + r * width;
    labels.push_back(width == columns && width > 1 ? std::max_element(row, row + width) - row
                                                   : std::lround(row[0]));
  }
  return labels;
}

/// The result has no classes if the model is not a classifier.
Classified classify(const Tensor& outputs, const Samples& samples, const ReportInput& input) {
  Classified result;
  if (outputs.rank() != 2) return result;
  const int64_t columns = outputs.shape()[1];
  const bool integers = !samples.labels.empty() || (samples.y.dtype() != DType::float32 &&
                                                    samples.y.dtype() != DType::float64);
  if (columns == 1 && !integers && input.classes.size() != 2) return result;
  if (columns > 1 && !integers && samples.y.size() != outputs.size()) return result;
  if (columns > 1 && !integers && input.classes.empty()) {
    // Several numbers per sample are a class only if they are one-hot.
    for (const double v : samples.y.to_doubles()) {
      if (v != 0 && v != 1) return result;
    }
  }
  const std::vector<double> values = outputs.to_doubles();
  result.classes = std::max<int64_t>(columns, 2);
  result.truth = true_classes(samples, columns);
  for (int64_t r = 0; r < outputs.shape()[0]; ++r) {
    const double* row = values.data() + r * columns;
    const int64_t best =
        columns == 1 ? (row[0] > 0.5 ? 1 : 0) : std::max_element(row, row + columns) - row;
    result.predicted.push_back(best);
    result.confidence.push_back(columns == 1 ? std::max(row[0], 1 - row[0]) : row[best]);
  }
  for (const int64_t label : result.truth) {
    if (label < 0 || label >= result.classes) return {};
  }
  return result;
}

constexpr const char* kStyle =
    "body{font-family:sans-serif;margin:2em;color:#222}"
    "table{border-collapse:collapse}th,td{padding:.3em .6em;border:1px solid #ddd;"
    "text-align:right}th{font-weight:normal;color:#555}.wide{overflow-x:auto}"
    ".sheet{display:flex;flex-wrap:wrap;gap:.6em}.sheet div{width:112px;padding:.4em;"
    "border:2px solid #ddd;font-size:.85em;overflow-wrap:anywhere}"
    ".sheet .wrong{border-color:#d55e00}.sheet img{width:96px;image-rendering:pixelated}";

/// The HTML of a report, built section by section.
class Page {
 public:
  explicit Page(const ReportInput& input) : input_(input) {}

  std::string name_of(int64_t label) const {
    const auto i = static_cast<size_t>(label);
    return markup_escaped(i < input_.classes.size() ? input_.classes[i] : std::to_string(label));
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
    std::vector<int64_t> counts(n * n, 0);
    for (size_t i = 0; i < c.truth.size(); ++i) {
      ++counts[static_cast<size_t>(c.truth[i]) * n + static_cast<size_t>(c.predicted[i])];
    }
    text_ +=
        "<h2>Confusion matrix</h2><p>Rows: true class. Columns: predicted class.</p>"
        "<div class=\"wide\"><table class=\"matrix\"><tr><th></th>";
    for (int64_t k = 0; k < c.classes; ++k) text_ += fmt::format("<th>{}</th>", name_of(k));
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
    for (size_t t = 0; t < n; ++t) {
      text_ += fmt::format("<tr><th>{}</th>", name_of(static_cast<int64_t>(t)));
      for (size_t p = 0; p < n; ++p) {
        const double part =
            rows[t] == 0 ? 0
                         : static_cast<double>(counts[t * n + p]) / static_cast<double>(rows[t]);
        text_ += fmt::format("<td style=\"background:rgba({},{:.2f})\">{}</td>",
                             t == p ? "0,114,178" : "213,94,0", part, counts[t * n + p]);
      }
      text_ += fmt::format("<td>{}</td></tr>", share(counts[t * n + t], rows[t]));
    }
    text_ += "<tr><th>precision</th>";
    for (size_t p = 0; p < n; ++p) {
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
      const bool right = c.truth[at] == c.predicted[at];
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
    const auto [t_low, t_high] = std::minmax_element(t.begin(), t.end());
    const auto [p_low, p_high] = std::minmax_element(p.begin(), p.end());
    const double low = std::min(*t_low, *p_low);
    const double high = std::max(std::max(*t_high, *p_high), low + 1e-9);
    text_ +=
        "<h2>Predictions</h2><p>Horizontal: target. Vertical: prediction.</p>"
        "<svg width=\"420\" height=\"420\"><rect x=\"10\" y=\"10\" width=\"400\" "
        "height=\"400\" fill=\"none\" stroke=\"#888\"/><line x1=\"10\" y1=\"410\" x2=\"410\" "
        "y2=\"10\" stroke=\"#ccc\"/>";
    constexpr size_t kPoints = 2000;
    const size_t step = std::max<size_t>(1, p.size() / kPoints);
    for (size_t i = 0; i < p.size(); i += step) {
      if (!std::isfinite(p[i]) || !std::isfinite(t[i])) continue;
      text_ += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\" fill=\"#0072b2\" "
          "fill-opacity=\"0.5\"/>",
          10 + 400 * (t[i] - low) / (high - low), 410 - 400 * (p[i] - low) / (high - low));
    }
    text_ += fmt::format("</svg><p>{:.4g} to {:.4g}</p>\n", low, high);
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
  const ReportInput& input_;
  std::string text_;
};

/// Up to 24 mistakes, the most confident first, and up to 24 correct predictions.
std::vector<int64_t> choose(const Classified& c) {
  constexpr size_t kEach = 24;
  std::vector<int64_t> wrong;
  std::vector<int64_t> right;
  for (size_t i = 0; i < c.truth.size(); ++i) {
    (c.truth[i] == c.predicted[i] ? right : wrong).push_back(static_cast<int64_t>(i));
  }
  std::stable_sort(wrong.begin(), wrong.end(), [&](int64_t a, int64_t b) {
    return c.confidence[static_cast<size_t>(a)] > c.confidence[static_cast<size_t>(b)];
  });
  wrong.resize(std::min(wrong.size(), kEach));
  const size_t step = std::max<size_t>(1, right.size() / kEach);
  for (size_t i = 0, taken = 0; i < right.size() && taken < kEach; i += step, ++taken) {
    wrong.push_back(right[i]);
  }
  return wrong;
}

/// A row of [n, height, width, channels] as a base64 PNG; empty if it is not an image.
std::string picture_of(const Tensor& x, int64_t row) {
  const bool flat = x.rank() == 3;
  if (x.dtype() != DType::float32 || (x.rank() != 4 && !flat)) return "";
  const int64_t channels = flat ? 1 : x.shape()[3];
  if (channels != 1 && channels != 3 && channels != 4) return "";
  const int64_t size = x.size() / x.shape()[0];
  const float* from = x.data<float>() + row * size;
  const float largest = *std::max_element(from, from + size);
  const float scale = largest > 1.5F ? 1 : 255;
  std::vector<uint8_t> samples(static_cast<size_t>(size));
  std::transform(from, from + size, samples.begin(), [scale](float v) {
    return static_cast<uint8_t>(std::isfinite(v) ? std::clamp(v * scale, 0.0F, 255.0F) : 0);
  });
  return encode_base64(io::encode_png(samples, x.shape()[1], x.shape()[2], channels));
}

std::map<int64_t, std::string> pictures_of(const Model& model, const Samples& samples,
                                           const std::vector<int64_t>& chosen) {
  std::map<int64_t, std::string> pictures;
  const auto add = [&](const Tensor& x, int64_t first) {
    for (const int64_t i : chosen) {
      if (i < first || i >= first + x.shape()[0]) continue;
      if (std::string png = picture_of(x, i - first); !png.empty()) pictures[i] = std::move(png);
    }
  };
  if (!samples.batches) {
    const FitData inputs = samples.inputs(model);
    if (inputs.arrays().is_tensor()) add(inputs.arrays().tensor(), 0);
    return pictures;
  }
  int64_t first = 0;
  for (const Nest& batch : *samples.batches) {
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
    const Classified classified = classify(outputs[0], input.samples, input);
    if (classified.classes > 0) {
      page.confusion(classified);
      const std::vector<int64_t> chosen = choose(classified);
      page.samples(classified, pictures_of(model, input.samples, chosen), chosen);
    } else if (input.samples.y.defined()) {
      page.scatter(outputs[0], input.samples.y);
    }
  }
  return page.html();
}

}  // namespace antler::cli

#include "comparison/compare_page.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "antler/io/line_chart.h"
#include "base/markup.h"

namespace antler::cli {
namespace {

constexpr const char* kCompareStyle = R"(
:root{color-scheme:light dark;--paper:#f6f7f9;--card:#fff;--ink:#1d2329;--quiet:#5b6670;--line:#dde2e7}
body{margin:0 auto;padding:1rem;max-width:90rem;font:16px/1.45 system-ui,sans-serif;background:var(--paper);color:var(--ink)}
h1{font-size:1.4rem;margin:.2rem 0 1rem}h2{font-size:1.05rem;margin:0 0 .3rem}h2 small{font-weight:400;color:var(--quiet)}
section,.runs{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.9rem}
.runs{margin-bottom:1rem}.wide{overflow-x:auto}
.charts{display:grid;gap:1rem;grid-template-columns:repeat(auto-fill,minmax(min(100%,22rem),1fr))}
section{min-width:0}svg{display:block}
table{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .5rem;text-align:right;white-space:nowrap;border-top:1px solid var(--line)}
thead th{border-top:0}
th{font-weight:400;color:var(--quiet)}td:first-child,th:first-child{text-align:left}th:first-child{padding-left:0}
.runs table{width:auto}.runs td,.runs th{padding-right:1.5rem}
section table{font-size:.85rem}section td,section th{padding-left:.3rem;padding-right:.3rem}
section td:first-child{white-space:normal;overflow-wrap:anywhere;min-width:4em}
td:first-child,section td:first-child{position:relative;padding-left:1.4em}
i{position:absolute;left:0;top:.65em;width:.85em;height:.85em;border-radius:.2em}
.best{font-weight:700}
@media(prefers-color-scheme:dark){:root{--paper:#14171a;--card:#1d2125;--ink:#e6e9ec;--quiet:#a3adb7;--line:#343b42;
--chart-303030:#c5ccd3;--chart-dddddd:#343b42;--chart-808080:#7c8790;--chart-0072b2:#4ba6e3;--chart-009e73:#2fc79b;
--chart-d55e00:#f0813a;--chart-332288:#9d8cf0;--chart-882255:#dd6fa6;--chart-808000:#bcbc3a;--chart-777777:#a8a8a8}})";

/// A square in the color of a run.
std::string swatch(size_t run) {
  return fmt::format("<i style=\"background:var(--chart-{0:06x},#{0:06x})\"></i>",
                     io::series_color(run));
}

std::string runs_table(const Comparison& comparison) {
  std::string text = "<div class=\"runs wide\"><table><thead><tr>";
  const auto rows = run_rows(comparison);
  for (const std::string& heading : rows[0]) {
    text += fmt::format("<th>{}</th>", markup_escaped(heading));
  }
  text += "</tr></thead><tbody>\n";
  for (size_t r = 1; r < rows.size(); ++r) {
    text += "<tr>";
    for (size_t c = 0; c < rows[r].size(); ++c) {
      text += fmt::format("<td>{}{}</td>", c == 0 ? swatch(r - 1) : "", markup_escaped(rows[r][c]));
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

/// All runs in one chart; a run without the value keeps its place, and so its color.
io::LineChart chart_of(const Comparison& comparison, const std::string& value) {
  io::LineChart chart{.title = value, .x_label = "epoch", .series = {}};
  for (const RunCurves& run : comparison.runs) {
    const io::LineChart::Series* series = run.find(value);
    chart.series.push_back(series == nullptr ? io::LineChart::Series{} : *series);
  }
  return chart;
}

std::string value_card(const Comparison& comparison, const Comparison::Value& value) {
  const bool ranked = value.objective.has_value();
  std::string text = fmt::format(
      "<section><h2>{}{}</h2>\n{}<div "
      "class=\"wide\"><table><thead><tr><th>run</th>{}<th>last</th></tr></"
      "thead><tbody>\n",
      markup_escaped(value.name),
      ranked ? fmt::format(" <small>{} is better</small>",
                           value.objective->maximize ? "higher" : "lower")
             : "",
      chart_of(comparison, value.name).to_inline_svg(),
      ranked ? "<th>best</th><th>epoch</th>" : "");
  for (size_t i = 0; i < comparison.runs.size(); ++i) {
    const auto& cell = value.cells[i];
    if (!cell) continue;
    text += fmt::format("<tr{}><td>{}{}</td>", value.wins(i) ? " class=\"best\"" : "", swatch(i),
                        markup_escaped(comparison.runs[i].name));
    if (ranked && cell->best) {
      text += fmt::format("<td>{:.4g}</td><td>{}</td>", *cell->best, cell->best_epoch);
    } else if (ranked) {
      text += "<td>-</td><td>-</td>";
    }
    text += fmt::format("<td>{:.4g}</td></tr>\n", cell->last);
  }
  return text + "</tbody></table></div></section>\n";
}

}  // namespace

std::string compare_page(const Comparison& comparison) {
  std::string cards;
  for (const Comparison::Value& value : comparison.values) cards += value_card(comparison, value);
  return fmt::format(R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Training runs</title><style>{}</style></head>
<body><h1>Training runs</h1>
{}<div class="charts">
{}</div></body></html>
)",
                     kCompareStyle, runs_table(comparison), cards);
}

}  // namespace antler::cli

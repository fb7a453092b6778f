#include "evaluation/sample_view.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/base64.h"
#include "data/gather.h"
#include "io/png.h"

namespace antler::cli {
namespace {

constexpr int64_t kMostValues = 8;  ///< values shown of a row of numbers or of a table
constexpr int64_t kMostWords = 40;  ///< words shown of a text

std::string text_of_features(const std::vector<double>& values, const TablePlan& plan) {
  std::string text;
  size_t at = 0;
  int64_t shown = 0;
  for (const TablePlan::Feature& feature : plan.features) {
    const auto width = static_cast<size_t>(feature.width());
    if (at + width > values.size()) break;
    if (shown++ == kMostValues) return text + ", ...";
    const auto first = values.begin() + static_cast<ptrdiff_t>(at);
    const std::string value =
        feature.categories.empty()
            ? fmt::format("{:.4g}", *first)
            : feature.categories[static_cast<size_t>(
                  std::max_element(first, first + static_cast<ptrdiff_t>(width)) - first)];
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", feature.name, value);
    at += width;
  }
  return text;
}

/// Token 0 is padding, 1 an unknown word.
std::string text_of_tokens(const std::vector<double>& tokens, const TextPlan& plan) {
  std::string text;
  int64_t words = 0;
  for (const double token : tokens) {
    const auto word = static_cast<size_t>(std::max(token, 0.0));
    if (word == 0) continue;
    if (words++ == kMostWords) return text + " ...";
    if (!text.empty()) text += ' ';
    text += word >= 2 && word - 2 < plan.vocabulary.size() ? plan.vocabulary[word - 2] : "[?]";
  }
  return text;
}

std::string text_of_numbers(const std::vector<double>& values) {
  const auto shown = std::min<ptrdiff_t>(std::ssize(values), kMostValues);
  std::string text;
  for (ptrdiff_t i = 0; i < shown; ++i) {
    text += fmt::format("{}{:.4g}", i == 0 ? "" : ", ", values[static_cast<size_t>(i)]);
  }
  return shown < std::ssize(values) ? text + ", ..." : text;
}

}  // namespace

std::string sample_picture(const Tensor& x, int64_t row) {
  const bool flat = x.rank() == 3;
  if (x.dtype() != DType::float32 || (x.rank() != 4 && !flat)) return "";
  const int64_t channels = flat ? 1 : x.shape()[3];
  if (channels != 1 && channels != 3 && channels != 4) return "";
  const int64_t size = x.size() / x.shape()[0];
  const float* from = x.data<float>() + row * size;
  // Of all images, because a dark one may have no value above 1 in either range.
  const float* const all = x.data<float>();
  const bool is_byte_range =
      std::any_of(all, all + x.size(), [](float value) { return value > 1.5F; });
  const float scale = is_byte_range ? 1 : 255;
  std::vector<uint8_t> samples(static_cast<size_t>(size));
  std::transform(from, from + size, samples.begin(), [scale](float v) {
    return static_cast<uint8_t>(std::isfinite(v) ? std::clamp(v * scale, 0.0F, 255.0F) : 0);
  });
  return encode_base64(io::encode_png(samples, x.shape()[1], x.shape()[2], channels));
}

std::string sample_text(const Tensor& x, int64_t row, const DataPlan& plan) {
  if (x.rank() != 2) return "";
  const std::vector<double> values = data::take_rows(x, {&row, 1}).to_doubles();
  if (plan.table) return text_of_features(values, *plan.table);
  if (plan.text) return text_of_tokens(values, *plan.text);
  return text_of_numbers(values);
}

}  // namespace antler::cli

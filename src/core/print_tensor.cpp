// Prints tensors as NumPy prints arrays.
#include "core/print_tensor.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include "antler/core/dispatch.h"
#include "antler/core/string_handles.h"
#include "antler/core/tensor.h"

namespace antler {
namespace {

constexpr int64_t kSummarizeAbove = 1000;
constexpr int64_t kEdgeItems = 3;
constexpr size_t kLineWidth = 75;

/// Prints an array as NumPy's `str` does.
template <class T>
class ArrayPrinter {
 public:
  ArrayPrinter(const T* data, const Shape& shape)
      : data_(data), shape_(shape), summarize_(shape.num_elements() > kSummarizeAbove) {
    collect(0, 0);
    if constexpr (!kStrings) choose_widths();
  }

  std::string print() const {
    return shape_.rank() == 0 ? digits(0) : block(0, 0, " ", kLineWidth);
  }

 private:
  static constexpr bool kStrings = std::is_same_v<T, std::string>;

  /// Calls f(i) for each index that is printed, and f(-1) for the "..." in place of the others.
  template <class F>
  void each(int axis, const F& f) const {
    const int64_t n = shape_[axis];
    const bool cut = summarize_ && n > 2 * kEdgeItems;
    for (int64_t i = 0; i < n; ++i) {
      if (cut && i == kEdgeItems) {
        f(-1);
        i = n - kEdgeItems;
      }
      f(i);
    }
  }

  void collect(int axis, int64_t offset) {
    if (axis == shape_.rank()) {
      shown_.push_back(offset);
      return;
    }
    each(axis, [&](int64_t i) {
      if (i >= 0) collect(axis + 1, offset * shape_[axis] + i);
    });
  }

  void choose_widths() {
    if constexpr (!std::is_integral_v<T>) choose_notation();
    for (const int64_t i : shown_) {
      const std::string word = digits(i);
      const size_t dot = std::min(word.find('.'), word.size());
      left_ = std::max(left_, dot);
      right_ = std::max(right_, word.size() - dot);
    }
  }

  double value(int64_t i) const { return static_cast<double>(data_[i]); }

  void choose_notation() {
    double largest = 0;
    double smallest = 0;
    for (const int64_t i : shown_) {
      const double x = std::abs(value(i));
      if (!std::isfinite(x) || x == 0) continue;
      largest = std::max(largest, x);
      smallest = smallest == 0 ? x : std::min(smallest, x);
    }
    if (largest == 0) return;
    scientific_ = largest >= 1e8 || smallest < 1e-4 || largest / smallest > 1000;
    if (!scientific_) return;
    for (const int64_t i : shown_) {
      if (std::isfinite(value(i))) fraction_ = std::max(fraction_, shortest(value(i)));
    }
  }

  /// The number of digits after the first that identify x in its type, at most 8.
  static int shortest(double x) {
    char text[40];
    for (int digits = 0; digits < 8; ++digits) {
      std::snprintf(text, sizeof text, "%.*e", digits, x);
      if (static_cast<double>(static_cast<T>(static_cast<ComputeType<T>>(std::atof(text)))) == x) {
        return digits;
      }
    }
    return 8;
  }

  std::string digits(int64_t i) const {
    if constexpr (std::is_same_v<T, bool>) {
      return data_[i] ? "True" : "False";
    } else if constexpr (kStrings) {
      return "'" + data_[i] + "'";
    } else if constexpr (std::is_integral_v<T>) {
      return std::to_string(data_[i]);
    } else {
      const double x = value(i);
      if (std::isnan(x)) return "nan";
      if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
      char text[64];
      if (scientific_) {
        std::snprintf(text, sizeof text, "%#.*e", fraction_, x);
        return text;
      }
      const int exponent = x == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(x))));
      std::snprintf(text, sizeof text, "%#.*f", std::clamp(shortest(x) - exponent, 0, 8), x);
      std::string word = text;
      while (word.back() == '0') word.pop_back();
      return shape_.rank() == 0 && word.back() == '.' ? word + "0" : word;
    }
  }

  std::string padded(int64_t i) const {
    std::string word = digits(i);
    if constexpr (kStrings) return word;
    const size_t dot = word.find('.');
    if (dot == std::string::npos) {
      return std::string(left_ + right_ - std::min(left_ + right_, word.size()), ' ') + word;
    }
    const size_t behind = right_ - (word.size() - dot);
    return std::string(left_ - dot, ' ') + word + std::string(behind, ' ');
  }

  std::string block(int axis, int64_t offset, const std::string& indent, size_t width) const {
    std::string text;
    if (axis + 1 < shape_.rank()) {
      const std::string newlines(static_cast<size_t>(shape_.rank() - axis - 1), '\n');
      each(axis, [&](int64_t i) {
        if (!text.empty()) text += newlines;
        text += indent;
        text += i < 0 ? "..." : block(axis + 1, offset * shape_[axis] + i, indent + " ", width - 1);
      });
    } else {
      std::string line = indent;
      each(axis, [&](int64_t i) {
        const std::string word = i < 0 ? "..." : padded(offset * shape_[axis] + i);
        if (line.size() > indent.size()) line += ' ';
        if (line.size() + word.size() > width - 1 && line.size() > indent.size()) {
          line.pop_back();
          text += line + "\n";
          line = indent;
        }
        line += word;
      });
      text += line;
    }
    return "[" + (text.size() > indent.size() ? text.substr(indent.size()) : "") + "]";
  }

  const T* data_;
  const Shape& shape_;
  bool summarize_;
  bool scientific_ = false;
  int fraction_ = 0;  // digits after the decimal point in scientific notation
  size_t left_ = 0;   // width before the decimal point
  size_t right_ = 0;  // width from the decimal point on
  std::vector<int64_t> shown_;
};

}  // namespace

std::string array_string(const Tensor& tensor) {
  std::string values = "[]";
  if (holds_strings(tensor)) {
    values = ArrayPrinter<std::string>(strings_of(tensor).values.data(), tensor.shape()).print();
  } else if (tensor.size() > 0) {
    dispatch(tensor.dtype(), [&]<class T>() {
      values = ArrayPrinter<T>(static_cast<const T*>(tensor.data()), tensor.shape()).print();
    });
  }
  return values;
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  if (!tensor.defined() || !tensor.is_value()) return out << tensor.str();
  std::string values = array_string(tensor);
  // Matrices start on a new line, as in TensorFlow, so that their rows line up.
  if (values.find('\n') != std::string::npos) values.insert(0, "\n");
  return out << "Tensor(" << values << ", shape=" << tensor.shape().str()
             << ", dtype=" << (holds_strings(tensor) ? "string" : dtype_name(tensor.dtype()))
             << ")";
}

}  // namespace antler

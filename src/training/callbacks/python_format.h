#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

/// Numbers and templates as Python writes them: file names and logs of callbacks are read by other
/// programs.
namespace antler::training {

/// repr() of a float: the shortest digits that give the value back, "0.5", "1e-05", "3.0", "nan".
std::string python_repr(double value);
/// The same for single precision, as str() of a NumPy float32: "6.4049997".
std::string python_repr_float32(float value);

using PythonNumber = std::variant<int64_t, double>;

/// format(value, spec) for the numeric part of Python's format specification mini-language:
/// [[fill]align][sign][#][0][width][,|_][.precision][type]. Throws ValueError.
std::string python_format(const PythonNumber& value, std::string_view spec);

/// text.format(**values): replaces `{name}` and `{name:spec}`; `{{` and `}}` are braces. Throws
/// KeyError for a name without a value, ValueError for a template that is not well formed.
std::string python_format_template(
    std::string_view text,
    const std::function<std::optional<PythonNumber>(const std::string& name)>& value_of);

}  // namespace antler::training

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

/// Numbers and templates as Python formats them, because other programs read the files and the logs
/// of callbacks.
namespace antler::training {

/// repr() of a float: the fewest digits that read back equal, "0.5", "1e-05", "3.0", "nan".
std::string python_repr(double value);
/// The same for single precision, as str() of a NumPy float32: "6.4049997".
std::string python_repr_float32(float value);

using PythonNumber = std::variant<int64_t, double>;

/// format(value, spec) for the numeric part of Python's format specification mini-language:
/// [[fill]align][sign][#][0][width][,|_][.precision][type]. Throws ValueError.
std::string python_format(const PythonNumber& value, std::string_view spec);

/// text.format(**values): replaces `{name}` and `{name:spec}`; `{{` and `}}` are braces. Throws
/// KeyError for a name without a value, ValueError for a malformed template.
std::string python_format_template(
    std::string_view text,
    const std::function<std::optional<PythonNumber>(const std::string& name)>& value_of);

}  // namespace antler::training

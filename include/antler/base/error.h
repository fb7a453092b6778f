#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include "antler/base/format.h"

namespace antler {

/// Base of every exception that Antler throws. The message says what was given, what was expected,
/// and where.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
  /// Formats the message: `ValueError("`units` must be positive. Received: units={}", units)`.
  template <class First, class... Rest>
  explicit Error(FormatPattern<std::type_identity_t<First>, std::type_identity_t<Rest>...> pattern,
                 const First& first, const Rest&... rest)
      : Error(pattern.str(), {FormatArg(first), FormatArg(rest)...}) {}
  /// Name of the class as Keras or TensorFlow spells it, e.g. "ValueError".
  virtual const char* class_name() const noexcept { return "Error"; }

 private:
  Error(std::string_view pattern, std::initializer_list<FormatArg> arguments);
};

/// An argument has the right type but an invalid value (Python's ValueError).
class ValueError : public Error {
 public:
  using Error::Error;
  const char* class_name() const noexcept override { return "ValueError"; }
};

/// An argument has the wrong type or dtype (Python's TypeError).
class TypeError : public Error {
 public:
  using Error::Error;
  const char* class_name() const noexcept override { return "TypeError"; }
};

/// An object is not in the state that the call needs (Python's RuntimeError).
class RuntimeError : public Error {
 public:
  using Error::Error;
  const char* class_name() const noexcept override { return "RuntimeError"; }
};

/// A method that a subclass must provide was called on its base (Python's NotImplementedError).
class NotImplementedError : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
  const char* class_name() const noexcept override { return "NotImplementedError"; }
};

/// A key does not exist (Python's KeyError).
class KeyError : public Error {
 public:
  using Error::Error;
  const char* class_name() const noexcept override { return "KeyError"; }
};

/// An attribute cannot be read or set (Python's AttributeError).
class AttributeError : public Error {
 public:
  using Error::Error;
  const char* class_name() const noexcept override { return "AttributeError"; }
};

/// An index is out of range (Python's IndexError).
class IndexError : public Error {
 public:
  using Error::Error;
  const char* class_name() const noexcept override { return "IndexError"; }
};

/// A file cannot be opened, read or written, or is corrupt (Python's IOError).
class IOError : public Error {
 public:
  using Error::Error;
  const char* class_name() const noexcept override { return "IOError"; }
};

/// A file or registered object does not exist (TensorFlow's NotFoundError).
class NotFoundError : public Error {
 public:
  using Error::Error;
  const char* class_name() const noexcept override { return "NotFoundError"; }
};

/// The data ended (TensorFlow's OutOfRangeError). `fit` never lets it escape.
class OutOfRangeError : public Error {
 public:
  using Error::Error;
  const char* class_name() const noexcept override { return "OutOfRangeError"; }
};

/// An operation was aborted and may be retried (TensorFlow's AbortedError).
class AbortedError : public Error {
 public:
  using Error::Error;
  const char* class_name() const noexcept override { return "AbortedError"; }
};

/// Another process cannot be reached or has ended (TensorFlow's UnavailableError).
class UnavailableError : public Error {
 public:
  using Error::Error;
  const char* class_name() const noexcept override { return "UnavailableError"; }
};

/// Something did not happen within its timeout (TensorFlow's DeadlineExceededError).
class DeadlineExceededError : public Error {
 public:
  using Error::Error;
  const char* class_name() const noexcept override { return "DeadlineExceededError"; }
};

/// An operation was cancelled because another one failed first (TensorFlow's CancelledError).
class CancelledError : public Error {
 public:
  using Error::Error;
  const char* class_name() const noexcept override { return "CancelledError"; }
};

/// The memory of a device, or another limit, is exhausted (TensorFlow's ResourceExhaustedError).
class ResourceExhaustedError : public Error {
 public:
  using Error::Error;
  const char* class_name() const noexcept override { return "ResourceExhaustedError"; }
};

/// A bug in Antler itself: an invariant did not hold.
class InternalError : public Error {
 public:
  using Error::Error;
  const char* class_name() const noexcept override { return "InternalError"; }
};

}  // namespace antler

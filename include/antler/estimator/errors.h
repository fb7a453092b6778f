#pragma once

#include "antler/base/error.h"

/// Errors that only estimators have.
namespace antler::estimator {

/// A step met a value that an operation does not take, such as a label that is not a class
/// (TensorFlow's InvalidArgumentError).
class InvalidArgumentError : public Error {
 public:
  using Error::Error;
  const char* class_name() const noexcept override { return "InvalidArgumentError"; }
};

}  // namespace antler::estimator

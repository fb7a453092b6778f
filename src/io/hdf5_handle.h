#pragma once

#include <hdf5.h>

#include <mutex>
#include <string>
#include <utility>

#include "antler/core/dtype.h"

namespace antler::io::hdf5 {

/// A lock to hold around every use of the library, which has global state. Meanwhile the library
/// does not print errors.
class Session {
 public:
  Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();
  /// The library's innermost description of the last failure.
  static std::string reason();

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* print_data_ = nullptr;
};

/// An identifier of the library that is closed with its owner.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  bool ok() const { return id_ >= 0; }
  hid_t get() const { return id_; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// The element type of a dataset of this dtype.
Handle file_type(DType dtype);

}  // namespace antler::io::hdf5

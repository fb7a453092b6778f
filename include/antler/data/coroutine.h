#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <iterator>
#include <utility>

namespace antler::data {

/// A coroutine that yields values by `co_yield`, as a single-pass range:
///
///     data::Coroutine<Batch> batches() {
///       for (;;) co_yield {x, y};
///     }
///     model.fit(batches(), kw::steps_per_epoch = 100);
///
/// GCC 12 rejects lists in braces within co_yield ("array used as initializer"): create tensors
/// such as ops::ones({2, 4}) in a separate statement before it.
template <class T>
class Coroutine {
 public:
  /// The type that C++ requires for a coroutine.
  struct promise_type {
    const T* value = nullptr;
    std::exception_ptr error;
    Coroutine get_return_object() {
      return Coroutine(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(const T& v) noexcept {
      value = &v;  // lives until the coroutine is resumed
      return {};
    }
    void return_void() {}
    void unhandled_exception() { error = std::current_exception(); }
  };

  /// Resumes the coroutine for each value.
  class Iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    explicit Iterator(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
    const T& operator*() const { return *handle_.promise().value; }
    Iterator& operator++() {
      resume(handle_);
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& at, std::default_sentinel_t) {
      return at.handle_.done();
    }

   private:
    std::coroutine_handle<promise_type> handle_;
  };

  Coroutine(Coroutine&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Coroutine& operator=(Coroutine&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Coroutine() {
    if (handle_) handle_.destroy();
  }

  /// Runs to the first value. May be called once. Like ++, it throws what the coroutine throws.
  Iterator begin() {
    resume(handle_);
    return Iterator(handle_);
  }
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  explicit Coroutine(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  static void resume(std::coroutine_handle<promise_type> handle) {
    handle.resume();
    if (handle.promise().error) std::rethrow_exception(std::exchange(handle.promise().error, {}));
  }

  std::coroutine_handle<promise_type> handle_;
};

}  // namespace antler::data

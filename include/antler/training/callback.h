#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "antler/base/json.h"
#include "antler/core/nest.h"
#include "antler/training/history.h"
#include "antler/training/logs.h"

namespace antler {

class CallbackHandle;
class CallbackList;
class Model;

/// The hooks that are called once per execution. A loop skips those that no callback uses.
enum class BatchHook : uint8_t {
  train_begin,
  train_end,
  test_begin,
  test_end,
  predict_begin,
  predict_end,
};

/// Hooks that fit, evaluate and predict call: override what you need. The hooks of all callbacks
/// are called in the order of the list. Values added with add_log() are visible to later callbacks.
///
/// Epochs and batches count from 0; numbers beyond the range of int are clamped to it.
///
/// With steps_per_execution = n, batch hooks are called once per execution: `on_*_batch_begin` with
/// the index of its first batch, `on_*_batch_end` with that of its last.
class Callback {
 public:
  using Handle = CallbackHandle;
  Callback() = default;
  virtual ~Callback() = default;
  /// Deleted, because a copy as a plain Callback, as in std::vector<Callback>, loses its hooks.
  template <std::derived_from<Callback> C>
  requires(!std::same_as<C, Callback>) Callback(const C&)  // a list of callbacks is a Callbacks
  = delete;
  Callback(const Callback&) = default;
  Callback(Callback&&) = default;
  Callback& operator=(const Callback&) = default;
  Callback& operator=(Callback&&) = default;

  /// Arguments of the run; set before on_*_begin.
  History::Params params;
  /// The model that runs; never null in a hook.
  Model* model = nullptr;
  /// The list that contains it; never null in a hook that a list calls.
  const CallbackList* list = nullptr;

  virtual void on_train_begin(const Logs& /*logs*/) {}
  virtual void on_train_end(const Logs& /*logs*/) {}
  virtual void on_epoch_begin(int /*epoch*/, const Logs& /*logs*/) {}
  virtual void on_epoch_end(int /*epoch*/, const Logs& /*logs*/) {}
  virtual void on_train_batch_begin(int batch, const Logs& logs) { on_batch_begin(batch, logs); }
  virtual void on_train_batch_end(int batch, const Logs& logs) { on_batch_end(batch, logs); }
  virtual void on_batch_begin(int /*batch*/, const Logs& /*logs*/) {}
  virtual void on_batch_end(int /*batch*/, const Logs& /*logs*/) {}
  virtual void on_test_begin(const Logs& /*logs*/) {}
  virtual void on_test_end(const Logs& /*logs*/) {}
  virtual void on_test_batch_begin(int /*batch*/, const Logs& /*logs*/) {}
  virtual void on_test_batch_end(int /*batch*/, const Logs& /*logs*/) {}
  virtual void on_predict_begin(const Logs& /*logs*/) {}
  virtual void on_predict_end(const Logs& /*logs*/) {}
  virtual void on_predict_batch_begin(int /*batch*/, const Logs& /*logs*/) {}
  virtual void on_predict_batch_end(int /*batch*/, const Nest& /*outputs*/) {}

  /// Whether this object does anything in a batch hook that its class overrides. Called after
  /// on_*_begin.
  virtual bool uses(BatchHook) const { return true; }
  /// Whether its hooks are called after those of all other callbacks, whatever its place in the
  /// list.
  virtual bool runs_last() const { return false; }
  /// Whether only the chief (worker 0) calls its hooks if several processes train together: true
  /// for callbacks that write files, have no influence on training, and keep no state that the next
  /// chief would need.
  virtual bool chief_only() const { return false; }
  /// Called when this process has become the chief in elastic training. `ended` is given if the
  /// previous chief was lost at the end of an epoch, so that it is unknown which of this epoch's
  /// files it wrote; `logs` are the epoch's logs. By default, a chief_only() callback gets
  /// on_train_begin(), then on_epoch_end() of that epoch.
  virtual void take_over(std::optional<int64_t> ended, const Logs& logs);
  /// Whether it never stops training, or decides to stop from the logs alone, which are the same in
  /// all workers. If a callback with batch hooks may decide by something else (the clock, a file, a
  /// signal), the workers ask each other after each execution whether to stop.
  virtual bool decides_by_logs() const { return false; }

  /// Whether its batch hooks only look at what they are given: they neither read the model nor
  /// change anything that training depends on. On a device, the next steps may have begun when such
  /// hooks are called, so that the device need not wait. (Keras's attribute of the same name.)
  virtual bool async_safe() const { return false; }

  /// State that BackupAndRestore saves, so that training can be resumed in another process; null if
  /// there is none.
  virtual Json get_state() const;
  /// Restores it; called after on_train_begin().
  virtual void set_state(const Json& /*state*/) {}

 protected:
  /// Adds a value to the logs, or replaces it, when the hook returns: Keras's `logs[name] = value`.
  /// Later callbacks see it; what on_epoch_end adds becomes part of History.
  void add_log(const std::string& name, double value);
  void add_log(const std::string& name, const Tensor& value) { added_[name] = value; }

 private:
  friend class CallbackHandle;
  friend class CallbackList;
  /// Ends with this object; copies have their own.
  class Lifetime {
   public:
    Lifetime() = default;
    Lifetime(const Lifetime&) {}
    // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): it assigns nothing
    Lifetime& operator=(const Lifetime&) { return *this; }
    std::weak_ptr<const void> watch() {
      if (token_ == nullptr) token_ = std::make_shared<char>();
      return token_;
    }

   private:
    std::shared_ptr<const void> token_;
  };
  Lifetime lifetime_;
  Logs added_;  ///< by the current hook
};
using CallbackPtr = std::shared_ptr<Callback>;

namespace internal {

/// A pointer to a member function that takes these arguments.
template <class P, class... Arguments>
concept HookOf = requires(P hook) {
  []<class C>(void (C::*)(Arguments...)) {}(hook);
};
template <class P>
concept LogsHook = HookOf<P, const Logs&>;
template <class P>
concept IndexedHook = HookOf<P, int, const Logs&>;

/// The hooks of C have Callback's arguments. A hook with other arguments would hide Callback's and
/// never be called.
template <class C>
concept HooksFit = requires {
  { &C::on_train_begin } -> LogsHook;
  { &C::on_train_end } -> LogsHook;
  { &C::on_epoch_begin } -> IndexedHook;
  { &C::on_epoch_end } -> IndexedHook;
  { &C::on_batch_begin } -> IndexedHook;
  { &C::on_batch_end } -> IndexedHook;
  { &C::on_train_batch_begin } -> IndexedHook;
  { &C::on_train_batch_end } -> IndexedHook;
  { &C::on_test_begin } -> LogsHook;
  { &C::on_test_end } -> LogsHook;
  { &C::on_test_batch_begin } -> IndexedHook;
  { &C::on_test_batch_end } -> IndexedHook;
  { &C::on_predict_begin } -> LogsHook;
  { &C::on_predict_end } -> LogsHook;
  { &C::on_predict_batch_begin } -> IndexedHook;
  { &C::on_predict_batch_end } -> HookOf<int, const Nest&>;
};

template <class... Arguments>
constexpr bool is_override(void (Callback::*)(Arguments...)) {
  return false;
}
template <class C, class... Arguments>
constexpr bool is_override(void (C::*)(Arguments...)) {
  return true;
}

/// A flag per BatchHook.
using BatchHookFlags = std::array<bool, 6>;
/// The batch hooks that class C overrides.
template <HooksFit C>
constexpr BatchHookFlags overridden_batch_hooks() {
  return {is_override(&C::on_train_batch_begin) || is_override(&C::on_batch_begin),
          is_override(&C::on_train_batch_end) || is_override(&C::on_batch_end),
          is_override(&C::on_test_batch_begin),
          is_override(&C::on_test_batch_end),
          is_override(&C::on_predict_batch_begin),
          is_override(&C::on_predict_batch_end)};
}

}  // namespace internal

/// An element of a list of callbacks. A callback in a variable is used itself, as in Python, so
/// that it can be asked for its results after fit(); it must outlive the run. A temporary or a
/// constant is kept as a copy, a shared pointer is shared.
class CallbackHandle {
 public:
  using Handle = CallbackHandle;
  // NOLINTBEGIN(google-explicit-constructor): lists of callbacks are written as values
  template <class C>
  requires std::derived_from<std::remove_cvref_t<C>, Callback> CallbackHandle(C&& callback)
      : CallbackHandle(own_or_borrow(std::forward<C>(callback))) {
    if constexpr (kIsVariable<C>) lifetime_ = callback.lifetime_.watch();
  }
  template <std::derived_from<Callback> C>
  CallbackHandle(std::shared_ptr<C> callback) : callback_(std::move(callback)) {
    static_assert(
        internal::HooksFit<C>,
        "A hook of this callback is not public, is overloaded, or has other arguments than "
        "Callback's and would never be called. Hooks are declared as on_epoch_end(int epoch, "
        "const Logs& logs), on_train_begin(const Logs& logs), on_predict_batch_end(int batch, "
        "const Nest& outputs).");
    batch_hooks_.fill(true);  // an object behind a pointer to a base may override any
    if constexpr (internal::HooksFit<C>) {
      const Callback* object = callback_.get();
      if (object != nullptr && typeid(*object) == typeid(C))
        batch_hooks_ = internal::overridden_batch_hooks<C>();
    }
  }
  // NOLINTEND(google-explicit-constructor)
  /// Throws RuntimeError if it was a variable that does not exist any more.
  const CallbackPtr& get() const {
    if (lifetime_ && lifetime_->expired()) throw_destroyed();
    return callback_;
  }
  /// Whether the callback's class overrides this hook.
  bool overrides(BatchHook hook) const { return batch_hooks_[static_cast<size_t>(hook)]; }

 private:
  template <class C>
  static constexpr bool kIsVariable =
      std::is_lvalue_reference_v<C> && !std::is_const_v<std::remove_reference_t<C>>;
  template <class C>
  static auto own_or_borrow(C&& callback) {
    using T = std::remove_cvref_t<C>;
    if constexpr (kIsVariable<C>) {
      return std::shared_ptr<T>(std::shared_ptr<void>(), &callback);
    } else {
      return std::make_shared<T>(std::forward<C>(callback));
    }
  }
  [[noreturn]] static void throw_destroyed();
  CallbackPtr callback_;
  /// Of a callback that somebody else owns.
  std::optional<std::weak_ptr<const void>> lifetime_;
  internal::BatchHookFlags batch_hooks_;
};

/// Field type of `.callbacks`: a list of callbacks, `{EarlyStopping(), recorder}`; or a
/// CallbackList, which is used as it is: no History and no progress bar is added.
class Callbacks {
 public:
  Callbacks() = default;
  Callbacks(std::initializer_list<CallbackHandle> callbacks) : handles_(callbacks) {}
  Callbacks(std::vector<CallbackHandle> callbacks)  // NOLINT(google-explicit-constructor)
      : handles_(std::move(callbacks)) {}
  Callbacks(std::shared_ptr<CallbackList> list)  // NOLINT(google-explicit-constructor)
      : list_(std::move(list)) {}
  void push_back(CallbackHandle callback) { handles_.push_back(std::move(callback)); }
  const std::vector<CallbackHandle>& handles() const { return handles_; }
  const std::shared_ptr<CallbackList>& list() const { return list_; }

 private:
  std::vector<CallbackHandle> handles_;
  std::shared_ptr<CallbackList> list_;
};

/// Calls the hooks of several callbacks in order. fit appends History and the progress bar. Warns
/// once if the user's batch hooks take longer than the batches (mean of the first five, and at
/// least a millisecond).
class CallbackList {
 public:
  explicit CallbackList(const Callbacks& callbacks = {}, bool add_history = false,
                        bool add_progbar = false, Model* model = nullptr,
                        const History::Params& params = {});
  /// The callbacks point to their list.
  CallbackList(const CallbackList&) = delete;
  CallbackList& operator=(const CallbackList&) = delete;

  void append(CallbackHandle callback);
  void set_model(Model* model);
  void set_params(const History::Params& params);
  const History::Params& params() const { return params_; }
  /// Sets the number of steps in the params of all callbacks, once it is known.
  void set_steps(int64_t steps);
  bool empty() const { return callbacks_.empty(); }
  auto begin() const { return callbacks_.begin(); }
  auto end() const { return callbacks_.end(); }

  /// Whether a callback uses this hook. Known from on_*_begin on.
  bool uses(BatchHook hook) const { return !users(hook).empty(); }
  /// Whether a callback other than the progress bar uses one of these hooks.
  bool is_users(BatchHook begin, BatchHook end) const;
  /// Whether all callbacks that use batch hooks of training are async_safe(), or there are none.
  bool async_train() const { return is_async(BatchHook::train_begin, BatchHook::train_end); }
  /// The same for evaluation.
  bool async_test() const { return is_async(BatchHook::test_begin, BatchHook::test_end); }
  /// Whether a callback may stop training in the middle of an epoch for a reason that other workers
  /// do not see.
  bool may_stop_alone() const;
  /// Called when another process has become the chief during training. If this process is the new
  /// chief, calls take_over() of all callbacks with these arguments; otherwise stops calling the
  /// chief_only() callbacks.
  void chief_changed(std::optional<int64_t> ended, const Logs& logs);

  // The on_*_end hooks return the logs with the values that callbacks added.
  void on_train_begin(Logs logs = {});
  Logs on_train_end(Logs logs = {});
  void on_epoch_begin(int64_t epoch, Logs logs = {});
  Logs on_epoch_end(int64_t epoch, Logs logs = {});
  void on_train_batch_begin(int64_t batch, Logs logs = {});
  Logs on_train_batch_end(int64_t batch, Logs logs = {});
  void on_test_begin(Logs logs = {});
  Logs on_test_end(Logs logs = {});
  void on_test_batch_begin(int64_t batch, Logs logs = {});
  Logs on_test_batch_end(int64_t batch, Logs logs = {});
  void on_predict_begin(Logs logs = {});
  Logs on_predict_end(Logs logs = {});
  void on_predict_batch_begin(int64_t batch, Logs logs = {});
  void on_predict_batch_end(int64_t batch, const Nest& outputs);

 private:
  const std::vector<Callback*>& users(BatchHook hook) const {
    return users_[static_cast<size_t>(hook)];
  }
  /// Times the hooks around the first batches.
  class Stopwatch {
   public:
    /// Starts timing if `on`, unless it has finished.
    void start(bool on);
    template <class Hooks>
    void begin(const char* name, Hooks call);
    template <class Hooks>
    void end(const char* name, Hooks call);

   private:
    void check(const char* name, double seconds);
    bool on_ = false;
    int64_t batches_ = 0;
    const char* begin_name_ = "";
    double batch_start_ = 0;
    double batch_seconds_ = 0;
    double begin_seconds_ = 0;
    double end_seconds_ = 0;
  };

  bool is_async(BatchHook begin, BatchHook end) const;
  bool takes_part(const Callback& callback) const;
  /// The callbacks whose hooks this process calls.
  std::vector<Callback*> all() const;
  /// Calls a hook of each of them. Returns the logs with the values that they added.
  template <class Hook, class... Index>
  static Logs call(const std::vector<Callback*>& callbacks, Hook hook, Logs logs, Index... index);
  /// Determines which batch hooks the callbacks use.
  void find_users();

  std::vector<CallbackHandle> callbacks_;
  std::array<std::vector<Callback*>, 6> users_;
  std::array<Stopwatch, 3> stopwatches_;  // of train, test and predict hooks
  Model* model_;
  History::Params params_;
};

}  // namespace antler

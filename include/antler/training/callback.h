#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
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

/// The hooks that come once per execution, which is why a loop wants to know who has them.
enum class BatchHook : uint8_t {
  train_begin,
  train_end,
  test_begin,
  test_end,
  predict_begin,
  predict_end,
};

/// Hooks that fit, evaluate and predict call: override what you need. All callbacks of a run get
/// the same logs, in the order of the list. What one adds with add_log(), later ones see.
///
/// With steps_per_execution = n, batch hooks come once per execution: `on_*_batch_begin` with the
/// index of its first batch, `on_*_batch_end` with that of its last.
class Callback {
 public:
  using Handle = CallbackHandle;
  virtual ~Callback() = default;

  /// What the run was asked for; set before on_*_begin.
  History::Params params;
  /// The model that runs; never null inside of a hook.
  Model* model = nullptr;
  /// The list that it is in; never null inside of a hook that a list calls.
  const CallbackList* list = nullptr;

  virtual void on_train_begin(const Logs& /*logs*/) {}
  virtual void on_train_end(const Logs& /*logs*/) {}
  virtual void on_epoch_begin(int64_t /*epoch*/, const Logs& /*logs*/) {}
  virtual void on_epoch_end(int64_t /*epoch*/, const Logs& /*logs*/) {}
  virtual void on_train_batch_begin(int64_t batch, const Logs& logs) {
    on_batch_begin(batch, logs);
  }
  virtual void on_train_batch_end(int64_t batch, const Logs& logs) { on_batch_end(batch, logs); }
  virtual void on_batch_begin(int64_t /*batch*/, const Logs& /*logs*/) {}
  virtual void on_batch_end(int64_t /*batch*/, const Logs& /*logs*/) {}
  virtual void on_test_begin(const Logs& /*logs*/) {}
  virtual void on_test_end(const Logs& /*logs*/) {}
  virtual void on_test_batch_begin(int64_t /*batch*/, const Logs& /*logs*/) {}
  virtual void on_test_batch_end(int64_t /*batch*/, const Logs& /*logs*/) {}
  virtual void on_predict_begin(const Logs& /*logs*/) {}
  virtual void on_predict_end(const Logs& /*logs*/) {}
  virtual void on_predict_batch_begin(int64_t /*batch*/, const Logs& /*logs*/) {}
  virtual void on_predict_batch_end(int64_t /*batch*/, const Nest& /*outputs*/) {}

  /// Whether this object has anything to do in a batch hook that its class overrides. Asked after
  /// on_*_begin; a loop leaves out hooks that nobody uses.
  virtual bool uses(BatchHook) const { return true; }
  /// Whether its hooks come after those of all others, wherever it stands in the list.
  virtual bool runs_last() const { return false; }

  /// What it has to remember when training is interrupted and goes on in another process, for
  /// BackupAndRestore. set_state() gets it after on_train_begin().
  virtual Json get_state() const;  ///< null: nothing
  virtual void set_state(const Json& state);

 protected:
  /// Adds a value to the logs, or replaces one, when the hook returns: Keras's `logs[name] =
  /// value`. Later callbacks see it, and what is added in on_epoch_end is in History.
  void add_log(const std::string& name, double value);
  void add_log(const std::string& name, const Tensor& value) { added_[name] = value; }

 private:
  friend class CallbackList;
  Logs added_;  ///< in the hook that runs
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
concept IndexedHook = HookOf<P, int64_t, const Logs&>;

/// A hook with other arguments than Callback's hides it and would never be called.
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
  { &C::on_predict_batch_end } -> HookOf<int64_t, const Nest&>;
};

template <class... Arguments>
constexpr bool is_override(void (Callback::*)(Arguments...)) {
  return false;
}
template <class C, class... Arguments>
constexpr bool is_override(void (C::*)(Arguments...)) {
  return true;
}

/// Whether class C overrides them, in the order of BatchHook.
using BatchHookFlags = std::array<bool, 6>;
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

/// Element of a list of callbacks: any callback by value, or a pointer to one that the caller
/// keeps.
class CallbackHandle {
 public:
  using Handle = CallbackHandle;
  template <std::derived_from<Callback> C>
  CallbackHandle(
      C callback)  // NOLINT(google-explicit-constructor): lists of callbacks are written as values
      : CallbackHandle(std::make_shared<C>(std::move(callback))) {}
  template <std::derived_from<Callback> C>
  CallbackHandle(std::shared_ptr<C> callback)  // NOLINT(google-explicit-constructor)
      : callback_(std::move(callback)) {
    static_assert(
        internal::HooksFit<C>,
        "A hook of this callback would never be called: hooks are public and declared as "
        "in Callback, on_epoch_end(int64_t epoch, const Logs& logs), on_train_begin(const "
        "Logs& logs), on_predict_batch_end(int64_t batch, const Nest& outputs).");
    batch_hooks_.fill(true);  // behind a pointer to a base any may be overridden
    if constexpr (internal::HooksFit<C>) {
      const Callback* object = callback_.get();
      if (object != nullptr && typeid(*object) == typeid(C))
        batch_hooks_ = internal::overridden_batch_hooks<C>();
    }
  }
  const CallbackPtr& get() const { return callback_; }
  /// Whether its class overrides this hook.
  bool overrides(BatchHook hook) const { return batch_hooks_[static_cast<size_t>(hook)]; }

 private:
  CallbackPtr callback_;
  internal::BatchHookFlags batch_hooks_;
};

/// Field type of `.callbacks`: a list of callbacks, `{EarlyStopping(), recorder}`; or a
/// CallbackList, which is then used as it is (no History and no progress bar is added to it).
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

/// Calls the hooks of several callbacks in order. fit appends History and the progress bar to the
/// user's. Warns once when the user's batch hooks take longer than the batches (mean of the first
/// five, and at least a millisecond).
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
  /// Tells all callbacks the number of steps, once it is known.
  void set_steps(int64_t steps);
  bool empty() const { return callbacks_.empty(); }
  auto begin() const { return callbacks_.begin(); }
  auto end() const { return callbacks_.end(); }

  /// Whether a callback uses this hook. Known from on_*_begin on.
  bool uses(BatchHook hook) const { return !users(hook).empty(); }

  // Hooks at an end return the logs with what the callbacks added.
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
    /// Times from here on if `on`, unless it has done so.
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

  std::vector<Callback*> all() const;
  /// Calls a hook of each of them. Returns the logs with what they added.
  template <class Hook, class... Index>
  static Logs call(const std::vector<Callback*>& callbacks, Hook hook, Logs logs, Index... index);
  /// Asks the callbacks which batch hooks they use.
  void find_users();
  /// Whether one of the user's callbacks uses one of these hooks.
  bool is_users(BatchHook begin, BatchHook end) const;

  std::vector<CallbackHandle> callbacks_;
  std::array<std::vector<Callback*>, 6> users_;
  std::array<Stopwatch, 3> stopwatches_;  // of train, test and predict hooks
  Model* model_;
  History::Params params_;
};

}  // namespace antler

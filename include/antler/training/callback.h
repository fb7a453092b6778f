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

/// Hooks that fit, evaluate and predict call. Override what you need. All callbacks of a run get
/// the same logs, in list order: an earlier one can add entries that later ones see.
///
/// With steps_per_execution = n, batch hooks come once per execution: `on_*_batch_begin` with the
/// index of its first batch, `on_*_batch_end` with that of its last.
class Callback {
 public:
  virtual ~Callback() = default;

  /// What the run was asked for; set before on_*_begin.
  History::Params params;
  /// The model that runs; never null inside of a hook.
  Model* model = nullptr;
  /// The list that it is in; never null inside of a hook that a list calls.
  const CallbackList* list = nullptr;

  virtual void on_train_begin(HostLogs& logs);
  virtual void on_train_end(HostLogs& logs);
  virtual void on_epoch_begin(int64_t epoch, HostLogs& logs);
  virtual void on_epoch_end(int64_t epoch, HostLogs& logs);
  virtual void on_train_batch_begin(int64_t batch, HostLogs& logs);  ///< calls on_batch_begin
  virtual void on_train_batch_end(int64_t batch, HostLogs& logs);    ///< calls on_batch_end
  virtual void on_batch_begin(int64_t batch, HostLogs& logs);
  virtual void on_batch_end(int64_t batch, HostLogs& logs);
  virtual void on_test_begin(HostLogs& logs);
  virtual void on_test_end(HostLogs& logs);
  virtual void on_test_batch_begin(int64_t batch, HostLogs& logs);
  virtual void on_test_batch_end(int64_t batch, HostLogs& logs);
  virtual void on_predict_begin(HostLogs& logs);
  virtual void on_predict_end(HostLogs& logs);
  virtual void on_predict_batch_begin(int64_t batch, HostLogs& logs);
  virtual void on_predict_batch_end(int64_t batch, const Nest& outputs);

  // The same for who only reads the logs; the ones above call these.
  virtual void on_train_begin(const HostLogs& logs);
  virtual void on_train_end(const HostLogs& logs);
  virtual void on_epoch_begin(int64_t epoch, const HostLogs& logs);
  virtual void on_epoch_end(int64_t epoch, const HostLogs& logs);
  virtual void on_train_batch_begin(int64_t batch, const HostLogs& logs);
  virtual void on_train_batch_end(int64_t batch, const HostLogs& logs);
  virtual void on_batch_begin(int64_t batch, const HostLogs& logs);
  virtual void on_batch_end(int64_t batch, const HostLogs& logs);
  virtual void on_test_begin(const HostLogs& logs);
  virtual void on_test_end(const HostLogs& logs);
  virtual void on_test_batch_begin(int64_t batch, const HostLogs& logs);
  virtual void on_test_batch_end(int64_t batch, const HostLogs& logs);
  virtual void on_predict_begin(const HostLogs& logs);
  virtual void on_predict_end(const HostLogs& logs);
  virtual void on_predict_batch_begin(int64_t batch, const HostLogs& logs);

  /// Whether this object has anything to do in a batch hook that its class overrides. Asked after
  /// on_*_begin; a loop leaves out hooks that nobody uses.
  virtual bool uses(BatchHook) const { return true; }
  /// Whether its batch hooks look at the logs (Keras's `_supports_tf_logs` turned around). Where no
  /// callback does, the logs of an execution are not converted and the hooks get empty ones.
  virtual bool reads_batch_logs() const { return true; }

  /// Whether its hooks come after those of all others, wherever it stands in the list.
  virtual bool runs_last() const { return false; }

  /// What it has to remember when training is interrupted and goes on in another process, for
  /// BackupAndRestore. set_state() gets it after on_train_begin().
  virtual Json get_state() const;  ///< null: nothing
  virtual void set_state(const Json& state);
};
using CallbackPtr = std::shared_ptr<Callback>;

namespace internal {

/// The class that a hook comes from, by its arguments.
template <class... Arguments>
struct Hook {
  template <class C>
  static C from(void (C::*)(Arguments...));
};
using LogsHook = Hook<HostLogs&>;
using ConstLogsHook = Hook<const HostLogs&>;
using IndexHook = Hook<int64_t, HostLogs&>;
using ConstIndexHook = Hook<int64_t, const HostLogs&>;
using OutputsHook = Hook<int64_t, const Nest&>;

/// The batch hooks that class C overrides, as bits. A hook that cannot be named from here
/// (private) counts as overridden.
template <class C>
constexpr unsigned overridden_batch_hooks() {
  unsigned hooks = 0;
  const auto add = [&](BatchHook hook, bool overridden) {
    if (overridden) hooks |= 1U << static_cast<unsigned>(hook);
  };
#define ANTLER_OF_BASE(name, hook)                      \
  requires {                                            \
    { hook::from(&C::name) } -> std::same_as<Callback>; \
  }
#define ANTLER_OVERRIDES(name) \
  (!(ANTLER_OF_BASE(name, IndexHook)) || !(ANTLER_OF_BASE(name, ConstIndexHook)))
  add(BatchHook::train_begin,
      ANTLER_OVERRIDES(on_train_batch_begin) || ANTLER_OVERRIDES(on_batch_begin));
  add(BatchHook::train_end, ANTLER_OVERRIDES(on_train_batch_end) || ANTLER_OVERRIDES(on_batch_end));
  add(BatchHook::test_begin, ANTLER_OVERRIDES(on_test_batch_begin));
  add(BatchHook::test_end, ANTLER_OVERRIDES(on_test_batch_end));
  add(BatchHook::predict_begin, ANTLER_OVERRIDES(on_predict_batch_begin));
  add(BatchHook::predict_end, !(ANTLER_OF_BASE(on_predict_batch_end, OutputsHook)));
#undef ANTLER_OVERRIDES
#undef ANTLER_OF_BASE
  return hooks;
}

/// Whether every hook that C declares has the arguments of a hook: others would never be called.
template <class C>
constexpr bool hooks_fit() {
#define ANTLER_FITS(name, hook, other)                                 \
  (                                                                    \
      !requires { &C::name; } || requires { hook::from(&C::name); } || \
      requires { other::from(&C::name); })
#define ANTLER_LOGS_FIT(name) ANTLER_FITS(name, LogsHook, ConstLogsHook)
#define ANTLER_INDEX_FITS(name) ANTLER_FITS(name, IndexHook, ConstIndexHook)
  return ANTLER_LOGS_FIT(on_train_begin) && ANTLER_LOGS_FIT(on_train_end) &&
         ANTLER_LOGS_FIT(on_test_begin) && ANTLER_LOGS_FIT(on_test_end) &&
         ANTLER_LOGS_FIT(on_predict_begin) && ANTLER_LOGS_FIT(on_predict_end) &&
         ANTLER_INDEX_FITS(on_epoch_begin) && ANTLER_INDEX_FITS(on_epoch_end) &&
         ANTLER_INDEX_FITS(on_batch_begin) && ANTLER_INDEX_FITS(on_batch_end) &&
         ANTLER_INDEX_FITS(on_train_batch_begin) && ANTLER_INDEX_FITS(on_train_batch_end) &&
         ANTLER_INDEX_FITS(on_test_batch_begin) && ANTLER_INDEX_FITS(on_test_batch_end) &&
         ANTLER_INDEX_FITS(on_predict_batch_begin) &&
         ANTLER_FITS(on_predict_batch_end, OutputsHook, OutputsHook);
#undef ANTLER_INDEX_FITS
#undef ANTLER_LOGS_FIT
#undef ANTLER_FITS
}

}  // namespace internal

/// Element of a list of callbacks: any callback by value, or a pointer to one that the caller
/// keeps.
class CallbackHandle {
 public:
  template <std::derived_from<Callback> C>
  CallbackHandle(
      C callback)  // NOLINT(google-explicit-constructor): lists of callbacks are written as values
      : CallbackHandle(std::make_shared<C>(std::move(callback))) {}
  template <std::derived_from<Callback> C>
  CallbackHandle(std::shared_ptr<C> callback)  // NOLINT(google-explicit-constructor)
      : callback_(std::move(callback)), batch_hooks_(hooks_of<C>(callback_.get())) {
    static_assert(
        internal::hooks_fit<C>(),
        "A hook of this callback has other arguments than Callback's and would never be "
        "called. They are on_epoch_end(int64_t epoch, HostLogs& logs), or const HostLogs&; "
        "on_train_begin(HostLogs& logs); on_predict_batch_end(int64_t batch, const Nest& "
        "outputs).");
  }
  const CallbackPtr& get() const { return callback_; }
  /// Whether its class overrides this hook.
  bool overrides(BatchHook hook) const {
    return (batch_hooks_ >> static_cast<unsigned>(hook) & 1U) != 0;
  }

 private:
  /// Of a pointer to a base nothing is known: the object may override all.
  template <class C>
  static unsigned hooks_of(const Callback* callback) {
    const bool known = callback != nullptr && typeid(*callback) == typeid(C);
    return known ? internal::overridden_batch_hooks<C>() : ~0U;
  }
  CallbackPtr callback_;
  unsigned batch_hooks_;
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

  /// Whether a callback uses this hook, and whether one that does reads the logs. Known from
  /// on_*_begin on.
  bool uses(BatchHook hook) const { return !users(hook).empty(); }
  bool reads_logs(BatchHook hook) const { return reads_logs_[static_cast<size_t>(hook)]; }

  void on_train_begin();
  void on_train_end(HostLogs& logs);
  void on_epoch_begin(int64_t epoch);
  void on_epoch_end(int64_t epoch, HostLogs& logs);
  void on_train_batch_begin(int64_t batch);
  void on_train_batch_end(int64_t batch, HostLogs& logs);
  void on_test_begin();
  void on_test_end(HostLogs& logs);
  void on_test_batch_begin(int64_t batch);
  void on_test_batch_end(int64_t batch, HostLogs& logs);
  void on_predict_begin();
  void on_predict_end();
  void on_predict_batch_begin(int64_t batch);
  void on_predict_batch_end(int64_t batch, const Nest& outputs);

 private:
  static constexpr size_t kBatchHooks = 6;
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

  /// Asks the callbacks which batch hooks they use.
  void find_users();
  /// Whether one of the user's callbacks uses one of these hooks.
  bool is_users(BatchHook begin, BatchHook end) const;

  std::vector<CallbackHandle> callbacks_;
  std::array<std::vector<Callback*>, kBatchHooks> users_;
  std::array<bool, kBatchHooks> reads_logs_ = {};
  std::array<Stopwatch, 3> stopwatches_;  // of train, test and predict hooks
  Model* model_;
  History::Params params_;
};

}  // namespace antler

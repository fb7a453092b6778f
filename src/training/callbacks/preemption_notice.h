#pragma once

namespace antler::callbacks {

/// While an instance exists, SIGTERM is recorded instead of having its usual effect.
class PreemptionNotice {
 public:
  PreemptionNotice();
  /// Passes on a recorded signal.
  ~PreemptionNotice();
  PreemptionNotice(const PreemptionNotice&) = delete;
  PreemptionNotice& operator=(const PreemptionNotice&) = delete;

  bool came() const;
  /// Gives a recorded signal its usual effect, which may end the process.
  void pass_on();
  /// Forgets a recorded signal.
  void dismiss();
};

}  // namespace antler::callbacks

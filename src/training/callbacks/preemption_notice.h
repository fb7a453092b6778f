#pragma once

namespace antler::callbacks {

/// While an instance exists, SIGTERM is noted and has no effect.
class PreemptionNotice {
 public:
  PreemptionNotice();
  /// Passes on a noted signal.
  ~PreemptionNotice();
  PreemptionNotice(const PreemptionNotice&) = delete;
  PreemptionNotice& operator=(const PreemptionNotice&) = delete;

  bool came() const;
  /// Gives a noted signal its usual effect, which may end the process.
  void pass_on();
  /// Forgets a noted signal.
  void dismiss();
};

}  // namespace antler::callbacks

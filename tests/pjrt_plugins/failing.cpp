// Wraps the plug-in that ANTLER_PJRT_CPU names; its device fails when a test wants it to.
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "pjrt/c_api.h"

namespace antler::pjrt::c_api {
namespace {

const Api* real = nullptr;
int64_t runs_left = -1;  // until the failure; negative: none
int code = 0;            // of its error
bool is_lost = false;    // nothing works afterwards

struct FakeError {
  std::string message;
  int code;
};
std::vector<FakeError*> errors;  // those that were made here

FakeError* find(const void* error) {
  for (FakeError* const own : errors) {
    if (own == error) return own;
  }
  return nullptr;
}

Error* fail(const char* message) {
  errors.push_back(new FakeError{message, code});
  return reinterpret_cast<Error*>(errors.back());
}

template <class Args>
auto pass_on(Call function, Args* args) {
  using Signature = Error* (*)(Args*);
  return reinterpret_cast<Signature>(real->functions[static_cast<size_t>(function)])(args);
}

bool is_gone() { return is_lost && runs_left == 0; }

Error* execute(ExecuteArgs* args) {
  if (runs_left == 0) return fail(is_lost ? "the device is lost" : "out of memory");
  if (runs_left > 0) --runs_left;
  return pass_on(Call::loaded_executable_execute, args);
}

Error* to_host(BufferToHostArgs* args) {
  return is_gone() ? fail("the device is lost") : pass_on(Call::buffer_to_host_buffer, args);
}

Error* from_host(BufferFromHostArgs* args) {
  return is_gone() ? fail("the device is lost")
                   : pass_on(Call::client_buffer_from_host_buffer, args);
}

void destroy_error(OneArgs<Error>* args) {
  if (find(args->object) == nullptr) pass_on(Call::error_destroy, args);
}

void message_of(ListArgs<const Error, const char>* args) {
  const FakeError* const own = find(args->object);
  if (own == nullptr) {
    pass_on(Call::error_message, args);
    return;
  }
  args->data = own->message.data();
  args->count = own->message.size();
}

Error* code_of(GetArgs<const Error, int>* args) {
  const FakeError* const own = find(args->object);
  if (own == nullptr) return pass_on(Call::error_get_code, args);
  args->result = own->code;
  return nullptr;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): names of the interface
extern "C" const Api* GetPjrtApi() {
  static std::vector<char> table;
  if (!table.empty()) return reinterpret_cast<const Api*>(table.data());
  void* const library = dlopen(std::getenv("ANTLER_PJRT_CPU"), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  real = reinterpret_cast<const Api* (*)()>(dlsym(library, "GetPjrtApi"))();
  table.resize(real->size);
  std::memcpy(table.data(), real, real->size);
  auto* const api = reinterpret_cast<Api*>(table.data());
  const auto replace = [&](Call function, auto* with) {
    api->functions[static_cast<size_t>(function)] = reinterpret_cast<void*>(with);
  };
  replace(Call::loaded_executable_execute, execute);
  replace(Call::buffer_to_host_buffer, to_host);
  replace(Call::client_buffer_from_host_buffer, from_host);
  replace(Call::error_destroy, destroy_error);
  replace(Call::error_message, message_of);
  replace(Call::error_get_code, code_of);
  return api;
}

/// After `runs` more runs, each fails with `status`; if the device is `lost`, so does all else.
extern "C" void antler_test_fail_after(int64_t runs, int status, bool lost) {
  runs_left = runs;
  code = status;
  is_lost = lost;
}
// NOLINTEND(readability-identifier-naming)

}  // namespace antler::pjrt::c_api

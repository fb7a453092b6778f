#pragma once

#include <cstddef>
#include <cstdint>

/// The part of the binary interface of PJRT plug-ins that Antler uses: the order of the functions
/// in the plug-in's table and the layout of their arguments (openxla/xla, xla/pjrt/c/pjrt_c_api.h,
/// version 0.81). The interface only grows at its end, so these layouts are valid for every plug-in
/// of major version 0 whose minor version is at least kOldestMinor. Every struct starts with its
/// own size, which tells either side which fields the other one has.
namespace antler::pjrt::c_api {

inline constexpr int kMajor = 0;
inline constexpr int kOldestMinor = 81;

/// Index of a function in the table.
enum class Call : size_t {
  error_destroy = 0,
  error_message = 1,
  error_get_code = 2,
  plugin_initialize = 3,
  event_destroy = 5,
  event_await = 8,
  client_create = 10,
  client_destroy = 11,
  client_platform_name = 12,
  client_platform_version = 14,
  client_addressable_devices = 16,
  client_compile = 20,
  client_buffer_from_host_buffer = 22,
  device_description_id = 23,
  device_description_kind = 26,
  device_get_description = 29,
  device_memory_stats = 34,
  executable_destroy = 40,
  executable_serialize = 49,
  loaded_executable_destroy = 50,
  loaded_executable_get_executable = 51,
  loaded_executable_execute = 55,
  executable_deserialize_and_load = 56,
  buffer_destroy = 58,
  buffer_to_host_buffer = 70,
  buffer_ready_event = 72,
  executable_get_compiled_memory_stats = 96,
};

// Objects of the plug-in.
struct Error;  // NOLINT(bugprone-forward-declaration-namespace): not antler::Error
struct Client;
struct Device;
struct DeviceDescription;
struct Memory;
struct Buffer;
struct Event;
struct Executable;
struct LoadedExecutable;
struct SerializedExecutable;

struct Version {
  size_t size;
  void* extensions;
  int major;
  int minor;
};

struct Api {
  size_t size;
  void* extensions;
  Version version;
  void* functions[1];  ///< as many as `size` has room for
};

/// The first fields of the arguments of all functions.
struct Head {
  size_t size = 0;
  void* extensions = nullptr;
};

/// Arguments of functions that take one object.
template <class T>
struct OneArgs : Head {
  T* object = nullptr;
};
/// Arguments of functions that take one object and give another, or a number.
template <class T, class Result>
struct GetArgs : Head {
  T* object = nullptr;
  Result result{};
};
/// Arguments of functions that take one object and give a string, or a list.
template <class T, class Element>
struct ListArgs : Head {
  T* object = nullptr;
  Element* data = nullptr;
  size_t count = 0;
};

/// An option of client_create.
struct NamedValue : Head {
  enum class Type : int { string = 0, integer = 1, integers = 2, number = 3, boolean = 4 };
  const char* name = nullptr;
  size_t name_size = 0;
  Type type = Type::string;
  union {
    const char* string;
    int64_t integer;
    const int64_t* integers;
    float number;
    bool boolean;
  };
  size_t count = 0;  ///< of a string or list; 1 otherwise
};

struct ClientCreateArgs : Head {
  const NamedValue* options = nullptr;
  size_t option_count = 0;
  void* key_value_get = nullptr;
  void* key_value_get_argument = nullptr;
  void* key_value_put = nullptr;
  void* key_value_put_argument = nullptr;
  Client* client = nullptr;
  void* key_value_try_get = nullptr;
  void* key_value_try_get_argument = nullptr;
};

struct Program : Head {
  char* code = nullptr;
  size_t code_size = 0;
  const char* format = nullptr;
  size_t format_size = 0;
};

struct CompileArgs : Head {
  Client* client = nullptr;
  const Program* program = nullptr;
  const char* options = nullptr;  ///< a serialized xla.CompileOptionsProto
  size_t options_size = 0;
  LoadedExecutable* executable = nullptr;
};

enum class BufferType : int {
  invalid = 0,
  pred = 1,
  s8 = 2,
  s16 = 3,
  s32 = 4,
  s64 = 5,
  u8 = 6,
  u16 = 7,
  u32 = 8,
  u64 = 9,
  f16 = 10,
  f32 = 11,
  f64 = 12,
  bf16 = 13,
};

enum class HostBufferSemantics : int {
  immutable_only_during_call = 0,
  until_transfer_completes = 1
};

struct BufferFromHostArgs : Head {
  Client* client = nullptr;
  const void* data = nullptr;
  BufferType type = BufferType::invalid;
  const int64_t* dims = nullptr;
  size_t rank = 0;
  const int64_t* byte_strides = nullptr;  ///< null: row-major
  size_t stride_count = 0;
  HostBufferSemantics semantics = HostBufferSemantics::immutable_only_during_call;
  Device* device = nullptr;
  Memory* memory = nullptr;
  void* layout = nullptr;
  Event* done_with_host_buffer = nullptr;
  Buffer* buffer = nullptr;
};

/// The memory layout of an array; here always untiled.
struct MemoryLayout : Head {
  size_t tiled_size = 0;
  void* tiled_extensions = nullptr;
  const int64_t* minor_to_major = nullptr;
  size_t rank = 0;
  const int64_t* tile_dims = nullptr;
  const size_t* tile_ranks = nullptr;
  size_t tile_count = 0;
  int type = 0;  ///< 0: tiled
};

struct BufferToHostArgs : Head {
  Buffer* buffer = nullptr;
  MemoryLayout* layout = nullptr;
  void* destination = nullptr;
  size_t destination_size = 0;
  Event* event = nullptr;
};

struct ExecuteOptions : Head {
  void* send_callbacks = nullptr;
  void* receive_callbacks = nullptr;
  size_t send_count = 0;
  size_t receive_count = 0;
  int launch_id = 0;
  const int64_t* non_donatable = nullptr;
  size_t non_donatable_count = 0;
  void* context = nullptr;
  const char* call_location = nullptr;
  size_t task_count = 0;
  int* task_ids = nullptr;
  int64_t* incarnation_ids = nullptr;
  int64_t later_fields[8] = {};
};

struct ExecuteArgs : Head {
  LoadedExecutable* executable = nullptr;
  ExecuteOptions* options = nullptr;
  Buffer* const* const* argument_lists = nullptr;  ///< [devices][arguments]
  size_t device_count = 0;
  size_t argument_count = 0;
  Buffer** const* output_lists = nullptr;  ///< [devices][outputs]
  Event** complete_events = nullptr;       ///< [devices]; null if nobody waits
  Device* execute_device = nullptr;
};

struct SerializeArgs : Head {
  const Executable* executable = nullptr;
  const char* bytes = nullptr;
  size_t byte_count = 0;
  SerializedExecutable* owner = nullptr;
  void (*destroy_owner)(SerializedExecutable*) = nullptr;
};

struct DeserializeArgs : Head {
  Client* client = nullptr;
  const char* bytes = nullptr;
  size_t byte_count = 0;
  LoadedExecutable* executable = nullptr;
  const char* options = nullptr;  ///< null: those that it was compiled with
  size_t options_size = 0;
};

struct DeviceMemoryStatsArgs : Head {
  Device* device = nullptr;
  int64_t bytes_in_use = 0;
  struct Optional {
    int64_t value = 0;
    bool is_set = false;
  };
  Optional peak_bytes_in_use;
  Optional allocations;
  Optional largest_allocation;
  Optional bytes_limit;
  Optional bytes_reserved;
  Optional peak_bytes_reserved;
  Optional bytes_reservable_limit;
  Optional largest_free_block;
  Optional pool_bytes;
  Optional peak_pool_bytes;
};

/// All sizes in bytes.
struct CompiledMemoryStatsArgs : Head {
  Executable* executable = nullptr;
  int64_t generated_code = 0;
  int64_t arguments = 0;
  int64_t outputs = 0;
  int64_t aliased = 0;
  int64_t temporaries = 0;
  int64_t host[5] = {};
};

}  // namespace antler::pjrt::c_api

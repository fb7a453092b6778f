#include "pjrt/client.h"

#include <map>
#include <utility>

#include "antler/base/error.h"
#include "pjrt/client_options.h"
#include "pjrt/compile_cache.h"

namespace antler::pjrt {
namespace {

using c_api::Call;

c_api::BufferType buffer_type(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return c_api::BufferType::f32;
    case DType::float64:
      return c_api::BufferType::f64;
    case DType::bfloat16:
      return c_api::BufferType::bf16;
    case DType::float16:
      return c_api::BufferType::f16;
    case DType::int8:
      return c_api::BufferType::s8;
    case DType::int16:
      return c_api::BufferType::s16;
    case DType::int32:
      return c_api::BufferType::s32;
    case DType::int64:
      return c_api::BufferType::s64;
    case DType::uint8:
      return c_api::BufferType::u8;
    case DType::uint16:
      return c_api::BufferType::u16;
    case DType::uint32:
      return c_api::BufferType::u32;
    case DType::uint64:
      return c_api::BufferType::u64;
    case DType::boolean:
      return c_api::BufferType::pred;
  }
  throw InternalError("a dtype that PJRT does not have");
}

template <class T>
std::string string_of(const Plugin& plugin, Call function, T* object, const char* what) {
  c_api::ListArgs<T, const char> args;
  args.object = object;
  plugin.call(function, args, what);
  return {args.data, args.count};
}

}  // namespace

Event::~Event() {
  if (event_ != nullptr) plugin_->destroy(Call::event_destroy, event_);
}

void Event::wait(const char* what) {
  if (event_ != nullptr) plugin_->await(std::exchange(event_, nullptr), what);
}

DeviceBuffer::~DeviceBuffer() { client_.plugin().destroy(Call::buffer_destroy, buffer_); }

Event DeviceBuffer::start_copy_to(void* memory) {
  const auto bytes = static_cast<size_t>(spec_.num_bytes());
  if (bytes == 0) return {};
  std::vector<int64_t> minor_to_major;
  for (int i = spec_.shape.rank() - 1; i >= 0; --i) minor_to_major.push_back(i);
  c_api::MemoryLayout layout;
  layout.size = sizeof(layout);
  layout.minor_to_major = minor_to_major.data();
  layout.rank = minor_to_major.size();
  c_api::BufferToHostArgs args;
  args.buffer = buffer_;
  args.layout = &layout;
  args.destination = memory;
  args.destination_size = bytes;
  client_.plugin().call(Call::buffer_to_host_buffer, args, "reading from the device");
  return {client_.plugin(), args.event};
}

void DeviceBuffer::copy_to(void* memory) { start_copy_to(memory).wait("reading from the device"); }

Executable::Executable(Client& client, std::vector<int> devices, c_api::LoadedExecutable* loaded)
    : client_(client), devices_(std::move(devices)), loaded_(loaded) {
  c_api::GetArgs<c_api::LoadedExecutable, c_api::Executable*> args;
  args.object = loaded_;
  client_.plugin().call(Call::loaded_executable_get_executable, args, "loading a program");
  executable_ = args.result;
}

Executable::~Executable() {
  client_.plugin().destroy(Call::executable_destroy, executable_);
  client_.plugin().destroy(Call::loaded_executable_destroy, loaded_);
}

std::vector<Buffers> Executable::run(std::span<const Buffers> arguments,
                                     std::span<const TensorSpec> results,
                                     std::vector<Event>* done) const {
  const size_t count = devices_.size();
  if (arguments.size() != count) throw InternalError("a program lacks arguments for a device");
  std::vector<std::vector<c_api::Buffer*>> inputs(count);
  std::vector<std::vector<c_api::Buffer*>> outputs(count);
  std::vector<c_api::Buffer* const*> input_lists;
  std::vector<c_api::Buffer**> output_lists;
  for (size_t r = 0; r < count; ++r) {
    for (const BufferPtr& argument : arguments[r]) inputs[r].push_back(argument->get());
    outputs[r].resize(results.size());
    input_lists.push_back(inputs[r].data());
    output_lists.push_back(outputs[r].data());
  }
  std::vector<c_api::Event*> complete(count);
  c_api::ExecuteOptions options;
  options.size = sizeof(options);
  c_api::ExecuteArgs args;
  args.executable = loaded_;
  args.options = &options;
  args.argument_lists = input_lists.data();
  args.device_count = count;
  args.argument_count = inputs[0].size();
  args.output_lists = output_lists.data();
  if (done != nullptr) args.complete_events = complete.data();
  client_.plugin().call(Call::loaded_executable_execute, args, "running a program");
  if (done != nullptr) {
    done->clear();
    for (c_api::Event* const event : complete) done->emplace_back(client_.plugin(), event);
  }
  std::vector<Buffers> buffers(count);
  for (size_t r = 0; r < count; ++r) {
    for (size_t i = 0; i < results.size(); ++i)
      buffers[r].push_back(
          std::make_shared<DeviceBuffer>(client_, devices_[r], results[i], outputs[r][i]));
  }
  return buffers;
}

int64_t Executable::temporary_bytes() const {
  if (!client_.plugin().has(Call::executable_get_compiled_memory_stats)) return 0;
  c_api::CompiledMemoryStatsArgs args;
  args.executable = executable_;
  try {
    client_.plugin().call(Call::executable_get_compiled_memory_stats, args, "memory of a program");
  } catch (const NotImplementedError&) {
    return 0;
  }
  return args.temporaries;
}

Client& Client::of(const std::string& plugin_path) {
  static std::mutex mutex;
  static auto* const clients = new std::map<std::string, std::unique_ptr<Client>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<Client>& client = (*clients)[plugin_path];
  if (client == nullptr) client.reset(new Client(Plugin::load(plugin_path)));
  return *client;
}

Client::Client(const Plugin& plugin) : plugin_(plugin) {
  const ClientOptions options = client_options_from_env();
  c_api::ClientCreateArgs args;
  args.options = options.values.data();
  args.option_count = options.values.size();
  plugin_.call(Call::client_create, args, "opening the devices");
  client_ = args.client;
  platform_ = string_of(plugin_, Call::client_platform_name, client_, "platform name");
  platform_version_ = string_of(plugin_, Call::client_platform_version, client_, "version");
  c_api::ListArgs<c_api::Client, c_api::Device* const> list;
  list.object = client_;
  plugin_.call(Call::client_addressable_devices, list, "listing the devices");
  devices_.assign(list.data, list.data + list.count);
}

c_api::DeviceDescription* Client::description(int device) const {
  c_api::GetArgs<c_api::Device, c_api::DeviceDescription*> args;
  args.object = devices_[static_cast<size_t>(device)];
  plugin_.call(Call::device_get_description, args, "describing a device");
  return args.result;
}

int64_t Client::device_id(int device) const {
  c_api::GetArgs<c_api::DeviceDescription, int> id;
  id.object = description(device);
  plugin_.call(Call::device_description_id, id, "describing a device");
  return id.result;
}

runtime::DeviceInfo Client::info(int device) const {
  runtime::DeviceInfo info;
  info.kind = string_of(plugin_, Call::device_description_kind, description(device), "device kind");
  info.driver = format("{} (PJRT {}, {})", plugin_.path(), plugin_.version(), platform_version_);
  c_api::DeviceMemoryStatsArgs memory;
  memory.device = devices_[static_cast<size_t>(device)];
  try {
    plugin_.call(Call::device_memory_stats, memory, "memory of a device");
    info.memory = memory.bytes_limit.is_set ? memory.bytes_limit.value : 0;
    info.memory_used = memory.bytes_in_use;
  } catch (const Error&) {
    // CPU plug-ins do not report memory statistics.
  }
  return info;
}

BufferPtr Client::upload(const void* data, const TensorSpec& spec, int device, Event* done,
                         std::span<const int64_t> strides) {
  c_api::BufferFromHostArgs args;
  args.client = client_;
  args.data = data;
  args.type = buffer_type(spec.dtype);
  args.dims = spec.shape.dims().data();
  args.rank = spec.shape.dims().size();
  if (!strides.empty()) {
    args.byte_strides = strides.data();
    args.stride_count = strides.size();
  }
  args.semantics = done == nullptr ? c_api::HostBufferSemantics::immutable_only_during_call
                                   : c_api::HostBufferSemantics::until_transfer_completes;
  args.device = devices_[static_cast<size_t>(device)];
  plugin_.call(Call::client_buffer_from_host_buffer, args, "writing to the device");
  Event event(plugin_, args.done_with_host_buffer);
  if (done != nullptr) *done = std::move(event);
  return std::make_shared<DeviceBuffer>(*this, device, spec, args.buffer);
}

BufferPtr Client::resident(const Tensor& array, int device) {
  const std::lock_guard lock(mutex_);
  std::erase_if(residents_, [](const Resident& entry) { return entry.array.expired(); });
  for (const Resident& entry : residents_) {
    if (entry.array.lock() == array.impl()->buffer && entry.copy->device() == device &&
        entry.copy->spec() == array.spec())
      return entry.copy;
  }
  residents_.push_back({array.impl()->buffer, upload(array.data(), array.spec(), device)});
  return residents_.back().copy;
}

std::unique_ptr<Executable> Client::compile(const std::string& module, const std::string& name,
                                            std::span<const int> devices, Sharing sharing) {
  std::vector<int64_t> ids;
  for (const int device : devices) ids.push_back(device_id(device));
  const std::string options = compile_options(ids, platform_, sharing);
  const CompileCache cache(format("{}|{}|{}", platform_, platform_version_, options), module);
  if (c_api::LoadedExecutable* const loaded = cache.load(plugin_, client_))
    return std::make_unique<Executable>(*this, std::vector(devices.begin(), devices.end()), loaded);
  static constexpr std::string_view kFormat = "mlir";
  std::string code = module;
  c_api::Program program;
  program.size = sizeof(program);
  program.code = code.data();
  program.code_size = code.size();
  program.format = kFormat.data();
  program.format_size = kFormat.size();
  c_api::CompileArgs args;
  args.client = client_;
  args.program = &program;
  args.options = options.data();
  args.options_size = options.size();
  plugin_.call(Call::client_compile, args,
               format("compiling `{}` for {}", name, platform_).c_str());
  auto executable = std::make_unique<Executable>(*this, std::vector(devices.begin(), devices.end()),
                                                 args.executable);
  cache.save(plugin_, executable->get());
  return executable;
}

}  // namespace antler::pjrt

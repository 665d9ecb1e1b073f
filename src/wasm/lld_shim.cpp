// lld's WebAssembly linker over memory.
//
// lld reads and writes files and ends the process on fatal errors. The build redirects four
// functions in its copy of lld's libraries (scripts/cmake/llvm.cmake), so that lld's calls arrive
// here instead:
//
//   lld::wasm::readFile             gives the object in memory, whatever the path
//   llvm::FileOutputBuffer::create  gives a buffer in memory in place of a mapped file
//   llvm::sys::Process::Exit        jumps back into the call below
//   llvm::llvm_shutdown             does nothing: the rest of the process goes on with LLVM
//
// So a link touches no file system and cannot end Node. The alternative for Exit, LLVM's
// CrashRecoveryContext, takes over the process's signal handlers, among them those that V8 needs
// for WebAssembly.

#include "wasm/lld_shim.h"

#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/Driver.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/FileOutputBuffer.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

LLD_HAS_DRIVER(wasm)

namespace {

// The running link; guarded by link_lock in gj_lld_wasm.
struct Link {
  llvm::MemoryBufferRef object;
  unsigned char *module = nullptr;
  size_t size = 0;
  std::jmp_buf exit;
};

std::mutex link_lock;
thread_local Link *current = nullptr;

// The output "file": malloc'ed, so that C can own it once lld commits it.
class Output final : public llvm::FileOutputBuffer {
public:
  Output(llvm::StringRef path, unsigned char *bytes, size_t size)
      : FileOutputBuffer(path), bytes(bytes), size(size) {}
  ~Output() override { std::free(bytes); }
  uint8_t *getBufferStart() const override { return bytes; }
  uint8_t *getBufferEnd() const override { return bytes + size; }
  size_t getBufferSize() const override { return size; }
  llvm::Error commit() override {
    std::free(current->module);
    current->module = bytes;
    current->size = size;
    bytes = nullptr;
    return llvm::Error::success();
  }

private:
  unsigned char *bytes;
  size_t size;
};

} // namespace

// lld only links inside gj_lld_wasm, so `current` is set in these.

using OutputOr = llvm::Expected<std::unique_ptr<llvm::FileOutputBuffer>>;
OutputOr create_output(llvm::StringRef path, size_t size,
                       unsigned) __asm__("gj__lld_create_output");
void leave(int code, bool no_cleanup) __asm__("gj__lld_exit");
void stay() __asm__("gj__lld_shutdown");

OutputOr create_output(llvm::StringRef path, size_t size, unsigned) {
  auto *bytes = static_cast<unsigned char *>(std::calloc(size ? size : 1, 1));
  if (!bytes)
    return llvm::errorCodeToError(std::make_error_code(std::errc::not_enough_memory));
  return std::make_unique<Output>(path, bytes, size);
}

void leave(int, bool) { std::longjmp(current->exit, 1); }

void stay() {}

namespace lld::wasm {
std::optional<llvm::MemoryBufferRef> readFile(llvm::StringRef) { return current->object; }
} // namespace lld::wasm

// LLVM's link-time optimiser, which lld would use for bitcode, asks for Polly's plug-in. Debian
// does not ship Polly as a library; this one adds no passes.
llvm::PassPluginLibraryInfo getPollyPluginInfo();
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "none", "", [](llvm::PassBuilder &) {}};
}

bool gj_lld_wasm(const char *const *argv, size_t argc, const void *object, size_t object_size,
                 unsigned char **out_module, size_t *out_size, char *log, size_t log_size) {
  *out_module = nullptr;
  *out_size = 0;
  std::lock_guard<std::mutex> guard(link_lock);
  std::string text;
  llvm::raw_string_ostream stream(text);
  Link link;
  link.object = llvm::MemoryBufferRef(
      llvm::StringRef(static_cast<const char *>(object), object_size), GJ_LLD_OBJECT);
  current = &link;
  bool ok = false;
  if (setjmp(link.exit) == 0)
    ok = lld::wasm::link(llvm::ArrayRef<const char *>(argv, argc), stream, stream,
                         /*exitEarly=*/false, /*disableOutput=*/false);
  // A jump out of lld skipped its destructors, but not those of its context.
  lld::CommonLinkerContext::destroy();
  current = nullptr;
  if (ok && link.module) {
    *out_module = link.module;
    *out_size = link.size;
    return true;
  }
  std::free(link.module);
  if (log_size > 0) {
    size_t size = std::min(text.size(), log_size - 1);
    std::memcpy(log, text.data(), size);
    log[size] = '\0';
  }
  return false;
}

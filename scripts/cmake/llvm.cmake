# Finds LLVM 22 and lld, and defines the interface target gj_llvm: headers, libraries, link flags.
#
# When compiling for another machine, headers and libraries come from its files (CMAKE_SYSROOT), which
# hold the same version at the same place; what runs here, llvm-config among it, is this machine's.

set(GJ_LLVM_CONFIG "" CACHE FILEPATH "llvm-config of LLVM 22")
if(NOT GJ_LLVM_CONFIG)
  find_program(llvm_config_found NAMES llvm-config-22 llvm-config HINTS /usr/lib/llvm-22/bin
    REQUIRED)
  set_property(CACHE GJ_LLVM_CONFIG PROPERTY VALUE "${llvm_config_found}")
endif()

# Stores the words that llvm-config prints in a list.
function(llvm_config out)
  execute_process(COMMAND "${GJ_LLVM_CONFIG}" ${ARGN} OUTPUT_VARIABLE text
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(words UNIX_COMMAND "${text}")
  set(${out} "${words}" PARENT_SCOPE)
endfunction()

llvm_config(llvm_version --version)
if(NOT llvm_version MATCHES "^22\\.")
  message(FATAL_ERROR "LLVM 22 is needed (ORC's C interface differs by release); "
    "${GJ_LLVM_CONFIG} is ${llvm_version}")
endif()
llvm_config(llvm_include --includedir)
llvm_config(llvm_lib --libdir)
llvm_config(llvm_bin --bindir)
string(PREPEND llvm_include "${CMAKE_SYSROOT}")
string(PREPEND llvm_lib "${CMAKE_SYSROOT}")

# The targets that programs can be compiled for, as llvm-config spells them.
set(linked_targets X86 AArch64 ARM RISCV WebAssembly)

add_library(gj_llvm INTERFACE)
target_include_directories(gj_llvm SYSTEM INTERFACE "${llvm_include}")

# lld works on files and may end the process. In copies of its libraries, calls of the four
# functions that do so go to the shim: three references are renamed, and readFile, which lld itself
# defines, is made weak so that the shim's definition wins. (--wrap would do the same, but makes
# every program that links the core pull in all of lld.)
find_program(GJ_OBJCOPY NAMES llvm-objcopy-22 llvm-objcopy HINTS "${llvm_bin}" REQUIRED)
set(lld_libs "")
foreach(lib lldWasm lldCommon)
  set(patched "${CMAKE_CURRENT_BINARY_DIR}/lib${lib}.a")
  add_custom_command(OUTPUT "${patched}"
    COMMAND "${GJ_OBJCOPY}"
      --redefine-sym _ZN4llvm16FileOutputBuffer6createENS_9StringRefEmj=gj__lld_create_output
      --redefine-sym _ZN4llvm3sys7Process4ExitEib=gj__lld_exit
      --redefine-sym _ZN4llvm13llvm_shutdownEv=gj__lld_shutdown
      --weaken-symbol _ZN3lld4wasm8readFileEN4llvm9StringRefE
      "${llvm_lib}/lib${lib}.a" "${patched}"
    DEPENDS "${llvm_lib}/lib${lib}.a" "${CMAKE_CURRENT_LIST_FILE}"
    COMMENT "Redirecting file access of ${lib}" VERBATIM)
  list(APPEND lld_libs "${patched}")
endforeach()
add_custom_target(gj_lld DEPENDS ${lld_libs})
add_dependencies(gj_llvm gj_lld)

# ld.lld links LLVM in seconds; -B shows it to gcc, too.
target_link_options(gj_llvm INTERFACE "-B${llvm_bin}" -fuse-ld=lld
  -Wl,--gc-sections -Wl,--as-needed)
# What is kept on disk is kept for one build (src/cache/build_id.c).
target_link_options(gj_llvm INTERFACE -Wl,--build-id=sha1)

if(GJ_LLVM_SHARED)
  target_link_libraries(gj_llvm INTERFACE
    ${lld_libs} "${llvm_lib}/libLLVM-22.so" stdc++)
  return()
endif()

string(TOLOWER "${linked_targets}" target_components)
llvm_config(llvm_libs --link-static --libs ${target_components}
  orcjit passes linker ipo lto irreader bitreader bitwriter asmparser)
# llvm-config names Polly, which Debian does not ship (lld_shim.cpp).
list(FILTER llvm_libs EXCLUDE REGEX "Polly")

# lld's start-up registers every target of the LLVM build, with its assembler. Those that are not
# linked get empty functions, and so do assemblers and disassemblers, which nothing here needs. The
# linker takes the first definition it sees, so these stand before LLVM's own.
llvm_config(known_targets --targets-built)
set(stubs "")
foreach(target ${known_targets})
  set(parts AsmParser Disassembler)
  if(NOT target IN_LIST linked_targets)
    list(APPEND parts TargetInfo Target TargetMC AsmPrinter)
  endif()
  foreach(part ${parts})
    string(APPEND stubs "void LLVMInitialize${target}${part}(void);\n"
      "void LLVMInitialize${target}${part}(void) {}\n")
  endforeach()
endforeach()
file(CONFIGURE OUTPUT llvm_stubs.c CONTENT "${stubs}" @ONLY)
add_library(gj_llvm_stubs STATIC "${CMAKE_CURRENT_BINARY_DIR}/llvm_stubs.c")

# The C++ runtime goes in statically, and so do zlib and zstd, which LLVM has for compressed sections:
# then an addon needs nothing but libc and libm.
find_library(GJ_LIBZ NAMES libz.a z REQUIRED)
find_library(GJ_LIBZSTD NAMES libzstd.a zstd REQUIRED)
target_link_options(gj_llvm INTERFACE "-L${llvm_lib}" -static-libgcc)
target_link_libraries(gj_llvm INTERFACE
  gj_llvm_stubs ${lld_libs} ${llvm_libs} "${GJ_LIBZ}" "${GJ_LIBZSTD}"
  -Wl,-Bstatic stdc++ -Wl,-Bdynamic rt dl m)

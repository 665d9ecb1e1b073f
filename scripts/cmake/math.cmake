# The math library as native code and as LLVM bitcode: strict, with FMA, and fast.
#
# Every src/math/<op>.c is compiled natively through the core's glob, natively with FMA below, and
# here by clang-22 to two bitcode files: strict, without FMA, whose bits agree on all targets,
# and fma, with -DGJ_MATH_FMA=1. src/math/fast/<op>.c, where it exists, becomes a third. The code generator clones functions from the bitcode into kernels,
# so the bitcode carries no target features, no metadata and no attributes with values: what a
# kernel's own function says about the CPU is to hold for the clone. The target here only fixes the
# data layout; nothing in the sources depends on it. The files are embedded through the assembler
# and listed in a table (src/math/bitcode.h).

find_program(GJ_CLANG NAMES clang-22 clang HINTS /usr/lib/llvm-22/bin REQUIRED)
find_program(GJ_LLVM_AS NAMES llvm-as-22 llvm-as HINTS "${llvm_bin}" REQUIRED)

set(math_flags --target=x86_64-unknown-linux-gnu -std=c11 -O2
  -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -ffp-contract=off -fno-math-errno
  -fno-trapping-math -fno-strict-aliasing -fno-stack-protector -fomit-frame-pointer
  -fno-asynchronous-unwind-tables -fno-ident -Wall -Wextra -Werror
  "-I${CMAKE_CURRENT_SOURCE_DIR}/src")

file(GLOB math_sources CONFIGURE_DEPENDS src/math/*.c)
file(GLOB math_fast_sources CONFIGURE_DEPENDS src/math/fast/*.c)
set(math_dir "${CMAKE_CURRENT_BINARY_DIR}/math")
file(MAKE_DIRECTORY "${math_dir}")

set(math_files "")
set(math_data "")
set(math_table "")
foreach(source ${math_sources})
  get_filename_component(op "${source}" NAME_WE)
  set(row "  .quad .L${op}_name\n")
  foreach(variant strict fma fast)
    set(from "${source}")
    if(variant STREQUAL "fast")
      set(from "${CMAKE_CURRENT_SOURCE_DIR}/src/math/fast/${op}.c")
    endif()
    if(NOT EXISTS "${from}")
      string(APPEND row "  .quad 0, 0\n")
      continue()
    endif()
    set(stem "${math_dir}/${op}.${variant}")
    add_custom_command(
      OUTPUT "${stem}.bc"
      COMMAND "${GJ_CLANG}" ${math_flags} $<$<NOT:$<STREQUAL:${variant},strict>>:-DGJ_MATH_FMA=1>
        -MD -MF "${stem}.d" -MT "${stem}.bc" -S -emit-llvm "${from}" -o "${stem}.raw.ll"
      COMMAND sed -E -e "/^attributes/s/ \"[^\"]+\"(=\"[^\"]*\")?//g" -e "s/, ![A-Za-z_.]+ ![0-9]+//g" -e "/^!/d"
        -e "/^source_filename/d" "${stem}.raw.ll" > "${stem}.ll"
      COMMAND "${GJ_LLVM_AS}" "${stem}.ll" -o "${stem}.bc"
      DEPENDS "${from}" "${CMAKE_CURRENT_LIST_FILE}"
      DEPFILE "${stem}.d"
      COMMENT "Math bitcode ${op} (${variant})"
      COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND math_files "${stem}.bc")
    string(APPEND math_data
      "  .balign 16\n.L${op}_${variant}:\n  .incbin \"${stem}.bc\"\n.L${op}_${variant}_end:\n")
    string(APPEND row "  .quad .L${op}_${variant}, .L${op}_${variant}_end - .L${op}_${variant}\n")
  endforeach()
  string(APPEND math_data ".L${op}_name:\n  .asciz \"${op}\"\n")
  string(APPEND math_table "${row}")
endforeach()
list(LENGTH math_sources math_count)

# The rows follow struct gj_math_blob, on targets with 64-bit pointers and ELF.
file(CONFIGURE OUTPUT math_bitcode.S @ONLY CONTENT
"  .section .rodata
@math_data@
  .balign 8
  .globl gj_math_blob_count
  .hidden gj_math_blob_count
gj_math_blob_count:
  .quad @math_count@
  .section .data.rel.ro, \"aw\"
  .balign 8
  .globl gj_math_blobs
  .hidden gj_math_blobs
gj_math_blobs:
@math_table@
  .quad 0, 0, 0, 0, 0, 0, 0
  .section .note.GNU-stack, \"\", %progbits
")
add_library(gj_math STATIC "${CMAKE_CURRENT_BINARY_DIR}/math_bitcode.S")
set_source_files_properties("${CMAKE_CURRENT_BINARY_DIR}/math_bitcode.S" PROPERTIES
  OBJECT_DEPENDS "${math_files}")

# Natively once more as the fused variant, under linker names of its own, for programs compiled in
# this process (src/jit/host_math.c). The code is only called where the CPU has FMA.
add_library(gj_math_fused STATIC ${math_sources} src/jit/host_math.c)
target_compile_definitions(gj_math_fused PRIVATE GJ_MATH_FMA=1 GJ_MATH_RENAME=1)
target_link_libraries(gj_math_fused PRIVATE gj_options)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  target_compile_options(gj_math_fused PRIVATE -mfma)
endif()
target_link_libraries(gj_math INTERFACE gj_math_fused)

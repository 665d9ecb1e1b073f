# The math library as native code and as LLVM bitcode: strict, with FMA, fast, and JavaScript's.
#
# Every src/math/<op>.c is compiled natively through the core's glob, natively with FMA below, and
# here by clang-22 to two bitcode files: strict, without FMA, whose bits agree on all targets,
# and fma, with -DGJ_MATH_FMA=1. src/math/fast/<op>.c, where it exists, becomes a third,
# and src/math/js/<op>.c, what Math.<op> of JavaScript is, one in a table of its own. The code generator clones functions from the bitcode into kernels,
# so the bitcode carries no target features, no metadata and no attributes with values: what a
# kernel's own function says about the CPU is to hold for the clone. The target here only fixes the
# data layout; nothing in the sources depends on it. The files are embedded through the assembler
# and listed in a table (src/math/bitcode.h). A build that names another (GJ_MADE) takes its bitcode.

find_program(GJ_CLANG NAMES clang-22 clang HINTS /usr/lib/llvm-22/bin REQUIRED)
find_program(GJ_LLVM_AS NAMES llvm-as-22 llvm-as HINTS "${llvm_bin}" REQUIRED)

set(math_flags --target=x86_64-unknown-linux-gnu -std=c11 -O2
  -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -ffp-contract=off -fno-math-errno
  -fno-trapping-math -fno-strict-aliasing -fno-stack-protector -fomit-frame-pointer
  -fno-asynchronous-unwind-tables -fno-ident -Wall -Wextra -Werror
  "-I${CMAKE_CURRENT_SOURCE_DIR}/src")

file(GLOB math_sources CONFIGURE_DEPENDS src/math/*.c)
file(GLOB math_fast_sources CONFIGURE_DEPENDS src/math/fast/*.c)
file(GLOB math_js_sources CONFIGURE_DEPENDS src/math/js/*.c)
set(math_dir "${made_dir}/math")
file(MAKE_DIRECTORY "${math_dir}")

set(math_files "")
set(math_data "")

# Bitcode of one source: appends its file to math_files, its bytes to math_data under .L<label>, and
# their address and size to `row`.
function(gj_math_bitcode source label flags row)
  set(stem "${math_dir}/${label}")
  if(NOT GJ_MADE)
    add_custom_command(
      OUTPUT "${stem}.bc"
      COMMAND "${GJ_CLANG}" ${math_flags} ${flags}
        -MD -MF "${stem}.d" -MT "${stem}.bc" -S -emit-llvm "${source}" -o "${stem}.raw.ll"
      COMMAND sed -E -e "/^attributes/s/ \"[^\"]+\"(=\"[^\"]*\")?//g" -e "s/, ![A-Za-z_.]+ ![0-9]+//g" -e "/^!/d"
        -e "/^source_filename/d" "${stem}.raw.ll" > "${stem}.ll"
      COMMAND "${GJ_LLVM_AS}" "${stem}.ll" -o "${stem}.bc"
      DEPENDS "${source}" "${CMAKE_CURRENT_FUNCTION_LIST_FILE}"
      DEPFILE "${stem}.d"
      COMMENT "Math bitcode ${label}"
      COMMAND_EXPAND_LISTS VERBATIM)
  endif()
  set(math_files ${math_files} "${stem}.bc" PARENT_SCOPE)
  set(math_data
    "${math_data}  .balign 16\n.L${label}:\n  .incbin \"${stem}.bc\"\n.L${label}_end:\n" PARENT_SCOPE)
  set(${row} "${${row}}  .quad .L${label}, .L${label}_end - .L${label}\n" PARENT_SCOPE)
endfunction()

set(math_table "")
foreach(source ${math_sources})
  get_filename_component(op "${source}" NAME_WE)
  string(APPEND math_table "  .quad .L${op}_name\n")
  string(APPEND math_data ".L${op}_name:\n  .asciz \"${op}\"\n")
  gj_math_bitcode("${source}" "${op}.strict" "" math_table)
  gj_math_bitcode("${source}" "${op}.fma" "-DGJ_MATH_FMA=1" math_table)
  set(fast "${CMAKE_CURRENT_SOURCE_DIR}/src/math/fast/${op}.c")
  if(EXISTS "${fast}")
    gj_math_bitcode("${fast}" "${op}.fast" "-DGJ_MATH_FMA=1" math_table)
  else()
    string(APPEND math_table "  .quad 0, 0\n")
  endif()
endforeach()

set(math_js_table "")
foreach(source ${math_js_sources})
  get_filename_component(op "${source}" NAME_WE)
  string(APPEND math_js_table "  .quad .L${op}.js_name\n")
  string(APPEND math_data ".L${op}.js_name:\n  .asciz \"${op}\"\n")
  gj_math_bitcode("${source}" "${op}.js" "" math_js_table)
endforeach()
list(LENGTH math_sources math_count)
list(LENGTH math_js_sources math_js_count)

# The rows follow struct gj_math_blob and gj_math_js_blob, on targets with 64-bit pointers and ELF.
file(CONFIGURE OUTPUT math_bitcode.S @ONLY CONTENT
"  .section .rodata
@math_data@
  .balign 8
  .globl gj_math_blob_count
  .hidden gj_math_blob_count
gj_math_blob_count:
  .quad @math_count@
  .globl gj_math_js_blob_count
  .hidden gj_math_js_blob_count
gj_math_js_blob_count:
  .quad @math_js_count@
  .section .data.rel.ro, \"aw\"
  .balign 8
  .globl gj_math_blobs
  .hidden gj_math_blobs
gj_math_blobs:
@math_table@
  .quad 0, 0, 0, 0, 0, 0, 0
  .globl gj_math_js_blobs
  .hidden gj_math_js_blobs
gj_math_js_blobs:
@math_js_table@
  .quad 0, 0, 0
  .section .note.GNU-stack, \"\", %progbits
")
add_library(gj_math STATIC "${CMAKE_CURRENT_BINARY_DIR}/math_bitcode.S")
set_source_files_properties("${CMAKE_CURRENT_BINARY_DIR}/math_bitcode.S" PROPERTIES
  OBJECT_DEPENDS "${math_files}")

# Natively once more as the fused variant, under linker names of its own, for programs compiled in
# this process (src/jit/code/host_math.c). The code is only called where the CPU has FMA.
add_library(gj_math_fused STATIC ${math_sources} src/jit/code/host_math.c)
target_compile_definitions(gj_math_fused PRIVATE GJ_MATH_FMA=1 GJ_MATH_RENAME=1)
target_link_libraries(gj_math_fused PRIVATE gj_options)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  target_compile_options(gj_math_fused PRIVATE -mfma)
endif()
target_link_libraries(gj_math INTERFACE gj_math_fused)

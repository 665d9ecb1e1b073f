# The pool of WebAssembly modules with threads (src/codegen/wasm_pool/pool.c), as LLVM bitcode that the
# code generator links into them.
#
# Attributes with values are taken out, so that the module's target decides what the code may use.
# Embedded through the assembler, like the math library, whose tools are found by math.cmake.

set(pool_source "${CMAKE_CURRENT_SOURCE_DIR}/src/codegen/wasm_pool/pool.c")
set(pool_stem "${CMAKE_CURRENT_BINARY_DIR}/wasm_pool")
add_custom_command(
  OUTPUT "${pool_stem}.bc"
  COMMAND "${GJ_CLANG}" --target=wasm32-unknown-unknown -std=c11 -Oz -matomics -mbulk-memory
    -ffreestanding -fvisibility=hidden -fno-ident -Wall -Wextra -Werror
    "-I${CMAKE_CURRENT_SOURCE_DIR}/src"
    -MD -MF "${pool_stem}.d" -MT "${pool_stem}.bc" -S -emit-llvm "${pool_source}"
    -o "${pool_stem}.raw.ll"
  COMMAND sed -E -e "/^attributes/s/ \"[^\"]+\"(=\"[^\"]*\")?//g" -e "/^source_filename/d"
    "${pool_stem}.raw.ll" > "${pool_stem}.ll"
  COMMAND "${GJ_LLVM_AS}" "${pool_stem}.ll" -o "${pool_stem}.bc"
  DEPENDS "${pool_source}" "${CMAKE_CURRENT_LIST_FILE}"
  DEPFILE "${pool_stem}.d"
  COMMENT "Bitcode of the pool for WebAssembly"
  VERBATIM)

# As src/codegen/wasm_pool/bitcode.h declares it.
file(CONFIGURE OUTPUT wasm_pool.S @ONLY CONTENT
"  .section .rodata
  .balign 16
  .globl gj_wasm_pool_begin
  .hidden gj_wasm_pool_begin
  .globl gj_wasm_pool_end
  .hidden gj_wasm_pool_end
gj_wasm_pool_begin:
  .incbin \"@pool_stem@.bc\"
gj_wasm_pool_end:
  .section .note.GNU-stack, \"\", %progbits
")
add_library(gj_wasm_pool STATIC "${CMAKE_CURRENT_BINARY_DIR}/wasm_pool.S")
set_source_files_properties("${CMAKE_CURRENT_BINARY_DIR}/wasm_pool.S" PROPERTIES
  OBJECT_DEPENDS "${pool_stem}.bc")

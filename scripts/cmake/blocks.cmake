# The block kernels of the first tier (src/interp/blocks.h): a tool built from the compiler makes one
# object file per instruction set of the machine, and the tables that list them.
#
# An x86-64 addon holds kernels for the levels v2, v3 and v4 of the architecture and takes what the
# CPU has; other machines have one set. The tool runs again when the compiler changed. When compiling
# for another machine, the tool of a build for this one is taken (GJ_BLOCKS_TOOL). A build that names
# another (GJ_MADE) takes its kernels.

set(GJ_BLOCKS_TOOL "" CACHE FILEPATH "A gj_blocks_tool that runs on this machine")
if(CMAKE_CROSSCOMPILING)
  set(blocks_tool "${GJ_BLOCKS_TOOL}")
  set(blocks_triple "${CMAKE_C_COMPILER_TARGET}")
elseif(NOT GJ_MADE)
  add_executable(gj_blocks_tool src/tools/blocks/blocks.c)
  target_link_libraries(gj_blocks_tool PRIVATE gj_compiler)
  set(blocks_tool gj_blocks_tool)
  set(blocks_triple "")
endif()

set(blocks_dir "${made_dir}/blocks")
file(MAKE_DIRECTORY "${blocks_dir}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(block_objects v4.o v4_strict.o v3.o v3_strict.o v2.o)
else()
  set(block_objects host.o host_strict.o)
endif()
list(TRANSFORM block_objects PREPEND "${blocks_dir}/")
if(NOT GJ_MADE)
  add_custom_command(
    OUTPUT ${block_objects} "${blocks_dir}/blocks_table.c"
    COMMAND "${blocks_tool}" "${blocks_dir}" ${blocks_triple}
    DEPENDS "${blocks_tool}"
    COMMENT "Compiling block kernels" VERBATIM)
endif()
add_library(gj_blocks STATIC "${blocks_dir}/blocks_table.c" ${block_objects})
set_source_files_properties(${block_objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
set_source_files_properties("${blocks_dir}/blocks_table.c" PROPERTIES GENERATED ON)
# What builds that name this one take from it.
add_custom_target(made DEPENDS ${block_objects} "${blocks_dir}/blocks_table.c" ${math_files} ${library_files})
target_link_libraries(gj_blocks PRIVATE gj_options)

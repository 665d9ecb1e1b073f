// LLVM bitcode of pool.c for wasm32, made while the project is built
// (scripts/cmake/wasm_pool.cmake).
//
// It defines gj_wasm_parallel(), which has the type of a gj_parallel, and what a loader calls:
// work(), stop(), fail().
#ifndef GJ_CODEGEN_WASM_POOL_BITCODE_H
#define GJ_CODEGEN_WASM_POOL_BITCODE_H

extern const char gj_wasm_pool_begin[], gj_wasm_pool_end[];

#endif

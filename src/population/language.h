// What programs of a population are made of, and how they are written down.
//
// A program is a run of tokens, each an int32_t beside a double:
//
//   0 …  an operator, by its number       -1  a constant, the double       -2 …  variable -2 -
//   token
//
// in prefix order (an operator stands before its operands) or postfix order (behind them). The
// double of other tokens is not read. An operator is itself a program in postfix order, its body,
// whose operators are elementwise ops (gj_op), or functions that others have compiled
// (GJ_TOKEN_FUNCTION and their number), and whose variables are its operands.
#ifndef GJ_POPULATION_LANGUAGE_H
#define GJ_POPULATION_LANGUAGE_H

#include "base/status.h"
#include "population/nodes.h"

enum {
  GJ_TOKEN_CONSTANT = -1,
  GJ_TOKEN_VARIABLE = -2,      // and below
  GJ_TOKEN_FUNCTION = 1 << 16, // and above, in bodies
  GJ_MOST_OPERANDS = 8,        // of an operator
  GJ_MOST_BODY = 256           // tokens of its body
};

// All arrays are borrowed.
typedef struct gj_programs {
  size_t count;
  const uint32_t *starts; // [count + 1], where each begins among the tokens
  const int32_t *tokens;
  const double *constants; // beside the tokens
  bool prefix;
} gj_programs;

typedef struct gj_operators {
  const uint8_t *arity; // operands of each
  gj_programs bodies;
  const gj_population_function
      *functions; // which bodies call, with the derivatives of each among them
  size_t function_count;
} gj_operators;

// Whether starts rise from 0 to token_count, and every body is one real value made of ops that
// there are kernels for, or functions. Must hold before anything else is done with either.
gj_status gj__programs_check(const gj_programs *programs, size_t token_count, gj_error *err);
gj_status gj__operators_check(const gj_operators *operators, size_t token_count, gj_error *err);

// The value of a body for its operands; GJ__NO_NODE without memory.
uint32_t gj__body_apply(gj__nodes *nodes, const gj_programs *bodies, size_t body,
                        const uint32_t *operands);

// Appends the programs to `nodes`, which has the functions, the root of each to `roots`. With
// `parameters` every constant is a node of its own.
gj_status gj__programs_read(const gj_programs *programs, const gj_operators *operators,
                            size_t variable_count, bool parameters, gj__nodes *nodes,
                            uint32_t *roots, gj_error *err);

#endif

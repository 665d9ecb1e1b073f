// Code of the first tier as text, a line per instruction.
#include "interp/code.h"

#include <inttypes.h>

static void print_place(gj_strbuf *out, uint32_t place) {
  uint32_t at = place & ~(uint32_t)GJ__INDIRECT;
  gj_strbuf_printf(out, place & GJ__INDIRECT ? " [%u]" : " %u", at);
}

void gj_interp_print(const gj_interp *interp, gj_strbuf *out) {
  static const char *const names[] = {
#define GJ_CODE(name, does) #name,
#include "interp/codes.def"
  };
  for (uint32_t f = 0; f < interp->func_count; f++) {
    const gj__ifunc *func = &interp->funcs[f];
    gj_strbuf_printf(out, "function %u: %u bytes\n", f, func->frame);
    for (uint32_t k = 0; k < func->preset_count; k++)
      gj_strbuf_printf(out, "  %u = 0x%" PRIx64 "\n", func->presets[k].at, func->presets[k].value);
    for (uint32_t k = 0; k < func->count; k++) {
      const gj__insn *i = &func->code[k];
      gj_strbuf_printf(out, "  %u: %s", k, names[i->code]);
      print_place(out, i->d);
      print_place(out, i->a);
      print_place(out, i->b);
      print_place(out, i->c);
      if (i->code != GJ__CODE_scalar && i->code != GJ__CODE_block)
        gj_strbuf_printf(out, " %" PRId64, i->imm);
      gj_strbuf_char(out, '\n');
    }
  }
}

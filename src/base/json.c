// Strings of JSON. Only quotes, backslashes and control characters need an escape; DEL and the two
// line ends of JavaScript that JSON knows nothing of stand for themselves.
#include "base/json.h"

void gj_json_string(gj_strbuf *out, const char *text) {
  gj_strbuf_char(out, '"');
  for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
    if (*at == '"' || *at == '\\')
      gj_strbuf_char(out, '\\');
    if (*at < ' ')
      gj_strbuf_printf(out, "\\u%04x", *at);
    else
      gj_strbuf_char(out, (char)*at);
  }
  gj_strbuf_char(out, '"');
}

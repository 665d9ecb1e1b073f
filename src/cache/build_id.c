// The build id is a hash over a linked file that the linker puts into a note of it. It changes with
// every source file, flag and library that went in, which no list of versions kept by hand does.
#include "cache/build_id.h"

#include <link.h>
#include <string.h>

typedef struct search {
  gj_digester *digester;
  uintptr_t address;
  bool found;
} search;

static size_t pad4(size_t size) { return (size + 3) & ~(size_t)3; }

// The notes of one segment: name size, description size, type, then both padded to 4 bytes.
static void read_notes(const unsigned char *at, size_t size, search *s) {
  ElfW(Nhdr) note;
  while (size >= sizeof note && !s->found) {
    memcpy(&note, at, sizeof note);
    size_t name = pad4(note.n_namesz), text = pad4(note.n_descsz);
    at += sizeof note, size -= sizeof note;
    if (name > size || text > size - name)
      return;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(at, "GNU", 4) == 0) {
      gj_digester_add_u64(s->digester, note.n_descsz);
      gj_digester_add(s->digester, at + name, note.n_descsz);
      s->found = true;
    }
    at += name + text, size -= name + text;
  }
}

static bool holds(const struct dl_phdr_info *file, uintptr_t address) {
  for (int i = 0; i < file->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &file->dlpi_phdr[i];
    if (part->p_type == PT_LOAD && address - file->dlpi_addr - part->p_vaddr < part->p_memsz)
      return true;
  }
  return false;
}

static int visit(struct dl_phdr_info *file, size_t size, void *data) {
  (void)size;
  search *s = data;
  if (!holds(file, s->address))
    return 0;
  for (int i = 0; i < file->dlpi_phnum; i++)
    if (file->dlpi_phdr[i].p_type == PT_NOTE)
      read_notes((const unsigned char *)file->dlpi_addr + file->dlpi_phdr[i].p_vaddr,
                 file->dlpi_phdr[i].p_memsz, s);
  return 1;
}

bool gj_build_id_add(gj_digester *d, const void *address) {
  search s = {d, (uintptr_t)address, false};
  dl_iterate_phdr(visit, &s);
  return s.found;
}

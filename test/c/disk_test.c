// Tests of src/cache: what is kept comes back, and nothing else ever does.

#include "check.h"

#include "cache/disk.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CONTENT = 300, HEADER = 128 };

// --- helpers ---

static char root[64]; // of one test
static char folder[96];

static int remove_one(const char *path, const struct stat *info, int flag, struct FTW *at) {
  (void)info, (void)flag, (void)at;
  return remove(path);
}

static gj_disk new_disk(size_t limit) {
  snprintf(root, sizeof root, "/tmp/graphjit-disk-XXXXXX");
  CHECK(mkdtemp(root) != NULL);
  snprintf(folder, sizeof folder, "%s/some/where", root);
  return (gj_disk){folder, limit};
}

static void remove_disk(void) { nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

static gj_digest key_of(unsigned number) {
  gj_digester d;
  gj_digester_init(&d);
  gj_digester_add_u64(&d, number);
  return gj_digester_finish(&d);
}

static char *path_of(unsigned number) {
  static char path[256];
  gj_digest key = key_of(number);
  int length = snprintf(path, sizeof path, "%s/", folder);
  for (size_t i = 0; i < GJ_DIGEST_BYTES; i++)
    length += snprintf(path + length, 3, "%02x", key.bytes[i]);
  snprintf(path + length, 8, ".code");
  return path;
}

// The content of entry `number`.
static void fill(unsigned number, unsigned char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    bytes[i] = (unsigned char)(number + 31 * i);
}

static void keep(const gj_disk *disk, unsigned number, size_t size) {
  unsigned char *bytes = malloc(size + 1);
  gj_digest key = key_of(number);
  fill(number, bytes, size);
  gj_disk_write(disk, &key, bytes, size);
  free(bytes);
}

// Whether entry `number` is there; if so, it must be right.
static bool finds(const gj_disk *disk, unsigned number, size_t expected) {
  unsigned char *bytes = NULL, *wanted = malloc(expected + 1);
  size_t size = 0;
  gj_digest key = key_of(number);
  bool found = gj_disk_read(disk, &key, &bytes, &size);
  fill(number, wanted, expected);
  if (found) {
    CHECK_INT_EQ(size, expected);
    CHECK((uintptr_t)bytes % 64 == 0 && memcmp(bytes, wanted, size) == 0);
    free(bytes);
  }
  free(wanted);
  return found;
}

static size_t read_file(const char *path, unsigned char *bytes, size_t room) {
  FILE *file = fopen(path, "rb");
  size_t size = file ? fread(bytes, 1, room, file) : 0;
  if (file)
    fclose(file);
  return size;
}

static void write_file(const char *path, const unsigned char *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  if (CHECK(file != NULL)) {
    CHECK_INT_EQ(fwrite(bytes, 1, size, file), size);
    fclose(file);
  }
}

// --- tests ---

static void entries_come_back_as_they_were(void) {
  gj_disk disk = new_disk(1 << 20);
  CHECK(!finds(&disk, 1, CONTENT));
  keep(&disk, 1, CONTENT);
  keep(&disk, 2, 0);
  CHECK(finds(&disk, 1, CONTENT));
  CHECK(finds(&disk, 2, 0));
  CHECK(!finds(&disk, 3, CONTENT));
  keep(&disk, 1, 2 * CONTENT);
  CHECK(finds(&disk, 1, 2 * CONTENT));
  struct stat info;
  CHECK(stat(folder, &info) == 0 && (info.st_mode & 0777) == 0700);
  CHECK(stat(path_of(1), &info) == 0 && (info.st_mode & 0777) == 0600);
  remove_disk();
}

static void every_damaged_byte_is_noticed(void) {
  gj_disk disk = new_disk(1 << 20);
  keep(&disk, 1, CONTENT);
  unsigned char file[HEADER + CONTENT + 1];
  CHECK_INT_EQ(read_file(path_of(1), file, sizeof file), HEADER + CONTENT);
  for (size_t i = 0; i < HEADER + CONTENT; i++) {
    file[i] ^= (unsigned char)(1u << i % 8);
    write_file(path_of(1), file, HEADER + CONTENT);
    if (finds(&disk, 1, CONTENT))
      check_int((intmax_t)i, -1, __FILE__, __LINE__, "a damaged byte went unnoticed");
    file[i] ^= (unsigned char)(1u << i % 8);
  }
  for (size_t size = 0; size < HEADER + CONTENT; size++) {
    write_file(path_of(1), file, size);
    CHECK(!finds(&disk, 1, CONTENT));
  }
  write_file(path_of(1), file, HEADER + CONTENT + 1);
  CHECK(!finds(&disk, 1, CONTENT));
  keep(&disk, 1, CONTENT); // replaces it
  CHECK(finds(&disk, 1, CONTENT));
  remove_disk();
}

static void an_entry_under_another_name_is_not_taken(void) {
  gj_disk disk = new_disk(1 << 20);
  keep(&disk, 1, CONTENT);
  char from[256];
  snprintf(from, sizeof from, "%s", path_of(1));
  CHECK_INT_EQ(rename(from, path_of(2)), 0);
  CHECK(!finds(&disk, 2, CONTENT));
  remove_disk();
}

static void what_others_could_write_is_not_read(void) {
  gj_disk disk = new_disk(1 << 20);
  keep(&disk, 1, CONTENT);
  static const mode_t loose[] = {0720, 0702, 0777, 01777};
  for (size_t i = 0; i < sizeof loose / sizeof *loose; i++) {
    CHECK_INT_EQ(chmod(folder, loose[i]), 0);
    CHECK(!finds(&disk, 1, CONTENT));
  }
  CHECK_INT_EQ(chmod(folder, 0755), 0);
  CHECK(finds(&disk, 1, CONTENT));
  CHECK_INT_EQ(chmod(path_of(1), 0620), 0);
  CHECK(!finds(&disk, 1, CONTENT));
  CHECK_INT_EQ(chmod(path_of(1), 0602), 0);
  CHECK(!finds(&disk, 1, CONTENT));
  CHECK_INT_EQ(chmod(path_of(1), 0644), 0);
  CHECK(finds(&disk, 1, CONTENT));
  remove_disk();
}

// Runs `test` in a process of its own, as another user if that is possible; true when it passed.
static bool in_child(const gj_disk *disk, uid_t user, bool (*test)(const gj_disk *)) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0)
    _exit((user && setuid(user) != 0) || test(disk) ? 0 : 1);
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static bool does_not_find_1(const gj_disk *disk) { return !finds(disk, 1, CONTENT); }

static bool keeps_nothing(const gj_disk *disk) {
  keep(disk, 7, CONTENT);
  return !finds(disk, 7, CONTENT);
}

static void a_folder_of_another_user_is_not_used(void) {
  enum { SOMEBODY = 12345 };
  gj_disk disk = new_disk(1 << 20);
  keep(&disk, 1, CONTENT);
  if (geteuid() == 0) { // else there is nobody else to be
    CHECK(chmod(root, 0755) == 0 && chmod(folder, 0755) == 0 && chmod(path_of(1), 0644) == 0);
    char between[128];
    snprintf(between, sizeof between, "%s/some", root);
    CHECK_INT_EQ(chmod(between, 0755), 0);
    CHECK(in_child(&disk, SOMEBODY, does_not_find_1));
    CHECK(in_child(&disk, SOMEBODY, keeps_nothing));
    CHECK_INT_EQ(chown(path_of(1), SOMEBODY, SOMEBODY), 0);
    CHECK(!finds(&disk, 1, CONTENT));
  }
  remove_disk();
}

static void links_are_not_followed(void) {
  gj_disk disk = new_disk(1 << 20);
  keep(&disk, 1, CONTENT);
  char elsewhere[128], link[128];
  snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", root);
  snprintf(link, sizeof link, "%s/link", root);
  CHECK_INT_EQ(rename(path_of(1), elsewhere), 0);
  CHECK_INT_EQ(symlink(elsewhere, path_of(1)), 0);
  CHECK(!finds(&disk, 1, CONTENT));
  keep(&disk, 1, CONTENT); // replaces the link, not what it points to
  CHECK(finds(&disk, 1, CONTENT));
  CHECK_INT_EQ(symlink(folder, link), 0);
  gj_disk through = {link, 1 << 20};
  CHECK(!finds(&through, 1, CONTENT));
  CHECK(keeps_nothing(&through));
  remove_disk();
}

static void other_things_in_its_place_do_no_harm(void) {
  gj_disk disk = new_disk(1 << 20);
  keep(&disk, 1, CONTENT);
  CHECK(unlink(path_of(1)) == 0 && mkfifo(path_of(1), 0600) == 0);
  CHECK(!finds(&disk, 1, CONTENT));
  CHECK(unlink(path_of(1)) == 0 && mkdir(path_of(1), 0700) == 0);
  CHECK(!finds(&disk, 1, CONTENT));
  keep(&disk, 1, CONTENT); // cannot replace a folder
  CHECK(!finds(&disk, 1, CONTENT));
  gj_disk none = {NULL, 1 << 20}, file = {"/dev/null", 1 << 20}, deep = {"/dev/null/x", 1 << 20};
  CHECK(keeps_nothing(&none) && keeps_nothing(&file) && keeps_nothing(&deep));
  remove_disk();
}

static void set_age(unsigned number, time_t seconds) {
  struct timespec times[2] = {{.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};
  CHECK_INT_EQ(utimensat(AT_FDCWD, path_of(number), times, 0), 0);
}

// Old entries go at the first write of a process, hence the child.
static bool adds_one(const gj_disk *disk) {
  keep(disk, 100, 1000);
  return finds(disk, 100, 1000);
}

static void what_was_not_used_for_longest_goes_first(void) {
  gj_disk roomy = new_disk(1 << 20);
  for (unsigned i = 0; i < 10; i++)
    keep(&roomy, i, 1000);
  for (unsigned i = 0; i < 10; i++)
    set_age(i, 1000 - 10 * (time_t)i); // 0 is the oldest…
  CHECK(finds(&roomy, 0, 1000));       // …but for this
  char other[256], stale[256], fresh[256];
  snprintf(other, sizeof other, "%s/notes.txt", folder);
  snprintf(stale, sizeof stale, "%s/new-1-1", folder);
  snprintf(fresh, sizeof fresh, "%s/new-1-2", folder);
  write_file(other, (const unsigned char *)"x", 1);
  write_file(fresh, (const unsigned char *)"x", 1);
  write_file(stale, (const unsigned char *)"x", 1);
  struct timespec old[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};
  CHECK_INT_EQ(utimensat(AT_FDCWD, stale, old, 0), 0);
  gj_disk tight = {folder, 8 * (1000 + HEADER)};
  CHECK(in_child(&tight, 0, adds_one));
  CHECK(finds(&roomy, 0, 1000) && finds(&roomy, 100, 1000));
  for (unsigned i = 1; i <= 4; i++)
    CHECK(!finds(&roomy, i, 1000));
  for (unsigned i = 5; i < 10; i++)
    CHECK(finds(&roomy, i, 1000));
  CHECK(access(other, F_OK) == 0 && access(fresh, F_OK) == 0 && access(stale, F_OK) != 0);
  remove_disk();
}

static void a_folder_stays_within_its_limit(void) {
  enum { LIMIT = 64 * 1024, SLACK = LIMIT / 8 };
  gj_disk disk = new_disk(LIMIT);
  for (unsigned i = 0; i < 300; i++)
    keep(&disk, i, 1000);
  size_t bytes = 0;
  for (unsigned i = 0; i < 300; i++)
    bytes += finds(&disk, i, 1000) ? 1000 + HEADER : 0;
  CHECK(bytes > LIMIT / 2 && bytes <= LIMIT + SLACK);
  keep(&disk, 1000, LIMIT); // would leave room for nothing else
  CHECK(!finds(&disk, 1000, LIMIT));
  remove_disk();
}

static void what_a_folder_holds_is_counted_and_removed(void) {
  gj_disk disk = new_disk(1 << 20);
  gj_disk_usage usage = {1, 1};
  CHECK(gj_disk_get_usage(&disk, &usage) && usage.entries == 0 && usage.bytes == 0);
  for (unsigned i = 0; i < 10; i++) {
    keep(&disk, i, 1000);
    struct timespec times[2] = {{.tv_sec = 1000 + (time_t)i}, {.tv_sec = 1000 + (time_t)i}};
    CHECK(utimensat(AT_FDCWD, path_of(i), times, 0) == 0);
  }
  char other[192];
  snprintf(other, sizeof other, "%s/notes.txt", folder);
  write_file(other, (const unsigned char *)"x", 1);
  CHECK(gj_disk_get_usage(&disk, &usage) && usage.entries == 10);
  CHECK_INT_EQ(usage.bytes, 10 * (1000 + HEADER));
  CHECK(gj_disk_prune(&disk, 4 * (1000 + HEADER) + 5, &usage) && usage.entries == 6);
  CHECK_INT_EQ(usage.bytes, 6 * (1000 + HEADER));
  for (unsigned i = 0; i < 10; i++)
    CHECK(finds(&disk, i, 1000) == (i >= 6));
  CHECK(gj_disk_prune(&disk, 0, &usage) && usage.entries == 4 && access(other, F_OK) == 0);
  CHECK(gj_disk_prune(&disk, 0, &usage) && usage.entries == 0);
  CHECK(chmod(folder, 0777) == 0 && !gj_disk_get_usage(&disk, &usage));
  CHECK(!gj_disk_prune(&disk, 0, &usage));
  remove_disk();
}

static bool writes_and_reads(const gj_disk *disk) {
  bool ok = true;
  for (unsigned i = 0; i < 400; i++) {
    keep(disk, i % 5, 20000 + i % 5);
    unsigned other = (unsigned)(getpid() + (int)i) % 5;
    finds(disk, other, 20000 + other); // fails a check when it finds anything but the entry
    ok = ok && check_state.failures == 0;
  }
  return ok;
}

static void processes_may_share_a_folder(void) {
  gj_disk disk = new_disk(1 << 20);
  enum { PROCESSES = 4 };
  pid_t children[PROCESSES];
  fflush(stdout);
  for (int i = 0; i < PROCESSES; i++)
    if ((children[i] = fork()) == 0)
      _exit(writes_and_reads(&disk) ? 0 : 1);
  for (int i = 0; i < PROCESSES; i++) {
    int status = -1;
    CHECK(waitpid(children[i], &status, 0) == children[i] && status == 0);
  }
  for (unsigned i = 0; i < 5; i++)
    CHECK(finds(&disk, i, 20000 + i));
  remove_disk();
}

int main(void) {
  CHECK_RUN(entries_come_back_as_they_were);
  CHECK_RUN(every_damaged_byte_is_noticed);
  CHECK_RUN(an_entry_under_another_name_is_not_taken);
  CHECK_RUN(what_others_could_write_is_not_read);
  CHECK_RUN(a_folder_of_another_user_is_not_used);
  CHECK_RUN(links_are_not_followed);
  CHECK_RUN(other_things_in_its_place_do_no_harm);
  CHECK_RUN(what_was_not_used_for_longest_goes_first);
  CHECK_RUN(a_folder_stays_within_its_limit);
  CHECK_RUN(what_a_folder_holds_is_counted_and_removed);
  CHECK_RUN(processes_may_share_a_folder);
  return check_report();
}

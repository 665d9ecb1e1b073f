// Counting the cores that are ours.
//
// The affinity mask says where threads may run, a control group's quota how much of that time they
// get: a container that is given two CPUs of 64 is stopped for most of each period when 64 threads
// spend its quota. Files of both versions of cgroups are read, from the group of the process up to
// the root, and the smallest quota counts. Without Linux's files only the mask counts.
#include "runtime/cores.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 512, TEXT_SIZE = 4096 };

static unsigned count;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static unsigned affinity_cores(void) {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(getpid(), sizeof set, &set) == 0)
    return (unsigned)CPU_COUNT(&set);
#endif
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (unsigned)online : 1;
}

// The beginning of a small file as text; false when it cannot be read.
static bool read_text(const char *path, char *text, size_t size) {
  FILE *file = fopen(path, "r");
  if (!file)
    return false;
  size_t length = fread(text, 1, size - 1, file);
  fclose(file);
  text[length] = '\0';
  return length > 0;
}

unsigned gj__quota_cores(const char *quota, const char *period) {
  char *end;
  long long spent = strtoll(quota, &end, 10);
  if (end == quota || spent <= 0)
    return 0;
  long long of = strtoll(period ? period : end, NULL, 10);
  if (of <= 0)
    return 0;
  long long cores = spent / of;
  return cores < 1 ? 1 : cores > 1 << 16 ? 1 << 16 : (unsigned)cores;
}

static unsigned least(unsigned a, unsigned b) { return b == 0 || (a != 0 && a < b) ? a : b; }

// The smallest quota from <root>/<mount><group> up to <root>/<mount>; 0 when there is none.
static unsigned group_quota(const char *root, const char *mount, const char *group, bool version2) {
  char path[PATH_SIZE], file[PATH_SIZE + 32], quota[128], period[128];
  unsigned cores = 0;
  size_t base = strlen(root) + strlen(mount);
  if (base + strlen(group) >= sizeof path)
    return 0;
  snprintf(path, sizeof path, "%s%s%s", root, mount, group);
  for (;;) {
    snprintf(file, sizeof file, "%s/%s", path, version2 ? "cpu.max" : "cpu.cfs_quota_us");
    bool found = read_text(file, quota, sizeof quota);
    if (found && !version2) {
      snprintf(file, sizeof file, "%s/cpu.cfs_period_us", path);
      found = read_text(file, period, sizeof period);
    }
    if (found)
      cores = least(cores, gj__quota_cores(quota, version2 ? NULL : period));
    char *slash = strrchr(path + base, '/');
    if (!slash)
      return cores;
    *slash = '\0';
  }
}

// Whether the comma-separated controllers of a line of /proc/self/cgroup contain "cpu".
static bool lists_cpu(const char *list, const char *end) {
  while (list < end) {
    size_t length = strcspn(list, ",:");
    if (length == 3 && memcmp(list, "cpu", 3) == 0)
      return true;
    list += length + 1;
  }
  return false;
}

// Lines are "0::/group" in version 2 and "4:cpu,cpuacct:/group" in version 1.
unsigned gj__cgroup_cores(const char *root, char *list) {
  unsigned cores = 0;
  for (char *line; (line = strsep(&list, "\n")) != NULL;) {
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group || group[1] != '/')
      continue;
    group++;
    if (strcmp(group, "/") == 0)
      group = "";
    if (controllers[1] == ':') {
      cores = least(cores, group_quota(root, "", group, true));
    } else if (lists_cpu(controllers + 1, group - 1)) {
      cores = least(cores, group_quota(root, "/cpu", group, false));
      cores = least(cores, group_quota(root, "/cpu,cpuacct", group, false));
    }
  }
  return cores;
}

static void find(void) {
  char list[TEXT_SIZE];
  count = affinity_cores();
  if (read_text("/proc/self/cgroup", list, sizeof list))
    count = least(count, gj__cgroup_cores("/sys/fs/cgroup", list));
  count = count ? count : 1;
}

unsigned gj_cores(void) {
  pthread_once(&once, find);
  return count;
}

// How many threads of this process can run at the same time.
#ifndef GJ_RUNTIME_CORES_H
#define GJ_RUNTIME_CORES_H

// CPUs that the process may be scheduled on, less where a control group gives it less time than
// that; at least 1. Found at the first call, the same from then on.
unsigned gj_cores(void);

// What the quota of a cgroup is worth in whole cores, rounded down but at least 1; 0 when it is
// no quota. Version 2: "max 100000" or "150000 100000"; version 1: quota and period in two files.
unsigned gj__quota_cores(const char *quota, const char *period);

// The smallest quota of the groups in `list`, the text of /proc/self/cgroup, which is written over:
// theirs and those of the groups around them, by the files under `root` (/sys/fs/cgroup). 0 when
// there is none.
unsigned gj__cgroup_cores(const char *root, char *list);

#endif

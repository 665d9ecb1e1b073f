// How many threads of this process can run at the same time.
#ifndef GJ_RUNTIME_CORES_H
#define GJ_RUNTIME_CORES_H

// CPUs that the process may be scheduled on, less where a control group gives it less time than
// that; at least 1. Found at the first call, the same from then on.
unsigned gj_cores(void);

// What the quota of a cgroup is worth in whole cores, rounded down but at least 1; 0 when `text` is
// no quota. Version 2: "max 100000" or "150000 100000"; version 1: quota and period in two files.
unsigned gj__quota_cores(const char *quota, const char *period);

#endif

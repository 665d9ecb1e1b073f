// Tables of time zones, made of what the host knows (lib/columns/types/zones.js) and constant data
// to kernels.
//
// A table is `count` starts as int64_t, seconds since 1970 in UTC, ascending and the first
// INT64_MIN, and then `count` offsets as int32_t: the seconds to add for local time from that start
// on. Tables of more than one row end with the year GJL_ZONE_YEARS + 27. The years from
// GJL_ZONE_YEARS to there have every kind of year there is (leap or not, by its first weekday), so
// that a later year goes by the rule of the one of them that is like it.
#ifndef GJ_LIBRARY_ZONES_H
#define GJ_LIBRARY_ZONES_H

#include "library/dates/dates.h"

enum { GJL_ZONE_YEARS = 2101 };

#endif

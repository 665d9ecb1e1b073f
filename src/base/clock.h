// A clock for measuring how long a stage takes.

#ifndef GJ_BASE_CLOCK_H
#define GJ_BASE_CLOCK_H

// Milliseconds since some fixed moment; never goes back.
double gj_clock_ms(void);

#endif

// Every test of a program that has this must give back all that it took.
#include "live_counts.h"

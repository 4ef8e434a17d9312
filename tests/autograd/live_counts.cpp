// Every test of this program must give back all that it took.
#include "../support/live_counts.h"

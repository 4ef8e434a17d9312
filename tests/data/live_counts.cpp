#include "../support/live_counts.h"

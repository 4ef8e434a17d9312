// All of tapehead in one include.
#pragma once

#include "core/attention.h"
#include "core/creation.h"
#include "core/elementwise.h"
#include "core/indexing.h"
#include "core/layer_norm.h"
#include "core/matmul.h"
#include "core/ndarray.h"
#include "core/print.h"
#include "core/random.h"
#include "core/reduce.h"
#include "core/softmax.h"

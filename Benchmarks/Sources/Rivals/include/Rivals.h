#pragma once

#include "AllocationCounter.h"
#include "Clock.h"
#include "RivalRings.h"

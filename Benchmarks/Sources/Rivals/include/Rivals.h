#pragma once

#include "AllocationCounter.h"
#include "Checksum.h"
#include "Clock.h"
#include "RivalOpus.h"
#include "RivalRings.h"
#include "RivalSpeex.h"
#include "RivalFFTW.h"
#include "RivalSRTP.h"

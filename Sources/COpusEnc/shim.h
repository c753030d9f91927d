#pragma once
#include <opusenc.h>

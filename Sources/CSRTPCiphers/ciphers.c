#include "CSRTPCiphers.h"

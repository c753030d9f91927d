// libnice: ICE (RFC 8445), STUN and TURN on a GLib main loop.
#pragma once

#include <agent.h>

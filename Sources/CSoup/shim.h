// libsoup 3: HTTP and WebSocket, client and server, on a GLib main loop.
#pragma once

#include <libsoup/soup.h>

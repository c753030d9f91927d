// GLib's main loop, objects and input/output, for the libraries that are built on them.
#pragma once

#include <gio/gio.h>
#include <glib-object.h>
#include <glib.h>

#include "private.h"

// The reading half: as the connection's own while the gate is open, without any bytes while it is held.

static void pollable_init(GPollableInputStreamInterface *interface);

G_DEFINE_TYPE_WITH_CODE(
    AntiphonGateInput, antiphon_gate_input, G_TYPE_INPUT_STREAM,
    G_IMPLEMENT_INTERFACE(G_TYPE_POLLABLE_INPUT_STREAM, pollable_init))

static GPollableInputStream *base_of(AntiphonGate *gate) {
  return (GPollableInputStream *)g_io_stream_get_input_stream(gate->base);
}

static gboolean is_readable(GPollableInputStream *stream) {
  AntiphonGate *gate = ((AntiphonGateInput *)stream)->gate;
  return gate && (gate->is_aborted || (!gate->is_held && g_pollable_input_stream_is_readable(base_of(gate))));
}

static gssize read_nonblocking(GPollableInputStream *stream, void *buffer, gsize count, GError **error) {
  AntiphonGate *gate = ((AntiphonGateInput *)stream)->gate;
  if (!gate || gate->is_aborted) {
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_CONNECTION_CLOSED, "the connection was given up");
    return -1;
  }
  if (gate->is_held) {
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK, "the gate is held");
    return -1;
  }
  gssize got = g_pollable_input_stream_read_nonblocking(base_of(gate), buffer, count, NULL, error);
  if (got > 0 && gate->events.read) gate->events.read(gate->context, (gsize)got);
  return got;
}

static GSource *create_source(GPollableInputStream *stream, GCancellable *cancellable) {
  AntiphonGate *gate = ((AntiphonGateInput *)stream)->gate;
  if (gate && !gate->is_held && !gate->is_aborted) {
    GSource *child = g_pollable_input_stream_create_source(base_of(gate), cancellable);
    GSource *source = g_pollable_source_new_full(stream, child, cancellable);
    g_source_unref(child);
    return source;
  }
  GSource *source = g_pollable_source_new_full(stream, NULL, cancellable);
  if (!gate || gate->is_aborted) {
    g_source_set_ready_time(source, 0);
  } else {
    // Ready when the gate opens.
    if (gate->waiting) g_source_unref(gate->waiting);
    gate->waiting = g_source_ref(source);
  }
  return source;
}

static void pollable_init(GPollableInputStreamInterface *interface) {
  interface->is_readable = is_readable;
  interface->read_nonblocking = read_nonblocking;
  interface->create_source = create_source;
}

// GIO wants a blocking call as well; libsoup never makes it.
static gssize read_blocking(GInputStream *stream, void *buffer, gsize count, GCancellable *cancellable, GError **error) {
  (void)cancellable;
  return read_nonblocking((GPollableInputStream *)stream, buffer, count, error);
}

static void antiphon_gate_input_class_init(AntiphonGateInputClass *class) {
  G_INPUT_STREAM_CLASS(class)->read_fn = read_blocking;
}

static void antiphon_gate_input_init(AntiphonGateInput *input) { (void)input; }

#include "private.h"

// The writing half: the connection's own, with a word on each frame that has gone.

static void pollable_init(GPollableOutputStreamInterface *interface);

G_DEFINE_TYPE_WITH_CODE(
    AntiphonGateOutput, antiphon_gate_output, G_TYPE_OUTPUT_STREAM,
    G_IMPLEMENT_INTERFACE(G_TYPE_POLLABLE_OUTPUT_STREAM, pollable_init))

static GPollableOutputStream *base_of(AntiphonGate *gate) {
  return (GPollableOutputStream *)g_io_stream_get_output_stream(gate->base);
}

static gboolean is_writable(GPollableOutputStream *stream) {
  AntiphonGate *gate = ((AntiphonGateOutput *)stream)->gate;
  return gate && (gate->is_aborted || g_pollable_output_stream_is_writable(base_of(gate)));
}

static gssize write_nonblocking(GPollableOutputStream *stream, const void *bytes, gsize count, GError **error) {
  AntiphonGateOutput *output = (AntiphonGateOutput *)stream;
  AntiphonGate *gate = output->gate;
  if (!gate || gate->is_aborted) {
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_CONNECTION_CLOSED, "the connection was given up");
    return -1;
  }
  if (output->frame_sent == 0 && count > 0) output->opcode = *(const guint8 *)bytes & 0x0F;
  gssize sent = g_pollable_output_stream_write_nonblocking(base_of(gate), bytes, count, NULL, error);
  if (sent <= 0) return sent;
  output->frame_sent += (gsize)sent;
  if ((gsize)sent == count) {
    gsize length = output->frame_sent;
    output->frame_sent = 0;
    if (gate->events.wrote) gate->events.wrote(gate->context, output->opcode, length);
  }
  return sent;
}

static GSource *create_source(GPollableOutputStream *stream, GCancellable *cancellable) {
  AntiphonGate *gate = ((AntiphonGateOutput *)stream)->gate;
  GSource *child = gate && !gate->is_aborted ? g_pollable_output_stream_create_source(base_of(gate), cancellable) : NULL;
  GSource *source = g_pollable_source_new_full(stream, child, cancellable);
  if (child) {
    g_source_unref(child);
  } else {
    g_source_set_ready_time(source, 0);
  }
  return source;
}

static void pollable_init(GPollableOutputStreamInterface *interface) {
  interface->is_writable = is_writable;
  interface->write_nonblocking = write_nonblocking;
  interface->create_source = create_source;
}

static gssize write_blocking(
    GOutputStream *stream, const void *bytes, gsize count, GCancellable *cancellable, GError **error) {
  (void)cancellable;
  return write_nonblocking((GPollableOutputStream *)stream, bytes, count, error);
}

static void antiphon_gate_output_class_init(AntiphonGateOutputClass *class) {
  G_OUTPUT_STREAM_CLASS(class)->write_fn = write_blocking;
}

static void antiphon_gate_output_init(AntiphonGateOutput *output) { (void)output; }

#include "private.h"

// The stream as a whole: it owns the two halves, and closing it closes the connection.

G_DEFINE_TYPE(AntiphonGate, antiphon_gate, G_TYPE_IO_STREAM)

static GInputStream *get_input(GIOStream *stream) { return G_INPUT_STREAM(((AntiphonGate *)stream)->input); }

static GOutputStream *get_output(GIOStream *stream) { return G_OUTPUT_STREAM(((AntiphonGate *)stream)->output); }

static gboolean close_now(GIOStream *stream, GCancellable *cancellable, GError **error) {
  return g_io_stream_close(((AntiphonGate *)stream)->base, cancellable, error);
}

static void base_closed(GObject *base, GAsyncResult *result, gpointer task) {
  GError *error = NULL;
  if (g_io_stream_close_finish((GIOStream *)base, result, &error)) {
    g_task_return_boolean(task, TRUE);
  } else {
    g_task_return_error(task, error);
  }
  g_object_unref(task);
}

static void close_async(
    GIOStream *stream, int priority, GCancellable *cancellable, GAsyncReadyCallback done, gpointer context) {
  GTask *task = g_task_new(stream, cancellable, done, context);
  g_io_stream_close_async(((AntiphonGate *)stream)->base, priority, cancellable, base_closed, task);
}

static gboolean close_finish(GIOStream *stream, GAsyncResult *result, GError **error) {
  return g_task_propagate_boolean((GTask *)result, error);
}

static void dispose(GObject *object) {
  AntiphonGate *gate = (AntiphonGate *)object;
  // The halves may be kept by others for longer.
  if (gate->input) gate->input->gate = NULL;
  if (gate->output) gate->output->gate = NULL;
  if (gate->waiting) {
    g_source_unref(gate->waiting);
    gate->waiting = NULL;
  }
  G_OBJECT_CLASS(antiphon_gate_parent_class)->dispose(object);
  g_clear_object(&gate->input);
  g_clear_object(&gate->output);
  g_clear_object(&gate->base);
  g_clear_object(&gate->socket);
}

static void antiphon_gate_class_init(AntiphonGateClass *class) {
  G_OBJECT_CLASS(class)->dispose = dispose;
  GIOStreamClass *stream = G_IO_STREAM_CLASS(class);
  stream->get_input_stream = get_input;
  stream->get_output_stream = get_output;
  stream->close_fn = close_now;
  stream->close_async = close_async;
  stream->close_finish = close_finish;
}

static void antiphon_gate_init(AntiphonGate *gate) { (void)gate; }

AntiphonGate *antiphon_gate_new(GIOStream *base, GSocket *socket, AntiphonGateEvents events, void *context) {
  AntiphonGate *gate = g_object_new(antiphon_gate_get_type(), NULL);
  gate->base = g_object_ref(base);
  gate->socket = socket ? g_object_ref(socket) : NULL;
  gate->events = events;
  gate->context = context;
  gate->input = g_object_new(antiphon_gate_input_get_type(), NULL);
  gate->input->gate = gate;
  gate->output = g_object_new(antiphon_gate_output_get_type(), NULL);
  gate->output->gate = gate;
  return gate;
}

void antiphon_gate_hold(AntiphonGate *gate) {
  if (!gate->is_aborted) gate->is_held = TRUE;
}

void antiphon_gate_release(AntiphonGate *gate) {
  gate->is_held = FALSE;
  if (!gate->waiting) return;
  g_source_set_ready_time(gate->waiting, 0);
  g_source_unref(gate->waiting);
  gate->waiting = NULL;
}

void antiphon_gate_mute(AntiphonGate *gate) {
  gate->events = (AntiphonGateEvents){NULL, NULL};
  gate->context = NULL;
}

void antiphon_gate_abort(AntiphonGate *gate) {
  gate->is_aborted = TRUE;
  // Reading and writing fail from now on, also for a TLS stream that waits to say goodbye.
  if (gate->socket) g_socket_shutdown(gate->socket, TRUE, TRUE, NULL);
  antiphon_gate_release(gate);
}

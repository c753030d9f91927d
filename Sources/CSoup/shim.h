// libsoup 3: HTTP and WebSocket, client and server, on a GLib main loop.
//
// Beside the header: its macros and variadic calls as functions, and one typed function a signal, so that Swift passes no
// handler of a wrong shape. Every handler runs on the thread of the loop.
#pragma once

#include <libsoup/soup.h>

#pragma clang assume_nonnull begin

/// A URL of http, https, ws or wss as libsoup wants it: percent-encoding kept. NULL and an error if it is none.
static inline GUri *_Nullable antiphon_uri_parse(const char *text, GError *_Nullable *_Nullable error) {
  return g_uri_parse(text, SOUP_HTTP_URI_FLAGS, error);
}

/// A session without cookies, cache or a limit that would let requests wait for each other.
static inline SoupSession *antiphon_session_new(const char *user_agent, guint connections) {
  return (SoupSession *)g_object_new(
      SOUP_TYPE_SESSION, "user-agent", user_agent, "max-conns", connections, "max-conns-per-host", connections, "timeout",
      0, "idle-timeout", 60, NULL);
}

/// A server; `certificate` makes it one of TLS.
static inline SoupServer *antiphon_server_new(GTlsCertificate *_Nullable certificate) {
  return (SoupServer *)g_object_new(
      SOUP_TYPE_SERVER, "server-header", "Antiphon", "tls-certificate", certificate, NULL);
}

static inline gboolean antiphon_accept_any(SoupMessage *m, GTlsCertificate *c, GTlsCertificateFlags f, gpointer context) {
  return TRUE;
}

/// From now on any certificate serves, whoever made it.
static inline void antiphon_message_accept_any_certificate(SoupMessage *message) {
  g_signal_connect(message, "accept-certificate", G_CALLBACK(antiphon_accept_any), NULL);
}

typedef void (*AntiphonMessageHandler)(SoupMessage *message, gpointer context);
typedef void (*AntiphonMessageBytesHandler)(SoupMessage *message, guint count, gpointer context);
typedef void (*AntiphonServerMessageHandler)(SoupServerMessage *message, gpointer context);
typedef void (*AntiphonServerChunkHandler)(SoupServerMessage *message, GBytes *chunk, gpointer context);
typedef void (*AntiphonServerRequestHandler)(SoupServer *server, SoupServerMessage *message, gpointer context);
typedef void (*AntiphonSocketHandler)(SoupWebsocketConnection *socket, gpointer context);
typedef void (*AntiphonSocketMessageHandler)(SoupWebsocketConnection *socket, gint type, GBytes *bytes, gpointer context);
typedef void (*AntiphonSocketBytesHandler)(SoupWebsocketConnection *socket, GBytes *bytes, gpointer context);
typedef void (*AntiphonSocketErrorHandler)(SoupWebsocketConnection *socket, GError *error, gpointer context);

// The request is about to be written: there is a connection.
static inline void antiphon_on_starting(SoupMessage *message, AntiphonMessageHandler handler, gpointer context) {
  g_signal_connect(message, "starting", G_CALLBACK(handler), context);
}
static inline void antiphon_on_restarted(SoupMessage *message, AntiphonMessageHandler handler, gpointer context) {
  g_signal_connect(message, "restarted", G_CALLBACK(handler), context);
}
static inline void antiphon_on_wrote_body_data(
    SoupMessage *message, AntiphonMessageBytesHandler handler, gpointer context) {
  g_signal_connect(message, "wrote-body-data", G_CALLBACK(handler), context);
}

/// Takes back all handlers of an object that were connected with this context; each gives its context back.
static inline void antiphon_disconnect_signals(gpointer object, gpointer context) {
  g_signal_handlers_disconnect_matched(object, G_SIGNAL_MATCH_DATA, 0, 0, NULL, NULL, context);
}

static inline void antiphon_on_request_started(
    SoupServer *server, AntiphonServerRequestHandler handler, gpointer context) {
  g_signal_connect(server, "request-started", G_CALLBACK(handler), context);
}
// A server's message lives as long as libsoup likes: `release` gives the context back when the handler goes.
static inline void antiphon_on_got_headers(
    SoupServerMessage *message, AntiphonServerMessageHandler handler, gpointer context, GClosureNotify release) {
  g_signal_connect_data(message, "got-headers", G_CALLBACK(handler), context, release, 0);
}
static inline void antiphon_on_got_chunk(
    SoupServerMessage *message, AntiphonServerChunkHandler handler, gpointer context, GClosureNotify release) {
  g_signal_connect_data(message, "got-chunk", G_CALLBACK(handler), context, release, 0);
}
static inline void antiphon_on_got_body(
    SoupServerMessage *message, AntiphonServerMessageHandler handler, gpointer context, GClosureNotify release) {
  g_signal_connect_data(message, "got-body", G_CALLBACK(handler), context, release, 0);
}
static inline void antiphon_on_wrote_informational(
    SoupServerMessage *message, AntiphonServerMessageHandler handler, gpointer context, GClosureNotify release) {
  g_signal_connect_data(message, "wrote-informational", G_CALLBACK(handler), context, release, 0);
}
static inline void antiphon_on_wrote_chunk(
    SoupServerMessage *message, AntiphonServerMessageHandler handler, gpointer context, GClosureNotify release) {
  g_signal_connect_data(message, "wrote-chunk", G_CALLBACK(handler), context, release, 0);
}
static inline void antiphon_on_finished(
    SoupServerMessage *message, AntiphonServerMessageHandler handler, gpointer context, GClosureNotify release) {
  g_signal_connect_data(message, "finished", G_CALLBACK(handler), context, release, 0);
}
static inline void antiphon_on_disconnected(
    SoupServerMessage *message, AntiphonServerMessageHandler handler, gpointer context, GClosureNotify release) {
  g_signal_connect_data(message, "disconnected", G_CALLBACK(handler), context, release, 0);
}

static inline void antiphon_on_socket_message(
    SoupWebsocketConnection *socket, AntiphonSocketMessageHandler handler, gpointer context) {
  g_signal_connect(socket, "message", G_CALLBACK(handler), context);
}
static inline void antiphon_on_socket_error(
    SoupWebsocketConnection *socket, AntiphonSocketErrorHandler handler, gpointer context) {
  g_signal_connect(socket, "error", G_CALLBACK(handler), context);
}
static inline void antiphon_on_socket_closing(
    SoupWebsocketConnection *socket, AntiphonSocketHandler handler, gpointer context) {
  g_signal_connect(socket, "closing", G_CALLBACK(handler), context);
}
static inline void antiphon_on_socket_closed(
    SoupWebsocketConnection *socket, AntiphonSocketHandler handler, gpointer context) {
  g_signal_connect(socket, "closed", G_CALLBACK(handler), context);
}
static inline void antiphon_on_socket_pong(
    SoupWebsocketConnection *socket, AntiphonSocketBytesHandler handler, gpointer context) {
  g_signal_connect(socket, "pong", G_CALLBACK(handler), context);
}

/// Takes all handlers of `context` from an object.
static inline void antiphon_disconnect(gpointer object, gpointer context) {
  g_signal_handlers_disconnect_by_data(object, context);
}

/// A connection over the stream of another one, which does nothing any more from now on; both must be let go at the end.
///
/// libsoup gives the client no access to the stream before it has made the connection, and a connection cannot change its
/// stream. Its sources are found by the object that they call, which is what g_main_context_find_source_by_user_data is
/// for; it has none but the one that reads, and that has not run yet where this is called: in the answer to
/// soup_session_websocket_connect_async.
static inline SoupWebsocketConnection *antiphon_socket_over(
    SoupWebsocketConnection *first, GIOStream *stream, GMainContext *context) {
  GSource *source;
  while ((source = g_main_context_find_source_by_user_data(context, first))) g_source_destroy(source);
  GList *extensions = g_list_copy_deep(soup_websocket_connection_get_extensions(first), (GCopyFunc)g_object_ref, NULL);
  return soup_websocket_connection_new(
      stream, soup_websocket_connection_get_uri(first), SOUP_WEBSOCKET_CONNECTION_CLIENT,
      soup_websocket_connection_get_origin(first), soup_websocket_connection_get_protocol(first), extensions);
}

static inline GSocket *_Nullable antiphon_stolen_socket(GIOStream *stream) {
  return (GSocket *)g_object_get_data(G_OBJECT(stream), "GSocket");
}

/// The kinds of extension a server accepts: permessage-deflate alone. The caller gives it back with g_ptr_array_unref.
static inline GPtrArray *antiphon_deflate_types(void) {
  GPtrArray *types = g_ptr_array_new_with_free_func((GDestroyNotify)g_type_class_unref);
  g_ptr_array_add(types, g_type_class_ref(SOUP_TYPE_WEBSOCKET_EXTENSION_DEFLATE));
  return types;
}

/// Lets a session's WebSockets offer permessage-deflate. A session knows the extension manager by itself.
static inline void antiphon_session_without_extensions(SoupSession *session) {
  soup_session_remove_feature_by_type(session, SOUP_TYPE_WEBSOCKET_EXTENSION_MANAGER);
}
static inline void antiphon_session_with_deflate(SoupSession *session) {
  if (!soup_session_get_feature(session, SOUP_TYPE_WEBSOCKET_EXTENSION_MANAGER))
    soup_session_add_feature_by_type(session, SOUP_TYPE_WEBSOCKET_EXTENSION_MANAGER);
}

#pragma clang assume_nonnull end

// A GIOStream between libsoup's WebSocket and its connection, for what libsoup 3.2 does not offer itself.
//
// libsoup reads as long as the socket has bytes and queues what is sent without a limit or a sign of progress. The gate
// stands in between: while it is held, reading finds nothing, so that TCP slows the peer down; and it tells each frame
// that was written and how many bytes came in.
#pragma once

#include <gio/gio.h>

#pragma clang assume_nonnull begin

typedef struct _AntiphonGate AntiphonGate;

/// What a gate tells, on the thread of the stream's user.
typedef struct {
  /// `count` bytes were read from the connection.
  void (*read)(void *context, gsize count);
  /// A frame has gone to the connection as a whole. libsoup writes one frame a call; the first byte's lower half is its
  /// opcode (RFC 6455 §5.2). libsoup is not done with it yet: nothing may be sent from in here.
  void (*wrote)(void *context, guint8 opcode, gsize count);
} AntiphonGateEvents;

/// A gate in front of `base`, whose two streams must be pollable. The caller owns the reference.
AntiphonGate *antiphon_gate_new(GIOStream *base, GSocket *_Nullable socket, AntiphonGateEvents events, void *context);

/// The gate as libsoup takes it.
static inline GIOStream *antiphon_gate_stream(AntiphonGate *gate) { return (GIOStream *)gate; }

/// From now on reading finds nothing.
void antiphon_gate_hold(AntiphonGate *gate);

/// Reading goes on.
void antiphon_gate_release(AntiphonGate *gate);

/// No event is told any more.
void antiphon_gate_mute(AntiphonGate *gate);

/// Ends the connection at once, in both directions; the reader sees its end. For a peer that does not answer.
void antiphon_gate_abort(AntiphonGate *gate);

#pragma clang assume_nonnull end

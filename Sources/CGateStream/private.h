#pragma once

#include "CGateStream.h"

typedef struct {
  GInputStream parent;
  AntiphonGate *gate;  // not owned; NULL when the gate is gone
} AntiphonGateInput;

typedef struct {
  GOutputStream parent;
  AntiphonGate *gate;
  gsize frame_sent;  // bytes of the frame at hand that the connection has taken
  guint8 opcode;     // of the same frame
} AntiphonGateOutput;

typedef struct {
  GInputStreamClass parent;
} AntiphonGateInputClass;

typedef struct {
  GOutputStreamClass parent;
} AntiphonGateOutputClass;

typedef struct {
  GIOStreamClass parent;
} AntiphonGateClass;

struct _AntiphonGate {
  GIOStream parent;
  GIOStream *base;
  GSocket *socket;
  AntiphonGateInput *input;
  AntiphonGateOutput *output;
  AntiphonGateEvents events;
  void *context;
  gboolean is_held;
  gboolean is_aborted;
  GSource *waiting;  // the reader's source while the gate is held; released with it
};

GType antiphon_gate_get_type(void);
GType antiphon_gate_input_get_type(void);
GType antiphon_gate_output_get_type(void);

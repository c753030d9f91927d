// libnice: ICE (RFC 8445), STUN and TURN on a GLib main loop. Its variadic and untyped calls as typed functions.
#pragma once

#include <agent.h>
#include <interfaces.h>

// An agent for UDP with trickling and consent checks; no UPnP, whose answers nobody vouches for, and no ICE-TCP.
static inline NiceAgent *antiphon_new_agent(GMainContext *context, int is_regular, int is_relay_only) {
  NiceAgentOption options = NICE_AGENT_OPTION_ICE_TRICKLE | NICE_AGENT_OPTION_CONSENT_FRESHNESS;
  if (is_regular) options = (NiceAgentOption)(options | NICE_AGENT_OPTION_REGULAR_NOMINATION);
  NiceAgent *agent = nice_agent_new_full(context, NICE_COMPATIBILITY_RFC5245, options);
  if (agent) g_object_set(agent, "ice-tcp", FALSE, "upnp", FALSE, "force-relay", is_relay_only ? TRUE : FALSE, NULL);
  return agent;
}

static inline void antiphon_set_stun_server(NiceAgent *agent, const char *host, unsigned port) {
  g_object_set(agent, "stun-server", host, "stun-server-port", port, NULL);
}

static inline void antiphon_set_controlling(NiceAgent *agent, int is_controlling) {
  g_object_set(agent, "controlling-mode", is_controlling ? TRUE : FALSE, NULL);
}

// The agent's signals, each with the form of its handler.
static inline void antiphon_on_candidate(NiceAgent *agent, void (*handler)(NiceAgent *, NiceCandidate *, gpointer),
                                         gpointer data) {
  g_signal_connect(agent, "new-candidate-full", G_CALLBACK(handler), data);
}

static inline void antiphon_on_gathering_done(NiceAgent *agent, void (*handler)(NiceAgent *, guint, gpointer),
                                              gpointer data) {
  g_signal_connect(agent, "candidate-gathering-done", G_CALLBACK(handler), data);
}

static inline void antiphon_on_state(NiceAgent *agent, void (*handler)(NiceAgent *, guint, guint, guint, gpointer),
                                     gpointer data) {
  g_signal_connect(agent, "component-state-changed", G_CALLBACK(handler), data);
}

static inline void antiphon_on_selected_pair(
    NiceAgent *agent, void (*handler)(NiceAgent *, guint, guint, NiceCandidate *, NiceCandidate *, gpointer),
    gpointer data) {
  g_signal_connect(agent, "new-selected-pair-full", G_CALLBACK(handler), data);
}

static inline void antiphon_disconnect(NiceAgent *agent, gpointer data) {
  g_signal_handlers_disconnect_by_data(agent, data);
}

// A candidate's parts that Swift imports as tuples and unions.
static inline const char *antiphon_foundation(const NiceCandidate *candidate) { return candidate->foundation; }
static inline void antiphon_set_foundation(NiceCandidate *candidate, const char *foundation) {
  g_strlcpy(candidate->foundation, foundation, NICE_CANDIDATE_MAX_FOUNDATION);
}
static inline const NiceAddress *antiphon_address(const NiceCandidate *candidate) { return &candidate->addr; }
static inline const NiceAddress *antiphon_base_address(const NiceCandidate *candidate) { return &candidate->base_addr; }

// Gives a list back that nice_interfaces_get_local_ips() has made.
static inline void antiphon_free_addresses(GList *addresses) { g_list_free_full(addresses, g_free); }
static inline void antiphon_free_candidates(GSList *candidates) {
  g_slist_free_full(candidates, (GDestroyNotify)nice_candidate_free);
}

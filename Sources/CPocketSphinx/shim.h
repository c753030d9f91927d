#pragma once
#include <pocketsphinx.h>
#include <sphinxbase/err.h>

static inline void antiphon_sphinx_silent(void *user, err_lvl_t level, const char *format, ...) {
  (void)user, (void)level, (void)format;
}

// A decoder over an acoustic model and a dictionary, without a search; variadic in C. NULL when it cannot be made.
// The library tells its progress to standard error unless told otherwise, for all decoders of the process.
static inline ps_decoder_t *antiphon_sphinx_new(const char *model, const char *dictionary) {
  err_set_callback(antiphon_sphinx_silent, NULL);
  err_set_logfp(NULL);
  // Context-independent phones make the open loop three times as fast (0.15 s for a question of 1.5 s).
  cmd_ln_t *config = cmd_ln_init(
      NULL, ps_args(), TRUE, "-hmm", model, "-dict", dictionary, "-lw", "3", "-allphone_ci", "yes", NULL);
  if (config == NULL) return NULL;
  ps_decoder_t *decoder = ps_init(config);
  cmd_ln_free_r(config);
  return decoder;
}

// All samples of an utterance at once.
static inline int antiphon_sphinx_decode(ps_decoder_t *decoder, const int16 *samples, size_t count) {
  if (ps_start_utt(decoder) < 0) return -1;
  int frames = ps_process_raw(decoder, samples, count, FALSE, TRUE);
  int ended = ps_end_utt(decoder);
  return frames < 0 || ended < 0 ? -1 : frames;
}

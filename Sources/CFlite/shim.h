#pragma once
#include <flite/flite.h>

// The voices' libraries have no headers of their own.
cst_voice *register_cmu_us_slt(const char *folder);
cst_voice *register_cmu_us_kal16(const char *folder);
cst_voice *register_cmu_us_rms(const char *folder);

// The first of the text's tokens; NULL when there is none.
static inline cst_item *antiphon_flite_tokens(cst_utterance *utterance) {
  return utt_relation_present(utterance, "Token") ? relation_head(utt_relation(utterance, "Token")) : NULL;
}

// The token as it stands in the text, without the punctuation around it.
static inline const char *antiphon_flite_name(const cst_item *token) { return item_feat_string(token, "name"); }

// When the last sound of the token's last word ends, in seconds; 0 when it has no sound.
static inline float antiphon_flite_end(const cst_item *token) {
  const cst_item *word = item_last_daughter(token);
  return word == NULL ? 0 : flite_ffeature_float(word, "R:SylStructure.daughtern.daughtern.R:Segment.end");
}

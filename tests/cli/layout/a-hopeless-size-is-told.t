# Even one id is too many for this size: no rate is kept, and none is promised.
got $LOAD --layout flat --bits 64 --hashes 2 --fpr 1e-6; has 'of fresh events, not 1e-06
'
lacks 'keep --fpr'; got $XD add v0 $ID_A; is "$ID_A new"

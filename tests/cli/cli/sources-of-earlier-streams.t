# Those of earlier streams stay in the table, and refuse no change.
$XD load v0 --profile rtp:5004 --profile payload:81 --sources 64 --paths 2
$XD set v0 --profile payload:81; $XD set v0 --action count; $XD load --replace v0
fails '--sources is for numbered streams' $XD resize v0 --sources 9
$XD set v0 --profile rtp:5004 --profile payload:81; got $XD status v0; has 'most 64'
$XD set v0 --profile payload:81; $XD resize v0 --capacity 10k; $XD unload v0

# What a survey would not look at.
for o in '--write-passed x' '--write-dropped x' '--profiles x' '--to 10.0.0.1' '--vlan 7' \
	'--engine kernel' '--outer-to 10.0.0.1' --forwarded '--capacity 9' '--fpr 0.1' \
	'--window 9s' '--sources 9' '--paths 2' '--layout flat' '--bits 9' '--hash siphash' \
	'--hashes 9' '--index-bits 9' '--countdown-bits 9' '--for 9s' '--action count' \
	'--learn app' '--ihave pass' '--deliver xsk'; do
	error 2 "${o%% *}" $D/mesh.pcapng $o; [ ! -s $D/out ]; done
XDP_DEDUP_CAPACITY=9 replay mesh --engine user

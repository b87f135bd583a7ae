$XD load v0 --port 8001 --capacity 100 --window 10s; got $XD status v0; lacks advice
flows 4; until $XD status v0 | grep 'advice      the filter is too small'; do sleep 0.3; done
screen 80 24 $XD watch v0; shows ' ! the filter is too small: '; presses q; ended 0
command=; while [ -z "$command" ]; do command=$($XD status v0 --json |
	jq -r '.advice[] | select(.key == "window_shortens" or .key == "too_small") | .text' |
	sed 's/.*xdp-dedup \(resize v0 --capacity [0-9.kM]*\);.*/\1/'); done
$XD $command; [ $($XD status v0 --json | jq .capacity) -ge 500 ]

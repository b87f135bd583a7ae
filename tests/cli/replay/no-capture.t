echo hello >$D/text; error 1 text $D/text --port 1

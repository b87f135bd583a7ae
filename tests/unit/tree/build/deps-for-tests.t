asks 'libcmocka-dev .* nats-server' shellcheck $D/bin test CLANG=none

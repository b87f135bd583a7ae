asks 'clang libc6-dev make libbpf-dev' cmocka $D/bin deps

asks 'libc6-dev make libbpf-dev' clang $ALL deps

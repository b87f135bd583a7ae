lacks_it "$NO_CLANG" $D/old-clang:$D/bin

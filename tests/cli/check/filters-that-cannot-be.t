asked 1 v0 --capacity 1G --window 100ms; says size - 'problem: --window 100ms is too'
same v0 --port 80 --capacity 1G --window 100ms; not says memory - .
asked 1 v0 --layout countdown --capacity 1M; same v0 --port 80 --layout countdown --capacity 1M

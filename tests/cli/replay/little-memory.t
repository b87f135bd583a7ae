# With less memory for ids than they take.
replayed mesh '.streams[0].counters.new == 500' --port 8001 --memory 1

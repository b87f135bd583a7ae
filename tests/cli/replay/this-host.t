replayed mesh '.streams[0].counters.new == 500' --port 8001 --mac 02:00:00:00:00:01

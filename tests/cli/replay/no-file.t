error 1 none $D/none --port 1

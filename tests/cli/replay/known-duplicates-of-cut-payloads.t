known cut-payloads

asks 'libnats-dev libssl-dev' nats-server $D/bin deps

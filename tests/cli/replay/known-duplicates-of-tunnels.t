known tunnels

error 2 application $D/mesh.pcapng --port 8001 --learn app

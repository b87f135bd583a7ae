$XD load v0 b0 --port 80; got $XD status; lacks warning
got sh -c "$XD status v0 --json | jq -c .stacked"; is '[]'
ip link set v0 master b0; got $XD status
has '  warning     b0 is on top of v0: packets meet the filter twice'
got $XD status v0 --json; has '"upper": "b0",
      "lower": "v0"'
ip link set v0 nomaster; got $XD status; lacks 'on top of v0'; $XD unload --all

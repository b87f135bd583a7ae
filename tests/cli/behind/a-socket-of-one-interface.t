$XD load v0 v1 $FILTER; arrive '= 0' 20 -- join=v0 join=v1 device=v0
says 'no socket gets what comes by v1, as behind_test ('; says 'port 5568 to another'
arrive '= 20' 20 -- join=v0 join=v1; silent

$XD load v0 v1 $FILTER; arrive '= 0' 20 -- join=v0
says '239.255.0.1 is joined on v0 and not on v1'; advises 'joined on v0 and not on v1'
arrive '= 20' 20 -- join=v0 join=v1; silent

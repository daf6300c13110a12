-- detach
DETACH "fre""sh"

DETACH "fre""sh"

-- isolation_level
SHOW transaction_isolation

-- postgres
SHOW transaction_isolation

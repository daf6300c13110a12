-- postgres
ANALYZE "frequency"

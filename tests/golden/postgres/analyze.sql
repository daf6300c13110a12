ANALYZE "frequency"

-- analyze
ANALYZE "frequency"

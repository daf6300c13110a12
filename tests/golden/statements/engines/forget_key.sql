-- duckdb
RESET VARIABLE "kanon_key_7191c3cf"

-- postgres
SELECT SET_CONFIG('kanon.kanon_key_7191c3cf', '', FALSE)

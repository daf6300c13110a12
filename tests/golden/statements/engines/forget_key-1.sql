-- duckdb
RESET VARIABLE "kanon_inner_7191c3cf"

-- postgres
SELECT SET_CONFIG('kanon.kanon_inner_7191c3cf', '', FALSE)

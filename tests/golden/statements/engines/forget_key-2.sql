-- duckdb
RESET VARIABLE "kanon_outer_7191c3cf"

-- postgres
SELECT SET_CONFIG('kanon.kanon_outer_7191c3cf', '', FALSE)

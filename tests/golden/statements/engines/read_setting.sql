-- duckdb
SELECT current_setting('TimeZone')

-- postgres
SHOW "TimeZone"

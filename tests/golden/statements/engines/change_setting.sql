-- duckdb
SET SESSION "TimeZone" = 'UTC'

-- postgres
SET LOCAL "TimeZone" = 'UTC'

-- spark
SET `TimeZone` = `UTC`

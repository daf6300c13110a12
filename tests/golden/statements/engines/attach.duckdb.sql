-- attach
ATTACH IF NOT EXISTS 'ot''her.duckdb' AS "ot'h""er" (READ_ONLY)

-- volatile_functions
SELECT DISTINCT function_name
FROM duckdb_functions()
WHERE stability = 'VOLATILE'
  AND function_name <> 'error'
  AND LOWER(function_name) IN (
    LOWER('f'''),
    LOWER('g'),
    LOWER('h')
  )
ORDER BY 1

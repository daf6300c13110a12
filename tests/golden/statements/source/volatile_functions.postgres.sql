-- volatile_functions
SELECT DISTINCT p.proname
FROM (
  VALUES
    (CAST('f''' AS NAME), CAST('s''' AS NAME), TRUE),
    (CAST('g' AS NAME), CAST(NULL AS NAME), TRUE),
    (CAST('h' AS NAME), CAST(NULL AS NAME), FALSE)
) AS w (word, place, called)
JOIN pg_proc AS p ON LOWER(CAST(p.proname AS TEXT)) = LOWER(CAST(w.word AS TEXT))
JOIN pg_namespace AS n ON n.oid = p.pronamespace
LEFT JOIN pg_type AS t ON t.oid = p.proargtypes[0]
WHERE p.provolatile = 'v'
  AND p.prorettype <> CAST('tsm_handler' AS REGTYPE)
  AND CASE
    WHEN w.called AND LOWER(CAST(w.place AS TEXT)) = 'pg_temp' THEN n.oid = PG_MY_TEMP_SCHEMA()
    WHEN w.called AND w.place IS NOT NULL THEN LOWER(CAST(n.nspname AS TEXT)) = LOWER(CAST(w.place AS TEXT))
    WHEN w.called THEN PG_FUNCTION_IS_VISIBLE(p.oid)
    ELSE PG_FUNCTION_IS_VISIBLE(p.oid) AND t.typtype IN ('c', 'd', 'p')
  END
ORDER BY 1

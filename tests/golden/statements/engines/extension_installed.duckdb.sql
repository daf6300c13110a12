-- extension_installed
SELECT COUNT(*) AS installed
FROM duckdb_extensions() AS e
WHERE e.extension_name = 'de''lta' AND (e.installed OR e.loaded)

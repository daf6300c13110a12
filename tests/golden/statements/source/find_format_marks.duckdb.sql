-- find_format_marks
SELECT file
FROM glob(['par[t]s/_delta_log/*', 'it''s/**'])
WHERE regexp_matches(file, '/_delta_log(/[^/]*)?$') AND file NOT IN ('par[t]s/_delta_log/*', 'it''s/**')
LIMIT 1

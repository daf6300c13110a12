-- count_row_keys
SELECT
  COUNT(*) - COUNT("s.s.n") AS without_key,
  COUNT("s.s.n") - COUNT(DISTINCT "s.s.n") AS repeated
FROM "the source; DROP TABLE x" AS r

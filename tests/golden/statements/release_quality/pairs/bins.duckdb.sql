-- bins
SELECT
  0 AS quasi,
  COUNT(DISTINCT bin) AS bins
FROM "measu'red bins se""x"
UNION ALL
SELECT
  1 AS quasi,
  COUNT(DISTINCT bin) AS bins
FROM "measu'red bins zip; --"
UNION ALL
SELECT
  2 AS quasi,
  COUNT(DISTINCT bin) AS bins
FROM "measu'red bins age
of 👩"
UNION ALL
SELECT
  3 AS quasi,
  COUNT(DISTINCT bin) AS bins
FROM "measu'red bins SELECT"
ORDER BY quasi

-- taken
CREATE TEMP TABLE "measu'red ranges" AS
SELECT DISTINCT
  CAST('0' AS VARCHAR) AS value,
  CAST('0' AS VARCHAR) AS quasi,
  CAST("place" AS VARCHAR) AS first_place,
  CAST("place" AS VARCHAR) AS last_place
FROM (
  SELECT
    value AS "se""x",
    place
  FROM "measu'red values se""x"
) AS v
UNION ALL
SELECT DISTINCT
  CAST('0' AS VARCHAR) AS value,
  CAST('1' AS VARCHAR) AS quasi,
  CAST("place" AS VARCHAR) AS first_place,
  CAST("place" AS VARCHAR) AS last_place
FROM (
  SELECT
    value AS "zip; --",
    place
  FROM "measu'red values zip; --"
) AS v
WHERE ("zip; --" >= '02')
UNION ALL
SELECT DISTINCT
  CAST('0' AS VARCHAR) AS value,
  CAST('2' AS VARCHAR) AS quasi,
  CAST("place" AS VARCHAR) AS first_place,
  CAST("place" AS VARCHAR) AS last_place
FROM (
  SELECT
    value AS "age
of 👩",
    place
  FROM "measu'red values age
of 👩"
) AS v
UNION ALL
SELECT DISTINCT
  CAST('0' AS VARCHAR) AS value,
  CAST('3' AS VARCHAR) AS quasi,
  CAST("place" AS VARCHAR) AS first_place,
  CAST("place" AS VARCHAR) AS last_place
FROM (
  SELECT
    value AS "SELECT",
    place
  FROM "measu'red values SELECT"
) AS v

-- label_key
CREATE TEMP TABLE "the ke'y of labels" AS
SELECT
  'zip; --' AS column_name,
  label,
  0 AS level,
  "p"."label_0" AS ancestor,
  CASE WHEN 1 = 0 THEN '' END AS least,
  CASE WHEN 1 = 0 THEN '' END AS greatest
FROM "la'bels 0" AS p
WHERE "p"."label_0" IS NOT NULL
UNION ALL
SELECT
  'zip; --' AS column_name,
  label,
  1 AS level,
  "p"."label_1" AS ancestor,
  CASE WHEN 1 = 0 THEN '' END AS least,
  CASE WHEN 1 = 0 THEN '' END AS greatest
FROM "la'bels 0" AS p
WHERE "p"."label_1" IS NOT NULL
UNION ALL
SELECT
  'zip; --' AS column_name,
  label,
  2 AS level,
  "p"."label_2" AS ancestor,
  CASE WHEN 1 = 0 THEN '' END AS least,
  CASE WHEN 1 = 0 THEN '' END AS greatest
FROM "la'bels 0" AS p
WHERE "p"."label_2" IS NOT NULL
UNION ALL
SELECT
  'age
of 👩' AS column_name,
  label,
  0 AS level,
  "p"."label_0" AS ancestor,
  CAST("p"."least_0" AS VARCHAR) AS least,
  CAST("p"."greatest_0" AS VARCHAR) AS greatest
FROM "la'bels 1" AS p
WHERE "p"."label_0" IS NOT NULL
UNION ALL
SELECT
  'age
of 👩' AS column_name,
  label,
  1 AS level,
  "p"."label_1" AS ancestor,
  CAST("p"."least_1" AS VARCHAR) AS least,
  CAST("p"."greatest_1" AS VARCHAR) AS greatest
FROM "la'bels 1" AS p
WHERE "p"."label_1" IS NOT NULL
UNION ALL
SELECT
  'age
of 👩' AS column_name,
  label,
  2 AS level,
  "p"."label_2" AS ancestor,
  CAST("p"."least_2" AS VARCHAR) AS least,
  CAST("p"."greatest_2" AS VARCHAR) AS greatest
FROM "la'bels 1" AS p
WHERE "p"."label_2" IS NOT NULL
UNION ALL
SELECT
  'age
of 👩' AS column_name,
  label,
  3 AS level,
  "p"."label_3" AS ancestor,
  CASE WHEN 1 = 0 THEN '' END AS least,
  CASE WHEN 1 = 0 THEN '' END AS greatest
FROM "la'bels 1" AS p
WHERE "p"."label_3" IS NOT NULL

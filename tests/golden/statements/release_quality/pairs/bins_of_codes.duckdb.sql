-- bins_of_codes
CREATE TEMP TABLE "measu'red code bins" AS
SELECT
  0 AS quasi,
  "k"."code" AS "code",
  MIN(b.bin) AS bin,
  MAX(b.bin) AS last_bin
FROM "measu'red bins se""x" AS b
JOIN "measu'red codes se""x" AS k ON "b"."own" IS NOT DISTINCT FROM "k"."own"
GROUP BY "k"."code"
UNION ALL
SELECT
  1 AS quasi,
  "k"."code" AS "code",
  MIN(b.bin) AS bin,
  MAX(b.bin) AS last_bin
FROM "measu'red bins zip; --" AS b
JOIN "measu'red codes zip; --" AS k ON "b"."own" IS NOT DISTINCT FROM "k"."own"
GROUP BY "k"."code"
UNION ALL
SELECT
  2 AS quasi,
  "k"."code" AS "code",
  MIN(b.bin) AS bin,
  MAX(b.bin) AS last_bin
FROM "measu'red bins age
of 👩" AS b
JOIN "measu'red codes age
of 👩" AS k ON "b"."own" IS NOT DISTINCT FROM "k"."own"
GROUP BY "k"."code"
UNION ALL
SELECT
  3 AS quasi,
  "k"."code" AS "code",
  MIN(b.bin) AS bin,
  MAX(b.bin) AS last_bin
FROM "measu'red bins SELECT" AS b
JOIN "measu'red codes SELECT" AS k ON "b"."own" IS NOT DISTINCT FROM "k"."own"
GROUP BY "k"."code"

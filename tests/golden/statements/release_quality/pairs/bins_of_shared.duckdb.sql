-- bins_of_shared
CREATE TEMP TABLE "measu'red own bins" AS
SELECT DISTINCT
  0 AS quasi,
  s.bin AS code,
  "s"."first_bin" AS bin
FROM "measu'red shared bins" AS s
UNION ALL
SELECT DISTINCT
  1 AS quasi,
  s.bin AS code,
  "s"."bin" AS bin
FROM "measu'red bins age
of 👩" AS s

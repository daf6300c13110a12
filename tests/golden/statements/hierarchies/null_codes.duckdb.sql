-- null_codes
SELECT
  0 AS "at_level_0",
  CASE WHEN "m"."level_1" IS NULL THEN 0 ELSE 1 END AS "at_level_1",
  CASE WHEN "m"."level_2" IS NULL THEN 0 ELSE 1 END AS "at_level_2",
  "c"."key_1"
FROM "codes zip; --" AS c
CROSS JOIN "map zip; --" AS m
WHERE c.value IS NULL AND m.value IS NULL

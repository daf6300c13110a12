-- duckdb
CREATE TEMP TABLE "fit; --" AS
SELECT *
FROM "staged'" AS t
WHERE NOT EXISTS (
  SELECT 1
  FROM "short'classes" AS f
  WHERE "f"."key_1" IS NOT DISTINCT FROM encode(CAST("t"."se""x" AS VARCHAR)) AND "f"."key_2" IS NOT DISTINCT FROM encode(CAST("t"."zip; --" AS VARCHAR)) AND "f"."key_3" IS NOT DISTINCT FROM encode(CAST("t"."age
of 👩_low" AS VARCHAR)) AND "f"."key_4" IS NOT DISTINCT FROM encode(CAST("t"."age
of 👩_high" AS VARCHAR)) AND "f"."key_5" IS NOT DISTINCT FROM encode(CAST("t"."SELECT" AS VARCHAR))
)

-- postgres
CREATE TEMP TABLE "fit; --" AS
SELECT *
FROM "staged'" AS t
WHERE NOT EXISTS (
  SELECT 1
  FROM "short'classes" AS f
  WHERE ARRAY["f"."key_1"] = ARRAY[(CAST("t"."se""x" AS TEXT) COLLATE "C")] AND ARRAY["f"."key_2"] = ARRAY[(CAST("t"."zip; --" AS TEXT) COLLATE "C")] AND ARRAY["f"."key_3"] = ARRAY[(CAST("t"."age
of 👩_low" AS TEXT) COLLATE "C")] AND ARRAY["f"."key_4"] = ARRAY[(CAST("t"."age
of 👩_high" AS TEXT) COLLATE "C")] AND ARRAY["f"."key_5"] = ARRAY[(CAST("t"."SELECT" AS TEXT) COLLATE "C")]
)

-- spark
CREATE TEMP VIEW `fit; --` AS
SELECT *
FROM `staged'` AS t
WHERE NOT EXISTS (
  SELECT 1
  FROM `short'classes` AS f
  WHERE `f`.`key_1` IS NOT DISTINCT FROM CAST(CAST(`t`.`se"x` AS STRING) AS BINARY) AND `f`.`key_2` IS NOT DISTINCT FROM CAST(CAST(`t`.`zip; --` AS STRING) AS BINARY) AND `f`.`key_3` IS NOT DISTINCT FROM CAST(CAST(`t`.`age
of 👩_low` AS STRING) AS BINARY) AND `f`.`key_4` IS NOT DISTINCT FROM CAST(CAST(`t`.`age
of 👩_high` AS STRING) AS BINARY) AND `f`.`key_5` IS NOT DISTINCT FROM CAST(CAST(`t`.`SELECT` AS STRING) AS BINARY)
)

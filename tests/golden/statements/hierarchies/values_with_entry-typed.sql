-- duckdb, postgres
CREATE TEMP TABLE "values_with_entry_typed_values" AS
SELECT
  d.value,
  d.row_count
FROM "domain age
of 👩" AS d
WHERE EXISTS (
    SELECT 1
    FROM "paths age
of 👩" AS p
    WHERE "d"."value" = "p"."value"
      AND p."level_2" IS NOT NULL
  )

-- spark
CREATE TEMP VIEW `values_with_entry_typed_values` AS
SELECT
  d.value,
  d.row_count
FROM `domain age
of 👩` AS d
WHERE EXISTS (
    SELECT 1
    FROM `paths age
of 👩` AS p
    WHERE `d`.`value` = `p`.`value`
      AND p.`level_2` IS NOT NULL
  )

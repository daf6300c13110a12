-- column_of_all
CREATE TEMP VIEW "one dom'ain" AS
SELECT
  "w"."value_2" AS "value",
  "w"."row_count" AS "row_count"
FROM "all domain's" AS w
WHERE quasi = '11'

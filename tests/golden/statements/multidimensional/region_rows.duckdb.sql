-- region_rows
CREATE TEMP VIEW "ro'ws of boxes" AS
SELECT
  "m"."low_of_0" AS "age
of 👩_low",
  "m"."high_of_0" AS "age
of 👩_high",
  "m"."label_of_1" AS "se""x",
  "m"."label_of_2" AS "zip; --",
  m.row_count AS "ro""ws"
FROM "box'es" AS m

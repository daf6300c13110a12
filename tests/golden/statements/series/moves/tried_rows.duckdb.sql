-- tried_rows
CREATE TEMP TABLE "tried; --" AS
SELECT
  d.*,
  CASE
    WHEN d.place <= (CASE WHEN d.gone_rows < 2 THEN 2 ELSE d.gone_rows END) + 1 THEN 1
    ELSE 0
  END AS leaving
FROM "due; --" AS d
JOIN "unfit; --" AS u ON u.class_hash = d.class_hash AND u.birth_release = d.birth_release

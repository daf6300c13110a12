-- item_cells
CREATE TEMP TABLE "li'st cells" AS
SELECT
  c.row_id,
  c.class_id,
  c.person_id,
  c.item
FROM (
  SELECT
    "s"."kanon_row" AS row_id,
    "s"."kanon_class" AS class_id,
    "s"."kanon_person" AS person_id,
    UNNEST(CAST(STRING_SPLIT("s"."SELECT", ';') AS VARCHAR[])) AS item
  FROM "li'st numbered" AS s
  WHERE "s"."SELECT" IS NOT NULL
) AS c
WHERE c.item IS NOT NULL
  AND c.item <> ''

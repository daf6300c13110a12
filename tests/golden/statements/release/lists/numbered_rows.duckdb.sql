-- numbered_rows
CREATE TEMP TABLE "li'st numbered" AS
SELECT
  ROW_NUMBER() OVER (ORDER BY "s"."zip; --") AS "kanon_row",
  DENSE_RANK() OVER (ORDER BY "s"."zip; --") AS "kanon_class",
  DENSE_RANK() OVER (ORDER BY "s"."who") AS "kanon_person",
  s.*
FROM "the source; DROP TABLE x" AS s

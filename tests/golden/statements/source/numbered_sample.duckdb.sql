-- numbered_sample
CREATE TEMP TABLE "numbered sam'ple" AS
SELECT
  n."column_0" AS "se""x",
  n."column_1" AS "zip; --",
  n."column_2" AS "ward 🏥",
  n.row_number AS "n'th"
FROM (
  SELECT
    l.*,
    CAST(ROW_NUMBER() OVER (ORDER BY l.lot, l.lot_text) AS BIGINT) AS row_number
  FROM (
    SELECT
      t.*,
      (CAST(md5_number("t"."lot_text") & 18446744073709551615 AS UBIGINT) >> 4) AS lot
    FROM (
      SELECT
        c.*,
        CONCAT(c.row_text, '#1#', CAST("c"."nth" AS VARCHAR)) AS lot_text
      FROM (
        SELECT
          r.*,
          ROW_NUMBER() OVER (PARTITION BY r.row_text ORDER BY r.row_text) AS nth
        FROM (
          SELECT
            "s"."se""x" AS "column_0",
            "s"."zip; --" AS "column_1",
            "s"."ward 🏥" AS "column_2",
            CONCAT(COALESCE(CAST(STRLEN(CAST("s"."se""x" AS VARCHAR)) AS VARCHAR) || ':' || CAST("s"."se""x" AS VARCHAR), '-'), ',', COALESCE(CAST(STRLEN(CAST("s"."zip; --" AS VARCHAR)) AS VARCHAR) || ':' || CAST("s"."zip; --" AS VARCHAR), '-'), ',' ) AS row_text
          FROM "the source; DROP TABLE x" AS s
        ) AS r
      ) AS c
    ) AS t
  ) AS l
  WHERE l.lot < 605283789918594662
) AS n
WHERE n.row_number <= 3

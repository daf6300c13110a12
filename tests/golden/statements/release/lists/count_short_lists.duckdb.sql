-- count_short_lists-1
SELECT COUNT(*) AS short_sets
FROM (
  SELECT COUNT(*) AS people
  FROM (
    SELECT
      b.*,
      UNNEST(CAST("b"."items" AS VARCHAR[])) AS item_3
    FROM (
      SELECT
        a.*,
        UNNEST(CAST("a"."items" AS VARCHAR[])) AS item_2
      FROM (
        SELECT
          p.*,
          UNNEST(CAST("p"."items" AS VARCHAR[])) AS item_1
        FROM (
          SELECT
            "e"."label_0" AS "label_0",
            ARRAY_AGG("e"."item" ORDER BY "e"."item") AS items
          FROM (
            SELECT DISTINCT
              "s"."zip; --" AS "label_0",
              s.person_id,
              UNNEST(CAST(STRING_SPLIT("s"."SELECT", ';') AS VARCHAR[])) AS item
            FROM (
              SELECT
ROW_NUMBER() OVER (ORDER BY "s"."zip; --") AS person_id,
                s.*
              FROM "li'st staged" AS s
            ) AS s
            WHERE "s"."SELECT" IS NOT NULL
          ) AS e
          WHERE e.item IS NOT NULL AND e.item <> ''
          GROUP BY "e"."label_0", e.person_id
        ) AS p
      ) AS a
    ) AS b
    WHERE b.item_2 = b.item_1
  ) AS c
  WHERE c.item_3 = c.item_2
  GROUP BY "c"."label_0", c.item_1, c.item_2, c.item_3
  HAVING COUNT(*) < 2
) AS t

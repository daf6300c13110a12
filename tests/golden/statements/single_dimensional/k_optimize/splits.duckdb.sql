-- splits
SELECT
  s.node,
  l.letter,
  CAST(SUM(s.classes) AS BIGINT) AS classes,
  CAST(SUM(s.fitting) AS BIGINT) AS fitting,
  CAST(SUM(s.suppressed) AS BIGINT) AS suppressed,
  CAST(SUM(s.cost) AS BIGINT) AS cost,
  CAST(SUM(s.bound) AS BIGINT) AS bound,
  CAST(SUM(s.tuples) AS BIGINT) AS tuples
FROM (
  SELECT
    h.node,
    h.chunk,
    h.code,
    h.next_code,
    COUNT(*) AS classes,
    SUM(CASE WHEN h."low_rows" >= 2 OR h."high_rows" >= 2 THEN 1 ELSE 0 END) AS fitting,
    SUM(CASE WHEN h."low_rows" >= 2 THEN 0 ELSE h."low_rows" END + CASE WHEN h."high_rows" >= 2 THEN 0 ELSE h."high_rows" END) AS suppressed,
    SUM(CASE WHEN h."low_rows" >= 2 THEN h."low_rows" * h."low_rows" ELSE h."low_rows" * CAST(8 AS BIGINT) END + CASE WHEN h."high_rows" >= 2 THEN h."high_rows" * h."high_rows" ELSE h."high_rows" * CAST(8 AS BIGINT) END - CASE WHEN h.chunk = -1 THEN 0 ELSE h.row_count * h.row_count END) AS cost,
    SUM(h."low_at_least" + h."high_at_least" + CASE WHEN h.chunk = -1 THEN 0 ELSE -h.at_least END) AS bound,
    SUM(h.tuples) AS tuples
  FROM (
    SELECT
      b.*,
      CASE
        WHEN b."low_rows" < 2 THEN b."low_rows" * CAST(8 AS BIGINT)
        WHEN 2 * b."low_even" < 8 THEN GREATEST(b."low_bound", b."low_even" * (b."low_rows" + b."low_rows" % b."low_parts") + b."low_rows" % b."low_parts")
        ELSE b."low_bound"
      END AS "low_at_least",
      CASE
        WHEN b."high_rows" < 2 THEN b."high_rows" * CAST(8 AS BIGINT)
        WHEN 2 * b."high_even" < 8 THEN GREATEST(b."high_bound", b."high_even" * (b."high_rows" + b."high_rows" % b."high_parts") + b."high_rows" % b."high_parts")
        ELSE b."high_bound"
      END AS "high_at_least",
      CASE
        WHEN b."row_count" < 2 THEN b."row_count" * CAST(8 AS BIGINT)
        WHEN 2 * b."even" < 8 THEN GREATEST(b."bound", b."even" * (b."row_count" + b."row_count" % b."parts") + b."row_count" % b."parts")
        ELSE b."bound"
      END AS "at_least"
    FROM (
      SELECT
        p.*,
        CAST((p."low_rows" - p."low_rows" % p."low_parts") / p."low_parts" AS BIGINT) AS "low_even",
        CAST((p."high_rows" - p."high_rows" % p."high_parts") / p."high_parts" AS BIGINT) AS "high_even",
        CAST((p."row_count" - p."row_count" % p."parts") / p."parts" AS BIGINT) AS "even"
      FROM (
        SELECT
          n.*,
          GREATEST(1, CAST((n."low_rows" - n."low_rows" % 2) / 2 AS BIGINT)) AS "low_parts",
          GREATEST(1, CAST((n."high_rows" - n."high_rows" % 2) / 2 AS BIGINT)) AS "high_parts",
          GREATEST(1, CAST((n."row_count" - n."row_count" % 2) / 2 AS BIGINT)) AS "parts"
        FROM (
          SELECT
            w.node,
            w.chunk,
            w.code,
            CASE WHEN w.chunk = -1 THEN 1 ELSE w.next_code END AS next_code,
            w.tuples,
            w.row_count,
            w.bound,
            w.low_rows,
            w.row_count - w.low_rows AS high_rows,
            w.low_bound,
            w.bound - w.low_bound AS high_bound
          FROM (
            SELECT
              g.node,
              g.chunk,
              g.code,
              g.tuples,
              LEAD(g.code) OVER (PARTITION BY g.node, g."key_1", g."key_2", g.chunk ORDER BY g.code) AS next_code,
              CAST(SUM(g.row_count) OVER (PARTITION BY g.node, g."key_1", g."key_2", g.chunk) AS BIGINT) AS row_count,
              CAST(SUM(g.row_count) OVER (PARTITION BY g.node, g."key_1", g."key_2", g.chunk ORDER BY g.code ROWS UNBOUNDED PRECEDING) AS BIGINT) AS low_rows,
              CAST(SUM(g.bound) OVER (PARTITION BY g.node, g."key_1", g."key_2", g.chunk) AS BIGINT) AS bound,
              CAST(SUM(g.bound) OVER (PARTITION BY g.node, g."key_1", g."key_2", g.chunk ORDER BY g.code ROWS UNBOUNDED PRECEDING) AS BIGINT) AS low_bound
            FROM (
              SELECT
                v.node,
                q.chunk,
                a."key_1" & v."head_1" AS "key_1",
                a."key_2" & v."head_2" AS "key_2",
                CASE q.chunk WHEN 0 THEN a."key_1" & v."open_1" & CAST(3 AS BIGINT) WHEN 1 THEN a."key_1" & v."open_1" & CAST(4 AS BIGINT) WHEN 2 THEN a."key_2" & v."open_2" & CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END AS code,
                SUM(a.row_count * GREATEST(a.row_count, CAST(2 AS BIGINT))) AS bound,
                SUM(a.row_count) AS row_count,
                COUNT(*) AS tuples
              FROM (
                SELECT
                  v.node,
                  f."key_1" & v."all_1" AS "key_1",
                  f."key_2" & v."all_2" AS "key_2",
                  CAST(SUM(f.row_count) AS BIGINT) AS row_count
                FROM "all;set" AS f
                CROSS JOIN (VALUES (0, CAST(? AS BIGINT), CAST(? AS BIGINT)), (1, CAST(? AS BIGINT), CAST(? AS BIGINT))) AS v (node, "all_1", "all_2")
                GROUP BY 1, 2, 3
              ) AS a
              JOIN (VALUES (0, CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT)), (1, CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT))) AS v (node, "head_1", "head_2", "open_1", "open_2")
                ON v.node = a.node
              CROSS JOIN (VALUES (-1), (0), (1), (2)) AS q (chunk)
              WHERE CASE q.chunk WHEN 0 THEN v."open_1" & CAST(3 AS BIGINT) WHEN 1 THEN v."open_1" & CAST(4 AS BIGINT) WHEN 2 THEN v."open_2" & CAST(1 AS BIGINT) ELSE CAST(1 AS BIGINT) END <> 0
              GROUP BY 1, 2, 3, 4, 5
            ) AS g
          ) AS w
          WHERE w.chunk = -1 OR (w.next_code IS NOT NULL AND w.row_count >= 2)
        ) AS n
      ) AS p
    ) AS b
  ) AS h
  GROUP BY h.node, h.chunk, h.code, h.next_code
) AS s
JOIN "let'ters" AS l
  ON l.chunk = s.chunk AND (s.code & l.letter_bit) = 0 AND (s.next_code & l.letter_bit) <> 0
GROUP BY s.node, l.letter

-- signature_groups
CREATE TEMP TABLE "sig;ned groups" AS
SELECT
  c.class_id,
  c.step,
  c.signature,
  c.people,
  c.times,
  CASE
    WHEN c.signature = '' THEN 0
    WHEN c.people < 2 THEN c.people
    WHEN c.missing > 0 AND c.place = 1 THEN c.joining
    ELSE 0
  END AS emptied
FROM (
  SELECT
    b.*,
    ROW_NUMBER() OVER (
      PARTITION BY b.class_id, b.step
      ORDER BY CASE WHEN b.is_kept = 1 THEN 0 ELSE 1 END, b.joining * b.times, b.signature
    ) AS place
  FROM (
    SELECT
      a.*,
      CASE WHEN a.people - a.missing >= 2 THEN a.missing ELSE a.people END AS joining
    FROM (
      SELECT
        g.*,
        CASE WHEN g.empty > 0 AND g.empty < 2 THEN 2 - g.empty ELSE 0 END AS missing
      FROM (
        SELECT
          e.*,
          SUM(CASE WHEN e.is_kept = 1 THEN 0 ELSE e.people END) OVER (PARTITION BY e.class_id, e.step) AS empty
        FROM (
          SELECT
            s.class_id,
            s.step,
            s.signature,
            COUNT(*) AS people,
            MAX(s.times) AS times,
            CASE WHEN s.signature <> '' AND COUNT(*) >= 2 THEN 1 ELSE 0 END AS is_kept
          FROM "sig;ned signed" AS s
          GROUP BY s.class_id, s.step, s.signature
        ) AS e
      ) AS g
    ) AS a
  ) AS b
) AS c

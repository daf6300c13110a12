-- splits_by_loss
SELECT
  r.part,
  r.low,
  r.high,
  r.place,
  r.gain,
  r.all_rows
FROM (
  SELECT
    v.*,
    ROW_NUMBER() OVER (PARTITION BY v.part ORDER BY v.gain DESC, v.place) AS choice
  FROM (
    SELECT
      s.part,
      s.low,
      s.high,
      s.place,
      s.all_rows,
      s.all_rows * CASE WHEN s.low < 0 THEN 1000000000 ELSE CAST(FLOOR((s.greatest - s.smallest) / s.span * 1000000000 + 0.5) AS BIGINT) END
        - s.lower_rows * CASE WHEN s.low = s.place THEN 0 WHEN s.low < 0 THEN 1000000000 ELSE CAST(FLOOR((s.measure - s.smallest) / s.span * 1000000000 + 0.5) AS BIGINT) END
        - (s.all_rows - s.lower_rows) * CASE WHEN s.next_place = s.high THEN 0 ELSE CAST(FLOOR((s.greatest - s.next_measure) / s.span * 1000000000 + 0.5) AS BIGINT) END AS gain
    FROM (
      SELECT
        i.part,
        i.place,
        i.measure,
        i.span,
        MIN(i.place) OVER (PARTITION BY i.part) AS low,
        MAX(i.place) OVER (PARTITION BY i.part) AS high,
        MIN(i.measure) OVER (PARTITION BY i.part) AS smallest,
        MAX(i.measure) OVER (PARTITION BY i.part) AS greatest,
        LEAD(i.place) OVER (PARTITION BY i.part ORDER BY i.place) AS next_place,
        LEAD(i.measure) OVER (PARTITION BY i.part ORDER BY i.place) AS next_measure,
        CAST(SUM(i.row_count) OVER (PARTITION BY i.part) AS BIGINT) AS all_rows,
        CAST(SUM(i.row_count) OVER (PARTITION BY i.part ORDER BY i.place) AS BIGINT) AS lower_rows
      FROM (
        SELECT
          CASE
            WHEN m.place BETWEEN -1 AND 0 THEN -1
            WHEN m.place BETWEEN 1 AND 3 THEN 1
          END AS part,
          m.place,
          m.measure,
          m.span,
          m.row_count
        FROM "counts of a line; --" AS m
        WHERE m.place BETWEEN -1 AND 0 OR m.place BETWEEN 1 AND 3
      ) AS i
    ) AS s
    WHERE s.lower_rows >= 2 AND s.all_rows - s.lower_rows >= 2
  ) AS v
) AS r
WHERE r.choice = 1
ORDER BY r.part

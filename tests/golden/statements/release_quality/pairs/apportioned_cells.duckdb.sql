-- apportioned_cells
CREATE TEMP TABLE "measu'red cells of values" AS
SELECT
  p.first_quasi,
  p.second_quasi,
  a.bin AS first_bin,
  b.bin AS second_bin,
  CAST(1 AS DOUBLE) * SUM(p.own_rows) AS own_rows,
  CAST(1 AS DOUBLE) * SUM(p.shown_rows) AS expected,
  CAST(1 AS DOUBLE) * SUM(p.shown_rows) AS plain
FROM (
  SELECT
    first_quasi,
    second_quasi,
    first_place,
    second_place,
    row_count AS own_rows,
    row_count AS shown_rows
  FROM "pa'irs" AS c
  WHERE first_quasi < second_quasi
  UNION ALL
  SELECT
    first_quasi,
    second_quasi,
    first_place,
    second_place,
    CAST(0 AS BIGINT) AS own_rows,
    row_count AS shown_rows
  FROM "mo're" AS c
  WHERE first_quasi < second_quasi
) AS p
JOIN "measu'red packed bins" AS a ON a.quasi = p.first_quasi AND a.code = p.first_place
JOIN "measu'red packed bins" AS b ON b.quasi = p.second_quasi AND b.code = p.second_place
GROUP BY p.first_quasi, p.second_quasi, a.bin, b.bin

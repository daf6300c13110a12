-- Macros of kanon-sql for DuckDB: load them with .read. `src` is a table as you write it after FROM, such as 'visits' or
-- '''visits.parquet'''; `cols` is a list of its columns, such as ['sex', 'age']. A column that is not there is an error.

-- Every class of rows with the same values in the columns, NULL being one, and its rows. Texts are compared by their bytes.
CREATE OR REPLACE MACRO kanon_classes(src, cols) AS TABLE
  SELECT class_size
  FROM query(
    'SELECT COUNT(*) AS class_size FROM ' || src || ' AS t GROUP BY ' || array_to_string(
      list_transform(
        cols,
        lambda c: 't."' || replace(c, '"', '""') || '", encode(CAST(t."' || replace(c, '"', '""') || '" AS VARCHAR))'
      ),
      ', '
    )
  );

-- The rows of the smallest class: the table is k-anonymous over the columns for each k up to it. NULL without rows.
CREATE OR REPLACE MACRO kanon_k(src, cols) AS (SELECT MIN(class_size) FROM kanon_classes(src, cols));

-- Whether every class has at least k rows, and how many classes and rows fall short. A table without rows does not pass.
CREATE OR REPLACE MACRO kanon_check(src, cols, k) AS TABLE
  SELECT
    COALESCE(MIN(class_size) >= k, FALSE) AS passed,
    CAST(COALESCE(SUM(class_size), 0) AS BIGINT) AS "rows",
    COUNT(*) AS classes,
    MIN(class_size) AS smallest_class,
    COUNT(*) FILTER (WHERE class_size < k) AS short_classes,
    CAST(COALESCE(SUM(class_size) FILTER (WHERE class_size < k), 0) AS BIGINT) AS short_rows
  FROM kanon_classes(src, cols);

-- The risk of a person in the table who is looked for by these columns (prosecutor): the highest, and the mean over rows.
CREATE OR REPLACE MACRO kanon_risk(src, cols) AS TABLE
  SELECT
    CAST(COALESCE(SUM(class_size), 0) AS BIGINT) AS "rows",
    COUNT(*) AS classes,
    COUNT(*) FILTER (WHERE class_size = 1) AS unique_rows,
    1.0::DOUBLE / MIN(class_size) AS highest_risk,
    COUNT(*)::DOUBLE / SUM(class_size) AS average_risk
  FROM kanon_classes(src, cols);

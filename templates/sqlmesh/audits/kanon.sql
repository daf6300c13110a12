-- The audits of kanon-sql, for the folder audits/ of a SQLMesh project.
-- A failure has a salted hash of its class, sizes and the names of columns, and never a value.

-- Every class over `columns` holds at least k rows, or k values of `entity`. NULL is a value of its own, or,
-- with nulls := 'refuse', a fault.
AUDIT (
  name kanon_k_anonymity,
  defaults (
    entity = NULL,
    nulls = 'category'
  )
);

SELECT
  MD5(s.salt || @REDUCE(@EACH(@columns, x -> COALESCE(CAST(LENGTH(CAST(c.x AS TEXT)) AS TEXT) || ':' || CAST(c.x AS TEXT), '-')), (x, y) -> x || y)) AS class_hash,
  c.class_size AS class_size,
  @k AS least,
  @REDUCE(@EACH(@columns, x -> @'@x'), (x, y) -> x || ', ' || y) AS quasi_identifiers
FROM (
  SELECT
    @EACH(@columns, x -> x),
    @IF(@entity IS NULL, COUNT(*), COUNT(DISTINCT @entity)) AS class_size
  FROM @this_model
  GROUP BY @EACH(@columns, x -> x)
) AS c
CROSS JOIN (SELECT CAST(RANDOM() AS TEXT) || CAST(RANDOM() AS TEXT) AS salt) AS s
WHERE c.class_size < @k
  OR NOT @nulls IN ('category', 'refuse')
  OR (@nulls = 'refuse' AND (@OR(@EACH(@columns, x -> c.x IS NULL))));

-- Every class over `columns` has at least l values of the `sensitive` column (distinct l-diversity). NULL, which is
-- unknown, is none of them, or, with sensitive_nulls := 'value', one.
AUDIT (
  name kanon_l_diversity,
  defaults (
    nulls = 'category',
    sensitive_nulls = 'not_counted'
  )
);

SELECT
  MD5(s.salt || @REDUCE(@EACH(@columns, x -> COALESCE(CAST(LENGTH(CAST(c.x AS TEXT)) AS TEXT) || ':' || CAST(c.x AS TEXT), '-')), (x, y) -> x || y)) AS class_hash,
  c.class_size AS class_size,
  c.distinct_values AS distinct_values,
  @l AS least,
  @'@sensitive' AS sensitive_column,
  @REDUCE(@EACH(@columns, x -> @'@x'), (x, y) -> x || ', ' || y) AS quasi_identifiers
FROM (
  SELECT
    @EACH(@columns, x -> x),
    COUNT(*) AS class_size,
    COUNT(DISTINCT @sensitive) + MAX(CASE WHEN @sensitive IS NULL AND @sensitive_nulls = 'value' THEN 1 ELSE 0 END) AS distinct_values
  FROM @this_model
  GROUP BY @EACH(@columns, x -> x)
) AS c
CROSS JOIN (SELECT CAST(RANDOM() AS TEXT) || CAST(RANDOM() AS TEXT) AS salt) AS s
WHERE c.distinct_values < @l
  OR NOT @nulls IN ('category', 'refuse')
  OR NOT @sensitive_nulls IN ('not_counted', 'value')
  OR (@nulls = 'refuse' AND (@OR(@EACH(@columns, x -> c.x IS NULL))));

-- Not more rows of `source` are missing from a release than `at_most`: a number of rows, or a share as '4%'.
AUDIT (name kanon_suppression);

SELECT
  c.source_rows AS source_rows,
  c.source_rows - c.released_rows AS suppressed_rows,
  c.most AS most
FROM (
  SELECT
    s.source_rows AS source_rows,
    r.released_rows AS released_rows,
    CASE
      WHEN REPLACE(CAST(@at_most AS TEXT), '%', '') <> CAST(@at_most AS TEXT)
      THEN FLOOR(s.source_rows * CAST(REPLACE(CAST(@at_most AS TEXT), '%', '') AS DECIMAL(9, 4)) / 100)
      ELSE CAST(REPLACE(CAST(@at_most AS TEXT), '%', '') AS DECIMAL(18, 0))
    END AS most
  FROM (SELECT COUNT(*) AS source_rows FROM @source) AS s
  CROSS JOIN (SELECT COUNT(*) AS released_rows FROM @this_model) AS r
) AS c
WHERE c.source_rows - c.released_rows > c.most OR c.source_rows < c.released_rows;

-- A model has the columns that were classified, and no other: on a source, this stops the project before a release is made of it.
-- `listed_in` is where the database lists columns: in DuckDB, system.information_schema.columns.
AUDIT (
  name kanon_classified,
  defaults (
    listed_in = information_schema.columns
  )
);

SELECT
  l.column_name AS column_name,
  'is a column that nothing is said of' AS what
FROM @listed_in AS l
WHERE l.table_catalog = @resolve_template('@{catalog_name}')
  AND l.table_schema = @resolve_template('@{schema_name}')
  AND l.table_name = @resolve_template('@{table_name}')
  AND NOT LOWER(l.column_name) IN (@EACH(@columns, x -> LOWER(@'@x')))
UNION ALL
SELECT
  CAST(NULL AS TEXT) AS column_name,
  'columns that something is said of are gone, or there twice' AS what
FROM (
  SELECT COUNT(*) AS there
  FROM @listed_in AS l
  WHERE l.table_catalog = @resolve_template('@{catalog_name}')
    AND l.table_schema = @resolve_template('@{schema_name}')
    AND l.table_name = @resolve_template('@{table_name}')
    AND LOWER(l.column_name) IN (@EACH(@columns, x -> LOWER(@'@x')))
) AS f
WHERE f.there <> @REDUCE(@EACH(@columns, x -> 1), (x, y) -> x + y);

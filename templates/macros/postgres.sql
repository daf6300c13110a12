-- Functions of kanon-sql for PostgreSQL: load them with \i. `src` is a table, such as 'visits'; `cols` is an array of its
-- columns, such as ARRAY['sex', 'age']. A column that is not there is an error.

-- Every class of rows with the same values in the columns, NULL being one, and its rows. Values are compared as texts, by bytes.
CREATE OR REPLACE FUNCTION kanon_classes(src regclass, cols text[]) RETURNS TABLE (class_size bigint)
LANGUAGE plpgsql STABLE AS $kanon$
BEGIN
  IF COALESCE(cardinality(cols), 0) = 0 THEN
    RAISE EXCEPTION 'name at least one column';
  END IF;
  RETURN QUERY EXECUTE 'SELECT COUNT(*) FROM ' || src || ' AS t GROUP BY ' || (
    SELECT string_agg('CAST(t.' || quote_ident(c) || ' AS text) COLLATE "C"', ', ') FROM unnest(cols) AS u (c)
  );
END
$kanon$;

-- The rows of the smallest class: the table is k-anonymous over the columns for each k up to it. NULL without rows.
CREATE OR REPLACE FUNCTION kanon_k(src regclass, cols text[]) RETURNS bigint
LANGUAGE sql STABLE AS $kanon$ SELECT MIN(class_size) FROM kanon_classes(src, cols) $kanon$;

-- Whether every class has at least k rows, and how many classes and rows fall short. A table without rows does not pass.
CREATE OR REPLACE FUNCTION kanon_check(src regclass, cols text[], k bigint)
RETURNS TABLE (passed boolean, rows bigint, classes bigint, smallest_class bigint, short_classes bigint, short_rows bigint)
LANGUAGE sql STABLE AS $kanon$
  SELECT
    COALESCE(MIN(class_size) >= k, FALSE),
    CAST(COALESCE(SUM(class_size), 0) AS bigint),
    COUNT(*),
    MIN(class_size),
    COUNT(*) FILTER (WHERE class_size < k),
    CAST(COALESCE(SUM(class_size) FILTER (WHERE class_size < k), 0) AS bigint)
  FROM kanon_classes(src, cols)
$kanon$;

-- The risk of a person in the table who is looked for by these columns (prosecutor): the highest, and the mean over rows.
CREATE OR REPLACE FUNCTION kanon_risk(src regclass, cols text[])
RETURNS TABLE (rows bigint, classes bigint, unique_rows bigint, highest_risk double precision, average_risk double precision)
LANGUAGE sql STABLE AS $kanon$
  SELECT
    CAST(COALESCE(SUM(class_size), 0) AS bigint),
    COUNT(*),
    COUNT(*) FILTER (WHERE class_size = 1),
    CAST(1 AS double precision) / MIN(class_size),
    CAST(COUNT(*) AS double precision) / CAST(SUM(class_size) AS double precision)
  FROM kanon_classes(src, cols)
$kanon$;

-- survey_files
WITH footers AS MATERIALIZED (
  SELECT file_name, name, duckdb_type, num_children, ROW_NUMBER() OVER () AS place
  FROM parquet_schema('par[t]s/**/*.parquet')
),
files AS MATERIALIZED (
  SELECT DISTINCT file_name
  FROM footers
)
SELECT
  kind,
  MIN(label) AS label,
  COUNT(DISTINCT file_name) AS files,
  (SELECT COUNT(*) FROM files) AS all_files,
  COALESCE(LIST(DISTINCT type ORDER BY type) FILTER (type IS NOT NULL), []) AS types,
  COUNT(DISTINCT label) AS spellings
FROM (
  SELECT
    'column' AS kind,
    file_name,
    MIN(place) AS place,
    FIRST(name ORDER BY place) AS label,
    STRING_AGG(COALESCE(duckdb_type, name), ' ' ORDER BY place) AS type
  FROM (
    SELECT *, SUM(CAST(is_column AS INTEGER)) OVER (PARTITION BY file_name ORDER BY place) AS number
    FROM (
      SELECT
        *,
        pending < COALESCE(
          MIN(pending) OVER (PARTITION BY file_name ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
          pending + 1
        ) AS is_column
      FROM (
        SELECT
          *,
          1 + SUM(COALESCE(num_children, 0) - 1) OVER (
            PARTITION BY file_name ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
          ) AS pending
        FROM footers AS s
      ) AS p
      WHERE pending IS NOT NULL
    ) AS c
  ) AS n
  GROUP BY file_name, number
  UNION ALL
  SELECT
    CASE
      WHEN regexp_full_match(part, '[^=]+=[^=]*') AND NOT is_file THEN 'partition'
      WHEN part LIKE '.%' OR (part LIKE '!_%' ESCAPE '!' AND part NOT LIKE '%=%') THEN 'hidden'
    END AS kind,
    file_name,
    place,
    CASE WHEN NOT is_file AND part LIKE '%=%' THEN SPLIT_PART(part, '=', 1) END AS label,
    NULL AS type
  FROM (
    SELECT
      file_name,
      UNNEST(parts) AS part,
      UNNEST(range(LENGTH(parts))) AS place,
      UNNEST(range(LENGTH(parts))) = LENGTH(parts) - 1 AS is_file
    FROM (
      SELECT file_name, string_split_regex(file_name, '/+')[1 + 1:] AS parts
      FROM files AS f
    ) AS d
  ) AS u
) AS t
WHERE kind IS NOT NULL
GROUP BY kind, LOWER(label)
QUALIFY
  kind <> 'column' OR files < all_files OR LENGTH(types) > 1 OR spellings > 1
  OR COUNT(*) OVER (PARTITION BY LOWER(label)) > 1
ORDER BY kind, MIN(place), label

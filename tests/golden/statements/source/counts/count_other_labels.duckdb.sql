-- count_other_labels
SELECT
  COUNT(*) AS row_count,
  COUNT(*) FILTER (
    CASE
      WHEN own IS NULL OR label IS NULL THEN (own IS NULL) <> (label IS NULL)
      ELSE COALESCE(TRY_CAST(label AS VARCHAR) <> own, TRUE) AND CAST(own AS VARCHAR) <> label
    END
  ) AS other_rows
FROM (
  SELECT
    "f"."na'me" AS own,
    NULLIF(url_decode(regexp_extract(f.kanon_file, '.*/ward\ 🏥=([^/]*)/', 1)), '__HIVE_DEFAULT_PARTITION__') AS label
  FROM read_parquet(
    'par[t]s/**/*.parquet',
    union_by_name = TRUE,
    hive_partitioning = FALSE,
    filename = 'kanon_file'
  ) AS f
) AS r

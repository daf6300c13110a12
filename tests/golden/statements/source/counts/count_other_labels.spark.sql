-- count_other_labels
SELECT
  COUNT(*) AS row_count,
  COUNT_IF(
    CASE
      WHEN own IS NULL OR label IS NULL THEN (own IS NULL) <> (label IS NULL)
      ELSE COALESCE(TRY_CAST(label AS VARCHAR) <> own, TRUE) AND CAST(own AS STRING) <> label
    END
  ) AS other_rows
FROM (
  SELECT
    `f`.`na'me` AS own,
    NULLIF(
      url_decode(REPLACE(url_decode(REPLACE(regexp_extract(input_file_name(), '.*/ward\\ 🏥=([^/]*)/', 1), '+', '%2B')), '+', '%2B')),
      '__HIVE_DEFAULT_PARTITION__'
    ) AS label
  FROM `the source; DROP TABLE x` AS f
) AS r

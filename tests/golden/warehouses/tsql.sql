WITH [kanon_map_0] AS (
  SELECT
    CAST(N'it''s' AS NVARCHAR(MAX)) AS [value],
    CAST(N'per\son' AS NVARCHAR(MAX)) AS [label]
  UNION ALL
  SELECT
    N'm',
    CAST(NULL AS NVARCHAR(MAX))
), [kanon_map_1] AS (
  SELECT
    [value] AS [value],
    [level_1] AS [label]
  FROM [own].[jobs] AS [h]
  WHERE
    NOT [value] IS NULL
), [kanon_source] AS (
  SELECT
    [s].[se"x `]]; --] AS [in_0],
    [s].[job] AS [in_1],
    [s].[age] AS [in_2],
    [s].[born] AS [in_3],
    [s].[ward] AS [in_4],
    [s].[name] AS [in_5],
    [s].[disease] AS [in_6],
    [s].[who] AS [kanon_entity],
    [s].[disease] AS [kanon_spread_1]
  FROM [src].[people] AS [s]
  WHERE
    (
      [ward] <> 4 OR [ward] IS NULL
    )
), [kanon_placed] AS (
  SELECT
    [s].*,
    CAST([s].[in_2] AS BIGINT) AS [place_2],
    CAST(DATEPART(YEAR, CAST([s].[in_3] AS DATE)) AS INTEGER) AS [year_3],
    CAST(DATEPART(MONTH, CAST([s].[in_3] AS DATE)) AS INTEGER) AS [month_3],
    CAST(DATEPART(DAY, CAST([s].[in_3] AS DATE)) AS INTEGER) AS [day_3]
  FROM [kanon_source] AS [s]
), [kanon_started] AS (
  SELECT
    [s].*,
    [place_2] - (
      (
        [place_2] - 0
      ) % 10 + 10
    ) % 10 AS [start_2]
  FROM [kanon_placed] AS [s]
), [kanon_recoded] AS (
  SELECT
    CASE WHEN [s].[in_0] IS NULL THEN N'*' ELSE [q0].[label] END AS [out_0],
    CASE
      WHEN [s].[in_1] IS NULL
      THEN (
        SELECT
          MAX([n].[level_1])
        FROM [own].[jobs] AS [n]
        WHERE
          [n].[value] IS NULL
      )
      ELSE [q1].[label]
    END AS [out_1],
    CASE
      WHEN [place_2] IS NULL
      THEN NULL
      WHEN [place_2] < 20
      THEN N'< 20'
      WHEN [place_2] >= 60
      THEN N'>= 60'
      ELSE N'[' + CAST(CASE WHEN [start_2] < 20 THEN 20 ELSE [start_2] END AS NVARCHAR(MAX)) + N', ' + CAST(CASE WHEN [start_2] + 10 > 60 THEN 60 ELSE [start_2] + 10 END AS NVARCHAR(MAX)) + N')'
    END AS [out_2],
    CASE
      WHEN [year_3] IS NULL
      THEN NULL
      ELSE SUBSTRING(CAST(10000 + [year_3] AS NVARCHAR(MAX)), 2, 4) + N'-' + SUBSTRING(CAST(100 + [month_3] AS NVARCHAR(MAX)), 2, 2)
    END AS [out_3],
    CAST(N'*' AS NVARCHAR(MAX)) AS [out_4],
    CASE WHEN 1 = 0 THEN [s].[in_5] END AS [out_5],
    [s].[in_6] AS [out_6],
    [s].[kanon_entity] AS [kanon_entity],
    [s].[kanon_spread_1] AS [kanon_spread_1],
    CASE
      WHEN 1 = 0
      THEN 1
      WHEN NOT [s].[in_0] IS NULL AND [q0].[value] IS NULL
      THEN 1
      WHEN NOT [s].[in_1] IS NULL AND [q1].[value] IS NULL
      THEN 1
      WHEN NOT [s].[in_2] IS NULL
      AND (
        [place_2] IS NULL
        OR CAST([place_2] AS NVARCHAR(MAX)) <> CAST([s].[in_2] AS NVARCHAR(MAX))
        OR [place_2] >= 1000000000000000
        OR [place_2] <= -1000000000000000
      )
      THEN 1
      WHEN NOT [s].[in_3] IS NULL
      AND (
        [year_3] IS NULL
        OR [year_3] < 0
        OR [year_3] > 9999
        OR SUBSTRING(CAST([s].[in_3] AS NVARCHAR(MAX)), 1, 10) <> SUBSTRING(CAST(10000 + [year_3] AS NVARCHAR(MAX)), 2, 4) + N'-' + SUBSTRING(CAST(100 + [month_3] AS NVARCHAR(MAX)), 2, 2) + N'-' + SUBSTRING(CAST(100 + [day_3] AS NVARCHAR(MAX)), 2, 2)
      )
      THEN 1
      ELSE 0
    END AS [kanon_lost]
  FROM [kanon_started] AS [s]
  LEFT JOIN [kanon_map_0] AS [q0]
    ON CAST([q0].[value] + N'.' AS VARBINARY(MAX)) = CAST(CAST([s].[in_0] AS NVARCHAR(MAX)) + N'.' AS VARBINARY(MAX))
  LEFT JOIN [kanon_map_1] AS [q1]
    ON CAST([q1].[value] + N'.' AS VARBINARY(MAX)) = CAST(CAST([s].[in_1] AS NVARCHAR(MAX)) + N'.' AS VARBINARY(MAX))
), [kanon_keyed] AS (
  SELECT
    [r].*,
    CAST(CASE
      WHEN [r].[out_0] IS NULL
      THEN N'n'
      ELSE N'v' + CAST([r].[out_0] AS NVARCHAR(MAX)) + N'.'
    END AS VARBINARY(MAX)) AS [key_0],
    CAST(CASE
      WHEN [r].[out_1] IS NULL
      THEN N'n'
      ELSE N'v' + CAST([r].[out_1] AS NVARCHAR(MAX)) + N'.'
    END AS VARBINARY(MAX)) AS [key_1],
    CAST(CASE
      WHEN [r].[out_2] IS NULL
      THEN N'n'
      ELSE N'v' + CAST([r].[out_2] AS NVARCHAR(MAX)) + N'.'
    END AS VARBINARY(MAX)) AS [key_2],
    CAST(CASE
      WHEN [r].[out_3] IS NULL
      THEN N'n'
      ELSE N'v' + CAST([r].[out_3] AS NVARCHAR(MAX)) + N'.'
    END AS VARBINARY(MAX)) AS [key_3],
    CAST(CASE
      WHEN [r].[out_4] IS NULL
      THEN N'n'
      ELSE N'v' + CAST([r].[out_4] AS NVARCHAR(MAX)) + N'.'
    END AS VARBINARY(MAX)) AS [key_4]
  FROM [kanon_recoded] AS [r]
), [kanon_classes] AS (
  SELECT
    [r].[key_0] AS [key_0],
    [r].[out_0] AS [out_0],
    [r].[key_1] AS [key_1],
    [r].[out_1] AS [out_1],
    [r].[key_2] AS [key_2],
    [r].[out_2] AS [out_2],
    [r].[key_3] AS [key_3],
    [r].[out_3] AS [out_3],
    [r].[key_4] AS [key_4],
    [r].[out_4] AS [out_4],
    COUNT_BIG(*) AS [class_rows]
  FROM [kanon_keyed] AS [r]
  WHERE
    [r].[kanon_lost] = 0
  GROUP BY
    [r].[key_0],
    [r].[out_0],
    [r].[key_1],
    [r].[out_1],
    [r].[key_2],
    [r].[out_2],
    [r].[key_3],
    [r].[out_3],
    [r].[key_4],
    [r].[out_4]
  HAVING
    COUNT_BIG(DISTINCT [r].[kanon_entity]) >= 5
    AND COUNT_BIG(DISTINCT [r].[kanon_spread_1]) >= 2
), [kanon_staged] AS (
  SELECT
    [r].[out_0] AS [out_0],
    [r].[out_1] AS [out_1],
    [r].[out_2] AS [out_2],
    [r].[out_3] AS [out_3],
    [r].[out_4] AS [out_4],
    [r].[out_5] AS [out_5],
    [r].[out_6] AS [out_6],
    [r].[kanon_entity] AS [kanon_entity],
    [r].[kanon_spread_1] AS [kanon_spread_1],
    1 AS [kanon_one]
  FROM [kanon_keyed] AS [r]
  JOIN [kanon_classes] AS [c]
    ON [r].[key_0] = [c].[key_0]
    AND (
      [r].[out_0] = [c].[out_0] OR (
        [r].[out_0] IS NULL AND [c].[out_0] IS NULL
      )
    )
    AND [r].[key_1] = [c].[key_1]
    AND (
      [r].[out_1] = [c].[out_1] OR (
        [r].[out_1] IS NULL AND [c].[out_1] IS NULL
      )
    )
    AND [r].[key_2] = [c].[key_2]
    AND (
      [r].[out_2] = [c].[out_2] OR (
        [r].[out_2] IS NULL AND [c].[out_2] IS NULL
      )
    )
    AND [r].[key_3] = [c].[key_3]
    AND (
      [r].[out_3] = [c].[out_3] OR (
        [r].[out_3] IS NULL AND [c].[out_3] IS NULL
      )
    )
    AND [r].[key_4] = [c].[key_4]
    AND (
      [r].[out_4] = [c].[out_4] OR (
        [r].[out_4] IS NULL AND [c].[out_4] IS NULL
      )
    )
  WHERE
    [r].[kanon_lost] = 0
), [kanon_recount] AS (
  SELECT
    COALESCE(SUM([g].[class_rows]), 0) AS [row_count],
    COALESCE(
      SUM(CASE WHEN [kanon_measure_0] >= 5 AND [kanon_measure_1] >= 2 THEN 0 ELSE 1 END),
      0
    ) AS [short_classes]
  FROM (
    SELECT
      COUNT_BIG(*) AS [class_rows],
      COUNT_BIG(DISTINCT [t].[kanon_entity]) AS [kanon_measure_0],
      COUNT_BIG(DISTINCT [t].[kanon_spread_1]) AS [kanon_measure_1]
    FROM [kanon_staged] AS [t]
    GROUP BY
      [t].[out_0],
      CAST(CAST([t].[out_0] AS NVARCHAR(MAX)) + N'.' AS VARBINARY(MAX)),
      [t].[out_1],
      CAST(CAST([t].[out_1] AS NVARCHAR(MAX)) + N'.' AS VARBINARY(MAX)),
      [t].[out_2],
      CAST(CAST([t].[out_2] AS NVARCHAR(MAX)) + N'.' AS VARBINARY(MAX)),
      [t].[out_3],
      CAST(CAST([t].[out_3] AS NVARCHAR(MAX)) + N'.' AS VARBINARY(MAX)),
      [t].[out_4],
      CAST(CAST([t].[out_4] AS NVARCHAR(MAX)) + N'.' AS VARBINARY(MAX))
  ) AS [g]
), [kanon_counts] AS (
  SELECT
    [o].[row_count] AS [source_rows],
    [l].[row_count] AS [recoded_rows],
    [l].[lost_rows] AS [lost_rows],
    [v].[row_count] AS [staged_rows],
    [v].[short_classes] AS [short_classes]
  FROM (
    SELECT
      COUNT_BIG(*) AS [row_count]
    FROM [kanon_source] AS [s]
  ) AS [o]
  CROSS JOIN (
    SELECT
      COUNT_BIG(*) AS [row_count],
      COALESCE(SUM([r].[kanon_lost]), 0) AS [lost_rows]
    FROM [kanon_recoded] AS [r]
  ) AS [l]
  CROSS JOIN [kanon_recount] AS [v]
), [kanon_verdict] AS (
  SELECT
    CAST(CASE
      WHEN [n].[lost_rows] > 0 OR [n].[recoded_rows] <> [n].[source_rows]
      THEN N'the source has rows without a place in the hierarchies; rows: ' + CAST([n].[lost_rows] AS NVARCHAR(MAX))
      WHEN CAST([n].[source_rows] - [n].[staged_rows] AS BIGINT) * 8 > CAST([n].[source_rows] AS BIGINT) * 1
      THEN N'more rows would be suppressed than the policy allows; rows: ' + CAST([n].[source_rows] - [n].[staged_rows] AS NVARCHAR(MAX))
      WHEN [n].[short_classes] > 0 OR [n].[staged_rows] = 0
      THEN N'the staged rows fail their recount; classes: ' + CAST([n].[short_classes] AS NVARCHAR(MAX))
      ELSE N'1'
    END AS INTEGER) AS [kanon_one]
  FROM [kanon_counts] AS [n]
)
SELECT
  *
INTO [out].[people_k5]
FROM (
  SELECT
    [t].[out_0] AS [se"x `]]; --],
    [t].[out_1] AS [job],
    [t].[out_2] AS [age],
    [t].[out_3] AS [born],
    [t].[out_4] AS [ward],
    [t].[out_5] AS [name],
    [t].[out_6] AS [disease]
  FROM [kanon_verdict] AS [v]
  LEFT JOIN [kanon_staged] AS [t]
    ON [t].[kanon_one] = [v].[kanon_one]
  WHERE
    [v].[kanon_one] = 1
) AS [temp]

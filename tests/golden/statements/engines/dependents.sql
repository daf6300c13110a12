-- duckdb
SELECT
  'column' AS kind,
  c.column_name AS own_name,
  [c.column_name] AS columns,
  CASE WHEN i.is_generated = 'ALWAYS' THEN NULL ELSE c.column_default END AS text,
  c.comment,
  COALESCE(i.is_generated = 'ALWAYS', FALSE) AS mark
FROM duckdb_columns() AS c
LEFT JOIN information_schema.columns AS i
  ON i.table_catalog = c.database_name AND i.table_schema = c.schema_name
    AND i.table_name = c.table_name AND i.column_name = c.column_name
WHERE c.database_name = current_database() AND LOWER(c.schema_name) = LOWER('main') AND LOWER(c.table_name) = LOWER('re"lease')
UNION ALL
SELECT
  CASE k.constraint_type WHEN 'NOT NULL' THEN 'not null' ELSE 'constraint' END,
  k.constraint_name,
  k.constraint_column_names,
  k.constraint_text,
  NULL,
  k.constraint_type IN ('PRIMARY KEY', 'UNIQUE')
FROM duckdb_constraints() AS k
WHERE k.database_name = current_database() AND LOWER(k.schema_name) = LOWER('main') AND LOWER(k.table_name) = LOWER('re"lease')
UNION ALL
SELECT 'foreign key', concat_ws('.', k.schema_name, k.table_name), k.constraint_column_names, k.constraint_text, NULL, FALSE
FROM duckdb_constraints() AS k
WHERE k.database_name = current_database() AND k.constraint_type = 'FOREIGN KEY' AND LOWER(k.referenced_table) = LOWER('re"lease')
UNION ALL
SELECT 'index', i.index_name, NULL, i.sql, i.comment, i.is_unique
FROM duckdb_indexes() AS i
WHERE i.database_name = current_database() AND LOWER(i.schema_name) = LOWER('main') AND LOWER(i.table_name) = LOWER('re"lease')
UNION ALL
SELECT DISTINCT 'type', concat_ws('.', t.schema_name, t.type_name), NULL, NULL, NULL, FALSE
FROM duckdb_types() AS t
JOIN duckdb_columns() AS c
  ON STARTS_WITH(c.data_type, concat('ENUM(', array_to_string(list_transform(t.labels, lambda label: concat('''', replace(label, '''', ''''''), '''')), ', '), ')'))
WHERE t.logical_type = 'ENUM' AND NOT t.internal AND c.database_name = current_database()
  AND LOWER(c.schema_name) = LOWER('main') AND LOWER(c.table_name) = LOWER('re"lease')
UNION ALL
SELECT 'view', concat_ws('.', v.schema_name, v.view_name), NULL, v.sql, NULL, FALSE
FROM duckdb_views() AS v
WHERE NOT v.internal AND CONTAINS(LOWER(v.sql), LOWER(REPLACE('re"lease', '"', '""')))
ORDER BY ALL

-- postgres
WITH RECURSIVE
partitions AS (
  SELECT c.oid, c.relkind, 0 AS depth
  FROM pg_class AS c
  WHERE c.oid = CAST('"main"."re""lease"' AS REGCLASS)
  UNION ALL
  SELECT c.oid, c.relkind, p.depth + 1
  FROM partitions AS p
  JOIN pg_inherits AS i ON i.inhparent = p.oid AND p.relkind = 'p'
  JOIN pg_class AS c ON c.oid = i.inhrelid
),
above AS (
  SELECT i.inhparent AS oid, 1 AS depth
  FROM pg_inherits AS i
  WHERE i.inhrelid = CAST('"main"."re""lease"' AS REGCLASS)
  UNION
  SELECT i.inhparent, above.depth + 1
  FROM pg_inherits AS i
  JOIN above ON above.oid = i.inhrelid
),
it AS (
  SELECT c.oid, c.relkind, c.reltype, c.reloftype, c.relowner, c.relispartition, c.relrowsecurity,
    n.nspname, c.relname, p.depth = 0 AS named,
    CASE WHEN p.depth = 0 THEN '' ELSE FORMAT(' of %I.%I', n.nspname, c.relname) END AS suffix
  FROM partitions AS p
  JOIN pg_class AS c ON c.oid = p.oid
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
),
att AS (
  SELECT a.*, it.named, it.suffix, it.nspname, it.relname
  FROM pg_attribute AS a
  JOIN it ON it.oid = a.attrelid
  WHERE a.attnum > 0 AND NOT a.attisdropped
),
part_key AS (
  SELECT DISTINCT CAST(a.attname AS TEXT) AS attname
  FROM pg_partitioned_table AS p
  JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE p.partrelid IN (SELECT oid FROM it UNION ALL SELECT oid FROM above)
    AND (
      a.attnum = ANY(CAST(STRING_TO_ARRAY(CAST(p.partattrs AS TEXT), ' ') AS SMALLINT[]))
      OR EXISTS (
        SELECT 1
        FROM pg_depend AS d
        WHERE d.classid = CAST('pg_class' AS REGCLASS) AND d.refclassid = CAST('pg_class' AS REGCLASS)
          AND d.objid = p.partrelid AND d.refobjid = p.partrelid AND d.deptype = 'i'
          AND a.attnum IN (d.objsubid, d.refobjsubid)
      )
    )
),
component_types AS (
  SELECT attnum, atttypid AS oid
  FROM pg_attribute
  WHERE attrelid = CAST('"main"."re""lease"' AS REGCLASS) AND attnum > 0 AND NOT attisdropped
  UNION
  SELECT m.attnum, n.oid
  FROM component_types AS m
  CROSS JOIN LATERAL (
    SELECT d.refobjid AS oid
    FROM pg_depend AS d
    WHERE d.objid = m.oid AND d.classid = CAST('pg_type' AS REGCLASS) AND d.refclassid = CAST('pg_type' AS REGCLASS)
    UNION ALL
    SELECT a.atttypid AS oid
    FROM pg_type AS t
    JOIN pg_attribute AS a ON a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE t.oid = m.oid
  ) AS n
),
reads AS (
  SELECT d.classid, d.objid, ARRAY_AGG(DISTINCT CAST(att.attname AS TEXT)) AS names
  FROM pg_depend AS d
  JOIN it ON it.oid = d.refobjid
  JOIN att ON att.attrelid = d.refobjid AND att.attnum = d.refobjsubid
  WHERE d.refclassid = CAST('pg_class' AS REGCLASS)
  GROUP BY d.classid, d.objid
),
rests AS (
  SELECT DISTINCT
    CASE WHEN r.oid IS NULL THEN d.classid ELSE CAST(CAST('pg_class' AS REGCLASS) AS OID) END AS classid,
    COALESCE(r.ev_class, d.objid) AS oid, d.refclassid, d.refobjid, r.oid AS rule
  FROM pg_depend AS d
  LEFT JOIN pg_rewrite AS r
    ON d.classid = CAST('pg_rewrite' AS REGCLASS) AND r.oid = d.objid AND r.rulename = '_RETURN'
  WHERE d.refclassid IN (CAST('pg_class' AS REGCLASS), CAST('pg_proc' AS REGCLASS), CAST('pg_operator' AS REGCLASS))
    AND (r.oid IS NOT NULL OR d.classid IN (CAST('pg_proc' AS REGCLASS), CAST('pg_operator' AS REGCLASS)))
    AND (d.refclassid <> CAST('pg_class' AS REGCLASS) OR d.refobjid IS DISTINCT FROM r.ev_class)
),
resting AS (
  SELECT rests.*, 1 AS depth
  FROM rests
  WHERE rests.refclassid = CAST('pg_class' AS REGCLASS)
    AND rests.refobjid IN (SELECT oid FROM it UNION ALL SELECT oid FROM above)
  UNION
  SELECT rests.*, resting.depth + 1
  FROM rests
  JOIN resting ON resting.classid = rests.refclassid AND resting.oid = rests.refobjid
  WHERE resting.depth < 64
),
objects AS (
  SELECT classid, oid, (PG_IDENTIFY_OBJECT(classid, oid, 0)).identity AS whole, MAX(depth) AS depth,
    ARRAY_AGG(DISTINCT (PG_IDENTIFY_OBJECT(refclassid, refobjid, 0)).identity) AS bases, MAX(rule) AS rule
  FROM resting
  GROUP BY classid, oid
),
filled AS (
  SELECT it.oid, it.nspname, it.relname, TRUE AS relispopulated
  FROM it
  UNION ALL
  SELECT c.oid, n.nspname, c.relname, TRUE
  FROM above
  JOIN pg_class AS c ON c.oid = above.oid
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
  UNION ALL
  SELECT c.oid, n.nspname, c.relname, c.relispopulated
  FROM objects AS v
  JOIN pg_class AS c ON c.oid = v.oid AND c.relkind = 'm'
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
  WHERE v.classid = CAST('pg_class' AS REGCLASS)
),
found AS (
SELECT 'kind' AS kind, 'its kind' AS label, NULL AS schema_name, NULL AS own_name,
  NULL AS part, CAST(NULL AS TEXT[]) AS columns, CAST(NULL AS TEXT[]) AS bases, TRUE AS mark, 0 AS depth
FROM it
WHERE named AND relkind NOT IN ('r', 'p')
UNION ALL
SELECT 'foreign', FORMAT('partition %I.%I', nspname, relname), NULL, NULL, NULL, NULL, NULL, TRUE, 0
FROM it
WHERE NOT named AND relkind NOT IN ('r', 'p')
UNION ALL
SELECT 'above', FORMAT('above %I.%I', n.nspname, c.relname), n.nspname, c.relname, NULL, NULL, NULL, TRUE, MAX(above.depth)
FROM above
JOIN pg_class AS c ON c.oid = above.oid
JOIN pg_namespace AS n ON n.oid = c.relnamespace
GROUP BY n.nspname, c.relname
UNION ALL
SELECT 'partition', FORMAT(CASE WHEN it.relispartition THEN 'partition of %I.%I' ELSE 'child of %I.%I' END, n.nspname, c.relname),
  n.nspname, c.relname, NULL, NULL, NULL, it.relispartition, 0
FROM it
JOIN pg_inherits AS i ON i.inhrelid = it.oid
JOIN pg_class AS c ON c.oid = i.inhparent
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE it.named
UNION ALL
SELECT 'partitioned', 'partitioned', NULL, NULL, NULL, NULL, NULL, TRUE, 0
FROM it
WHERE named AND relkind = 'p'
UNION ALL
SELECT DISTINCT 'deep', 'partitions of partitions', CAST(NULL AS NAME), CAST(NULL AS NAME), CAST(NULL AS NAME),
  CAST(NULL AS TEXT[]), CAST(NULL AS TEXT[]), TRUE, 0
FROM it
WHERE NOT named AND relkind = 'p'
UNION ALL
SELECT 'partition key', 'partition key', NULL, NULL, NULL, ARRAY_AGG(attname), NULL, TRUE, 0
FROM part_key
HAVING COUNT(*) > 0
UNION ALL
SELECT 'owner', CASE WHEN named THEN 'its owner' ELSE FORMAT('owner%s', suffix) END, NULL, NULL, NULL, NULL, NULL, TRUE, 0
FROM it
WHERE NOT PG_HAS_ROLE(relowner, 'USAGE')
UNION ALL
SELECT 'row security', 'row security', NULL, NULL, NULL, NULL, NULL, TRUE, 0
FROM it
WHERE named AND ROW_SECURITY_ACTIVE(oid)
UNION ALL
SELECT 'inheritance', 'inheritance', NULL, NULL, NULL, NULL, NULL, TRUE, 0
FROM it
WHERE relkind = 'r' AND EXISTS (SELECT 1 FROM pg_inherits AS i WHERE i.inhparent = it.oid)
UNION ALL
SELECT 'typed', FORMAT('type of the table%s', suffix), NULL, NULL, NULL, NULL, NULL, TRUE, 0
FROM it
WHERE reloftype <> 0
UNION ALL
SELECT 'row type', FORMAT('column %I of %s, of its row type', a.attname, CAST(a.attrelid AS REGCLASS)),
  NULL, NULL, NULL, NULL, NULL, TRUE, 0
FROM it
JOIN pg_type AS t ON t.oid = it.reltype OR t.typelem = it.reltype
JOIN pg_attribute AS a ON a.atttypid = t.oid AND a.attrelid NOT IN (SELECT oid FROM it) AND NOT a.attisdropped
JOIN pg_class AS c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p', 'm', 'f')
UNION ALL
SELECT DISTINCT 'type', FORMAT('type %I.%I', n.nspname, t.typname), NULL, NULL, NULL, CAST(NULL AS TEXT[]), CAST(NULL AS TEXT[]), TRUE, 0
FROM component_types AS m
JOIN pg_type AS t ON t.oid = m.oid AND t.typtype = 'e'
JOIN pg_namespace AS n ON n.oid = t.typnamespace
UNION ALL
SELECT 'function', FORMAT('function %s', v.whole), NULL, NULL, NULL, r.names, v.bases, TRUE, v.depth
FROM objects AS v
LEFT JOIN reads AS r ON r.classid = v.classid AND r.objid = v.oid
WHERE v.classid = CAST('pg_proc' AS REGCLASS)
UNION ALL
SELECT 'foreign key', FORMAT('foreign key %I.%I %I', n.nspname, c.relname, k.conname),
  n.nspname, c.relname, k.conname, NULL, NULL, FALSE, 0
FROM pg_constraint AS k
JOIN pg_class AS c ON c.oid = k.conrelid
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE k.contype = 'f' AND k.conparentid = 0
  AND k.confrelid IN (SELECT oid FROM it UNION ALL SELECT oid FROM above)
UNION ALL
SELECT 'constraint', FORMAT('constraint %I%s', k.conname, it.suffix), it.nspname, it.relname, k.conname,
  (
    SELECT ARRAY_AGG(CAST(att.attname AS TEXT))
    FROM att
    WHERE att.attrelid = it.oid AND att.attnum = ANY(k.conkey)
  ), NULL, k.conparentid <> 0 OR NOT k.conislocal, 0
FROM it
JOIN pg_constraint AS k ON k.conrelid = it.oid
WHERE (k.contype IN ('p', 'u', 'x', 'c') OR (k.contype = 'f' AND k.confrelid NOT IN (SELECT oid FROM it)))
  AND (it.named OR (k.conparentid = 0 AND k.conislocal))
UNION ALL
SELECT 'index', FORMAT('index %I.%I', n.nspname, c.relname), n.nspname, c.relname, NULL,
  r.names, NULL,
  x.indexprs IS NULL AND x.indpred IS NULL AND NOT x.indisunique AND m.amname = 'btree'
    AND NOT EXISTS (SELECT 1 FROM pg_opclass AS o WHERE o.oid = ANY(x.indclass) AND NOT o.opcdefault), 0
FROM it
JOIN pg_index AS x ON x.indrelid = it.oid
JOIN pg_class AS c ON c.oid = x.indexrelid
JOIN pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_am AS m ON m.oid = c.relam
LEFT JOIN reads AS r ON r.classid = CAST('pg_class' AS REGCLASS) AND r.objid = c.oid
WHERE NOT EXISTS (
  SELECT 1 FROM pg_constraint AS k WHERE k.conindid = c.oid AND k.conrelid = it.oid AND k.contype IN ('p', 'u', 'x')
)
  AND (it.named OR NOT c.relispartition)
UNION ALL
SELECT CASE c.relkind WHEN 'm' THEN 'materialized view' ELSE 'view' END,
  FORMAT(CASE c.relkind WHEN 'm' THEN 'materialized view %s' ELSE 'view %s' END, v.whole),
  n.nspname, c.relname, NULL, r.names, v.bases, c.relispopulated, v.depth
FROM objects AS v
JOIN pg_class AS c ON c.oid = v.oid
JOIN pg_namespace AS n ON n.oid = c.relnamespace
LEFT JOIN reads AS r ON r.classid = CAST('pg_rewrite' AS REGCLASS) AND r.objid = v.rule
WHERE v.classid = CAST('pg_class' AS REGCLASS)
UNION ALL
SELECT 'trigger', FORMAT('trigger %I%s', g.tgname, it.suffix), it.nspname, it.relname, g.tgname, NULL, NULL,
  g.tgparentid <> 0, 0
FROM it
JOIN pg_trigger AS g ON g.tgrelid = it.oid AND NOT g.tgisinternal
WHERE it.named OR g.tgparentid = 0
UNION ALL
SELECT 'rule', FORMAT('rule %I%s', r.rulename, it.suffix), it.nspname, it.relname, r.rulename, NULL, NULL, FALSE, 0
FROM it
JOIN pg_rewrite AS r ON r.ev_class = it.oid
UNION ALL
SELECT 'policy', FORMAT('policy %I%s', p.polname, it.suffix), it.nspname, it.relname, p.polname, r.names, NULL,
  it.named AND it.relrowsecurity AND p.polpermissive AND p.polcmd IN ('r', '*'), 0
FROM it
JOIN pg_policy AS p ON p.polrelid = it.oid
LEFT JOIN reads AS r ON r.classid = CAST('pg_policy' AS REGCLASS) AND r.objid = p.oid
UNION ALL
SELECT 'publication', FORMAT('publication %I%s', q.pubname, it.suffix), it.nspname, it.relname, q.pubname, NULL, NULL,
  TRUE, 0
FROM it
JOIN pg_publication_rel AS e ON e.prrelid = it.oid
JOIN pg_publication AS q ON q.oid = e.prpubid
UNION ALL
SELECT DISTINCT 'publication', FORMAT('publication %I', p.pubname), CAST(NULL AS NAME), CAST(NULL AS NAME), p.pubname,
  CAST(NULL AS TEXT[]), CAST(NULL AS TEXT[]), FALSE, 0
FROM it
JOIN pg_publication_tables AS p
  ON (p.schemaname = it.nspname AND p.tablename = it.relname)
  OR (p.schemaname, p.tablename) IN (
    SELECT n.nspname, c.relname
    FROM above
    JOIN pg_class AS c ON c.oid = above.oid
    JOIN pg_namespace AS n ON n.oid = c.relnamespace
  )
WHERE NOT EXISTS (
  SELECT 1
  FROM pg_publication_rel AS e
  JOIN pg_publication AS q ON q.oid = e.prpubid
  WHERE e.prrelid IN (SELECT oid FROM it) AND q.pubname = p.pubname
)
UNION ALL
SELECT 'subscription', FORMAT('subscription %I%s', s.subname, it.suffix), NULL, NULL, NULL, NULL, NULL, FALSE, 0
FROM it
JOIN pg_subscription_rel AS e ON e.srrelid = it.oid
JOIN pg_subscription AS s ON s.oid = e.srsubid
UNION ALL
SELECT 'statistics', FORMAT('statistics %I.%I', n.nspname, s.stxname), n.nspname, s.stxname, NULL,
  r.names, NULL, FALSE, 0
FROM it
JOIN pg_statistic_ext AS s ON s.stxrelid = it.oid
JOIN pg_namespace AS n ON n.oid = s.stxnamespace
LEFT JOIN reads AS r ON r.classid = CAST('pg_statistic_ext' AS REGCLASS) AND r.objid = s.oid
UNION ALL
SELECT 'default', FORMAT('default of %I%s', attname, suffix), nspname, relname, attname, ARRAY[CAST(attname AS TEXT)], NULL,
  FALSE, 0
FROM att
WHERE atthasdef AND attgenerated = ''
  AND (
    named
    OR NOT EXISTS (SELECT 1 FROM att AS o WHERE o.named AND o.attname = att.attname AND o.atthasdef)
  )
UNION ALL
SELECT 'generated', FORMAT('generation of %I%s', attname, suffix), nspname, relname, attname, ARRAY[CAST(attname AS TEXT)], NULL,
  attgenerated = 's', 0
FROM att
WHERE named AND attgenerated <> ''
UNION ALL
SELECT 'identity', FORMAT('identity of %I%s', attname, suffix), nspname, relname, attname, ARRAY[CAST(attname AS TEXT)], NULL,
  FALSE, 0
FROM att
WHERE attidentity <> ''
  AND (
    named
    OR NOT EXISTS (SELECT 1 FROM att AS o WHERE o.named AND o.attname = att.attname AND o.attidentity <> '')
  )
UNION ALL
SELECT 'grants', FORMAT('grants on %I%s', attname, suffix), nspname, relname, attname, ARRAY[CAST(attname AS TEXT)], NULL,
  FALSE, 0
FROM att
WHERE attacl IS NOT NULL
UNION ALL
SELECT 'not null', FORMAT('not null of %I%s', attname, suffix), nspname, relname, attname, ARRAY[CAST(attname AS TEXT)], NULL,
  named, 0
FROM att
WHERE attnotnull
UNION ALL
SELECT 'missing', FORMAT('missing value of %I%s', attname, suffix), nspname, relname, attname, ARRAY[CAST(attname AS TEXT)], NULL,
  FALSE, 0
FROM att
WHERE atthasmissing
UNION ALL
SELECT 'target', FORMAT('statistics target of %I%s', attname, suffix), nspname, relname, attname, ARRAY[CAST(attname AS TEXT)], NULL,
  FALSE, 0
FROM att
WHERE attstattarget = 0
UNION ALL
SELECT 'target', FORMAT('statistics target of %I of %s', a.attname, CAST(a.attrelid AS REGCLASS)),
  NULL, NULL, NULL, NULL, NULL, FALSE, 0
FROM pg_attribute AS a
LEFT JOIN pg_index AS x ON x.indexrelid = a.attrelid
JOIN filled ON filled.oid = COALESCE(x.indrelid, a.attrelid)
WHERE a.attstattarget = 0 AND a.attnum > 0 AND NOT a.attisdropped AND a.attrelid NOT IN (SELECT oid FROM it)
UNION ALL
SELECT 'target', FORMAT('statistics target of %I.%I', n.nspname, s.stxname), NULL, NULL, NULL, NULL, NULL, FALSE, 0
FROM filled
JOIN pg_statistic_ext AS s ON s.stxrelid = filled.oid
JOIN pg_namespace AS n ON n.oid = s.stxnamespace
WHERE TO_JSONB(s) ->> 'stxstattarget' = '0'
UNION ALL
SELECT 'inherited', FORMAT('inherited statistics%s', suffix), NULL, NULL, NULL, NULL, NULL, FALSE, 0
FROM it
WHERE relkind = 'r' AND EXISTS (SELECT 1 FROM pg_stats AS p WHERE p.schemaname = it.nspname AND p.tablename = it.relname AND p.inherited)
UNION ALL
SELECT 'no data', FORMAT('statistics of %I.%I', f.nspname, f.relname), NULL, NULL, NULL, NULL, NULL, FALSE, 0
FROM filled AS f
WHERE NOT f.relispopulated
  AND EXISTS (SELECT 1 FROM pg_stats AS p WHERE p.schemaname = f.nspname AND p.tablename = f.relname)
)
SELECT f.*,
  CASE
    WHEN f.kind IN ('view', 'materialized view', 'foreign key', 'partition') AND NOT (
      PG_HAS_ROLE(c.relowner, 'USAGE') OR (f.kind LIKE '%view' AND PG_HAS_ROLE(n.nspowner, 'USAGE'))
    ) THEN PG_GET_USERBYID(c.relowner)
    WHEN f.kind = 'statistics' AND NOT (PG_HAS_ROLE(s.stxowner, 'USAGE') OR PG_HAS_ROLE(n.nspowner, 'USAGE'))
      THEN PG_GET_USERBYID(s.stxowner)
    WHEN f.kind = 'publication' AND NOT PG_HAS_ROLE(p.pubowner, 'USAGE') THEN PG_GET_USERBYID(p.pubowner)
  END AS owner_name,
  CASE
    WHEN f.kind IN ('materialized view', 'above') AND NOT (
      PG_HAS_ROLE(c.relowner, 'USAGE')
      OR EXISTS (
        SELECT 1
        FROM ACLEXPLODE(c.relacl) AS a
        WHERE a.privilege_type = 'MAINTAIN' AND (a.grantee = 0 OR PG_HAS_ROLE(a.grantee, 'USAGE'))
      )
      OR EXISTS (SELECT 1 FROM pg_roles AS r WHERE r.rolname = 'pg_maintain' AND PG_HAS_ROLE(r.oid, 'USAGE'))
      OR (f.kind = 'above' AND EXISTS (
        SELECT 1 FROM pg_database AS b WHERE b.datname = CURRENT_DATABASE() AND PG_HAS_ROLE(b.datdba, 'USAGE')
      ))
    ) THEN PG_GET_USERBYID(c.relowner)
  END AS keeper_name
FROM found AS f
LEFT JOIN pg_namespace AS n ON n.nspname = f.schema_name
LEFT JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname = f.own_name
LEFT JOIN pg_statistic_ext AS s ON f.kind = 'statistics' AND s.stxnamespace = n.oid AND s.stxname = f.own_name
LEFT JOIN pg_publication AS p ON f.kind = 'publication' AND p.pubname = f.part
ORDER BY 1, 2

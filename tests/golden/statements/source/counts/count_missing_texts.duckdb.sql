-- count_missing_texts
SELECT column_number, missing_text, row_count, all_rows
FROM (
  SELECT
    0 AS column_number,
    m.missing_text AS missing_text,
    COUNT(*) AS row_count,
    CAST(SUM(COUNT(*)) OVER () AS BIGINT) AS all_rows
  FROM (
    SELECT CASE WHEN TRIM(decode(encode(CAST("s"."se""x" AS VARCHAR)))) = '' THEN '' ELSE decode(encode(CAST("s"."se""x" AS VARCHAR))) END AS missing_text
    FROM "the source; DROP TABLE x" AS s
    WHERE LOWER(TRIM(decode(encode(CAST("s"."se""x" AS VARCHAR))))) IN ('', 'na', 'n/a', '#n/a', 'n.a.', '<na>', 'nan', 'null', 'none', 'nil', 'unknown', 'unk', 'not known', 'missing', 'not available', 'not stated', 'not applicable', 'unspecified', '?', '-', '--', '.', '0000-00-00', '0000-00-00 00:00:00', '00.00.0000', '00/00/0000', '9999-99-99', '99.99.9999', '99/99/9999', '#nv', '#div/0!', '#num!', '#null!', '#ref!', '#value!', '#name?', 'n. a.', 'no data', 'no answer', 'no value', 'not given', 'not provided', 'not recorded', 'not reported', 'not specified', 'undefined', '(null)', '(blank)', '\n', 'k.a.', 'k. a.', 'keine angabe', 'keine angaben', 'ohne angabe', 'nicht angegeben', 'unbekannt', 'nicht bekannt', 'nicht verfügbar', 'nicht erfasst', 'nicht erhoben', 'fehlt', 'fehlend', 'unbek.', '(leer)', 'inconnu', 'inconnue', 'non connu', 'non renseigné', 'non renseignée', 'non renseigne', 'non précisé', 'non précisée', 'non disponible', 'non communiqué', 'manquant', 'desconocido', 'desconocida', 'sin dato', 'sin datos', 'sin información', 'sin informacion', 'sin especificar', 'no consta', 'no disponible', 'no especificado', 's/d', 'ns/nc', 'sconosciuto', 'sconosciuta', 'non noto', 'non nota', 'non specificato', 'non rilevato', 'ignoto', 'mancante', 'desconhecido', 'desconhecida', 'não informado', 'nao informado', 'não disponível', 'sem informação', 'sem dados', 'onbekend', 'niet bekend', 'geen opgave', 'n.v.t.', 'brak danych', 'nieznany', 'nieznane', 'b.d.', 'okänd', 'okänt', 'uppgift saknas', 'saknas', 'ukendt', 'uoplyst', 'ukjent', 'ei tietoa', 'neznámý', 'neuvedeno')
  ) AS m
  GROUP BY m.missing_text
  ORDER BY row_count DESC, missing_text
  LIMIT 12
) AS "q1"
UNION ALL
SELECT column_number, missing_text, row_count, all_rows
FROM (
  SELECT
    1 AS column_number,
    m.missing_text AS missing_text,
    COUNT(*) AS row_count,
    CAST(SUM(COUNT(*)) OVER () AS BIGINT) AS all_rows
  FROM (
    SELECT CASE WHEN TRIM(decode(encode(CAST("s"."zip; --" AS VARCHAR)))) = '' THEN '' ELSE decode(encode(CAST("s"."zip; --" AS VARCHAR))) END AS missing_text
    FROM "the source; DROP TABLE x" AS s
    WHERE LOWER(TRIM(decode(encode(CAST("s"."zip; --" AS VARCHAR))))) IN ('', 'na', 'n/a', '#n/a', 'n.a.', '<na>', 'nan', 'null', 'none', 'nil', 'unknown', 'unk', 'not known', 'missing', 'not available', 'not stated', 'not applicable', 'unspecified', '?', '-', '--', '.', '0000-00-00', '0000-00-00 00:00:00', '00.00.0000', '00/00/0000', '9999-99-99', '99.99.9999', '99/99/9999', '#nv', '#div/0!', '#num!', '#null!', '#ref!', '#value!', '#name?', 'n. a.', 'no data', 'no answer', 'no value', 'not given', 'not provided', 'not recorded', 'not reported', 'not specified', 'undefined', '(null)', '(blank)', '\n', 'k.a.', 'k. a.', 'keine angabe', 'keine angaben', 'ohne angabe', 'nicht angegeben', 'unbekannt', 'nicht bekannt', 'nicht verfügbar', 'nicht erfasst', 'nicht erhoben', 'fehlt', 'fehlend', 'unbek.', '(leer)', 'inconnu', 'inconnue', 'non connu', 'non renseigné', 'non renseignée', 'non renseigne', 'non précisé', 'non précisée', 'non disponible', 'non communiqué', 'manquant', 'desconocido', 'desconocida', 'sin dato', 'sin datos', 'sin información', 'sin informacion', 'sin especificar', 'no consta', 'no disponible', 'no especificado', 's/d', 'ns/nc', 'sconosciuto', 'sconosciuta', 'non noto', 'non nota', 'non specificato', 'non rilevato', 'ignoto', 'mancante', 'desconhecido', 'desconhecida', 'não informado', 'nao informado', 'não disponível', 'sem informação', 'sem dados', 'onbekend', 'niet bekend', 'geen opgave', 'n.v.t.', 'brak danych', 'nieznany', 'nieznane', 'b.d.', 'okänd', 'okänt', 'uppgift saknas', 'saknas', 'ukendt', 'uoplyst', 'ukjent', 'ei tietoa', 'neznámý', 'neuvedeno')
  ) AS m
  GROUP BY m.missing_text
  ORDER BY row_count DESC, missing_text
  LIMIT 12
) AS "q2"

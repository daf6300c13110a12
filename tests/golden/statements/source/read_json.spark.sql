-- read_json
CREATE TEMP VIEW `from json`
USING json
OPTIONS (
  path 'pe\'ople.ndjson'
)

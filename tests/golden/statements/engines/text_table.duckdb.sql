-- text_table
CREATE TABLE "kanon_hierarchy_entries_4" (
  "value" TEXT,
  "level_1" TEXT,
  "level_2" TEXT
)

-- postgres
CREATE TEMP TABLE "jobs" (
  "value" TEXT,
  "level_1" TEXT
)

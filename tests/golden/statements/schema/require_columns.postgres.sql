-- require_columns
ALTER TABLE "key;ed" ALTER COLUMN "i'd" SET NOT NULL,ALTER COLUMN "pa.tient" SET NOT NULL

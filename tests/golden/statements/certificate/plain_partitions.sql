-- spark
SET spark.sql.sources.partitionColumnTypeInference.enabled = false

-- plain_partitions
SET spark.sql.sources.partitionColumnTypeInference.enabled = false

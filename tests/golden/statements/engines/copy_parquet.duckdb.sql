-- copy_parquet
COPY (SELECT "na'me", "s.s.n", "se""x", "zip; --", "age
of 👩_low", "age
of 👩_high", "SELECT", "dis'ease", "ward 🏥", "vis.it" FROM "staged'" AS t)
TO 're''lease.parquet' (
  FORMAT PARQUET,
  COMPRESSION 'zstd',
  COMPRESSION_LEVEL 1
)

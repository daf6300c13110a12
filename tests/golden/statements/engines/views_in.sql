-- spark
SHOW VIEWS IN `sche'ma`

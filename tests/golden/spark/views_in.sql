SHOW VIEWS IN `sche'ma`

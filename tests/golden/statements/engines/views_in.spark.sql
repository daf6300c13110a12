-- views_in
SHOW VIEWS IN `sche'ma`

-- spark
SHOW TABLES IN `te'mp`.`ma'in`

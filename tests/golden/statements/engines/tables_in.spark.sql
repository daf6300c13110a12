-- tables_in
SHOW TABLES IN `te'mp`.`ma'in`

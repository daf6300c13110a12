-- own_functions
-- What counts below is DuckDB's own, whatever functions the database has defined.
SET search_path = system.main.concat('system.main,"',
  system.main.replace(system.main.current_database(), '"', '""'), '"."',
  system.main.replace(system.main.current_schema(), '"', '""'), '"')

-- copy_database
COPY FROM DATABASE "memory" TO "fre""sh"

"""The functions of `import kanon_sql` that take a policy or a plan."""

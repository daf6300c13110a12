"""The report of a plan or a release: what is measured, and the page that shows it."""

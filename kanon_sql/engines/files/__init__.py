"""Files as they are sent: text in any encoding, and files that a library reads and no database does."""

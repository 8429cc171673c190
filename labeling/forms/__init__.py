"""What people may send: every form checks its values and says in a sentence what is wrong."""

"""The built-in policies, as files: `default` shows every key, the others state their differences."""

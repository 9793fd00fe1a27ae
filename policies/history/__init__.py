"""The steps of a batch, one file each."""

"""The gaps of a sparse table filled; what to run next."""

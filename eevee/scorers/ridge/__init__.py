"""The ridge scorer: closed forms."""

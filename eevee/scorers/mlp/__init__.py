"""The MLP scorer: thousands of small networks at once."""

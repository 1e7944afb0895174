"""The search for the front of loss and cost."""

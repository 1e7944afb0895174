"""The whole procedure inside outer splits."""

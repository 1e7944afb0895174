"""One module per format, found by `eevee.exporters.registry`: each holds one `FORMAT`."""

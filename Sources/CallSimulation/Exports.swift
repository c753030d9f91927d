// A simulated call is set up as an engine is.
@_exported public import MediaEngine

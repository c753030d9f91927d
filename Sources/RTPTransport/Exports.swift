// Samples, views, rates and instants are part of every signature here, so this room's import brings them along.
@_exported public import RealtimeCore

// The room's files replace this one.

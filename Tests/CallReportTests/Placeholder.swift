// The room's tests replace this file.

package scenario

// WrittenMetadata is metadata as a file holds it.
type WrittenMetadata = metadata

/// The outcome of one attempt to move bytes through a descriptor.
enum Transfer {
    case moved(Int)
    case blocked
    case ended
}

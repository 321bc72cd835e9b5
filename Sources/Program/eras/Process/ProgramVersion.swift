/// The version of the program, which it prints and sends.
enum ProgramVersion {
    static let text = "0.2.0"
    /// When it was released.
    static let date = "2026-11-28"
}

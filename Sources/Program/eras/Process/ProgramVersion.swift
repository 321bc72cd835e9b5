/// The version of the program, which it prints and sends.
enum ProgramVersion {
    static let text = "0.1.0"
}

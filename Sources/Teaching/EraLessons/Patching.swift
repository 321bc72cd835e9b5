/// Lesson 14: a table of methods that can be patched while the program runs, as in Objective-C.
///
/// Swift on Linux has none, so this is a toy of it. AFNetworking patched `resume` and `suspend` of the
/// system's tasks to hear of their state; the tasks of this package say it themselves.
enum Patching {
    /// What a call sees: the object's class, and what has happened so far.
    struct Call {
        let type: Class
        var announcements = 0
        var depth = 0
    }

    typealias Method = (inout Call) -> Void

    /// A class: its methods by name, and the class above it.
    final class Class {
        let above: Class?
        var methods: [String: Method] = [:]

        init(_ above: Class? = nil) {
            self.above = above
        }

        /// Calls the method of a name: the class's own, or that of the class above.
        func call(_ name: String, _ call: inout Call) {
            call.depth += 1
            // A program has no such mercy: its stack ends it.
            guard call.depth < 100 else { return }
            if let method = methods[name] { method(&call) } else { above?.call(name, &call) }
        }

        /// Puts a method in the place of `resume`, and the old one under the name of the new one.
        func patchResume() {
            let old = methods["resume"]
            methods["resume"] = { call in
                // By name, under which there is one method, however often the class was patched.
                call.type.call("af_resume", &call)
                call.announcements += 1
            }
            methods["af_resume"] = old
        }
    }

    /// The system's task has a class below its public one. Each copy of the library patches it: the second
    /// takes the first one's method for the old one (HI-10).
    ///
    /// - Parameter copies: how many copies of the library are in the program.
    /// - Returns: how often one `resume` is announced, and whether it ends.
    static func calls(patchedBy copies: Int) -> (announcements: Int, ends: Bool) {
        let localTask = Class(Class())
        localTask.methods["resume"] = { _ in }
        for _ in 0..<copies { localTask.patchResume() }
        var call = Call(type: localTask)
        localTask.call("resume", &call)
        return (call.announcements, call.depth < 100)
    }
}

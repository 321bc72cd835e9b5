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
                // By name, so the object's class decides: that of a subclass may come first.
                call.type.call("af_resume", &call)
                call.announcements += 1
            }
            methods["af_resume"] = old
        }
    }

    /// The system's task has a class below its public one, and its `resume` calls that above it.
    ///
    /// - Parameter number: how many of the two classes are patched.
    /// - Returns: how often one `resume` is announced, and whether it ends.
    static func calls(patching number: Int) -> (announcements: Int, ends: Bool) {
        let task = Class()
        task.methods["resume"] = { _ in }
        let localTask = Class(task)
        localTask.methods["resume"] = { task.call("resume", &$0) }
        for type in [localTask, task].prefix(number) { type.patchResume() }
        var call = Call(type: localTask)
        localTask.call("resume", &call)
        return (call.announcements, call.depth < 100)
    }
}

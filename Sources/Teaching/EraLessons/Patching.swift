/// Lesson 14: a table of methods that can be swizzled, as in Objective-C.
///
/// Swift on Linux has no swizzling, so this is a model of it. AFNetworking swizzled `resume` and
/// `suspend` of the system's tasks to post notifications; this package's tasks post them themselves.
enum Patching {
    /// What a method gets: the object's class, and what has happened so far.
    struct Call {
        let type: Class
        var announcements = 0
        var depth = 0
    }

    typealias Method = (inout Call) -> Void

    /// A class: its methods by name, and its superclass.
    final class Class {
        let above: Class?
        var methods: [String: Method] = [:]

        init(_ above: Class? = nil) {
            self.above = above
        }

        /// Calls the method of a name: the class's own, or its superclass's.
        func call(_ name: String, _ call: inout Call) {
            call.depth += 1
            // In a program the stack would overflow.
            guard call.depth < 100 else { return }
            if let method = methods[name] { method(&call) } else { above?.call(name, &call) }
        }

        /// Exchanges `resume` and a new method `af_resume`.
        func patchResume() {
            let old = methods["resume"]
            methods["resume"] = { call in
                // By name: the table has one method of a name, however often the class was swizzled.
                call.type.call("af_resume", &call)
                call.announcements += 1
            }
            methods["af_resume"] = old
        }
    }

    /// The system's task is of a private subclass. Each copy of the library swizzles it: the second
    /// one takes the first one's method for the system's.
    ///
    /// - Parameter copies: how many copies of the library are in the program.
    /// - Returns: how many notifications one `resume` posts, and whether it returns.
    static func calls(patchedBy copies: Int) -> (announcements: Int, ends: Bool) {
        let localTask = Class(Class())
        localTask.methods["resume"] = { _ in }
        for _ in 0..<copies { localTask.patchResume() }
        var call = Call(type: localTask)
        localTask.call("resume", &call)
        return (call.announcements, call.depth < 100)
    }
}

/// What the verb that a task calls now tells of a request that could not be built, at once: the queue of `failure`
/// may be one that nobody serves. A value of the task's, since it passes through verbs that subclasses override.
enum AwaitedVerb {
    @TaskLocal static var refusal: Awaited<HTTPRequestOperation>?
}

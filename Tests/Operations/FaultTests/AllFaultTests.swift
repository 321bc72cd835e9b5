import TestSupport

/// All of them, one after another: they count what the whole process holds.
@Suite(.serialized)
enum AllFaultTests {}

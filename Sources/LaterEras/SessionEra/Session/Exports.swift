@_exported public import SessionTasks

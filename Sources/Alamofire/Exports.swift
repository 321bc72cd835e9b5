@_exported public import RequestEra

// A program that imports CurlConnection has the stores, limits and policies that it takes.
@_exported public import HTTPSemantics

// A program that imports OperationNetworking has the rules of parts and names of files.
@_exported public import HTTPSemantics

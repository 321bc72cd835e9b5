/// What a serializer made, on its way to the one task, or the one handler, that it was made for.
package struct Handed<Value>: @unchecked Sendable {
    // @unchecked because nobody else has it.
    package let value: Value

    package init(_ value: Value) { self.value = value }
}

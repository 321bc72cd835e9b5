/// The former name of `ScriptedResponse`.
@available(*, deprecated, renamed: "ScriptedResponse")
public typealias Answer = ScriptedResponse

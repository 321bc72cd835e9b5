public import Foundation
public import FoundationNetworking

/// Tries several serializers in turn, for endpoints that respond in more than one format.
///
/// The result is the first object, with its error if there is one. If none returns an object, it is the unchanged
/// body, and this serializer validates the response. Only subclasses of `HTTPResponseSerializer` are tried. A
/// serializer that does not decode always returns an object, so it belongs at the end.
///
/// ## Concurrency
/// Call from: any thread. Lock: the superclass's; not held while another serializer is called.
/// Calls out on: the calling thread, to the serializers.
open class CompoundResponseSerializer: HTTPResponseSerializer, @unchecked Sendable {
    // @unchecked because every variable is guarded by the superclass's `lock`.

    // MARK: Guarded by lock
    private var members: [any URLResponseSerialization] = []

    /// Makes a serializer without members.
    public required init() {
        super.init()
    }

    /// Makes a serializer that tries these in order.
    public convenience init(responseSerializers: [any URLResponseSerialization]) {
        self.init()
        members = responseSerializers
    }

    /// The serializers to try, in order.
    public var responseSerializers: [any URLResponseSerialization] {
        lock.withLock { members }
    }

    /// The first object that a serializer returns, otherwise the unchanged body.
    open override func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse
    {
        for case let member as HTTPResponseSerializer in responseSerializers {
            let result = member.responseObject(for: response, data: data)
            if result.object != nil { return result }
        }
        return super.responseObject(for: response, data: data)
    }

    // MARK: Copying and coding

    /// A serializer of the same class with the same settings, which tries the same serializers.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        (copy as? CompoundResponseSerializer)?.members = responseSerializers
        return copy
    }

    /// Reads a serializer from an archive; nil if one of its members cannot be read.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        guard let count = coder.integer("responseSerializers"), (0...Self.most).contains(count)
        else { return nil }
        for index in 0..<count {
            let key = "responseSerializers.\(index)"
            guard let member = coder.object(HTTPResponseSerializer.self, forKey: key) else {
                return nil
            }
            members.append(member)
        }
    }

    private static let most = 1_000

    /// Archives every property, and the members that are tried.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        let members = responseSerializers.compactMap { $0 as? HTTPResponseSerializer }
        coder.encode(members.count, forKey: "responseSerializers")
        for (index, member) in members.enumerated() {
            coder.encode(object: member, forKey: "responseSerializers.\(index)")
        }
    }
}

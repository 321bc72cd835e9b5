import HTTPSemantics

/// The result of a request: a value or an error.
///
/// It is Alamofire 4's type with one parameter, and hides Swift's in files that import this module;
/// Swift's is `Swift.Result`.
public enum Result<Value> {
    /// It worked, with this value.
    case success(Value)
    /// It did not, with this error.
    case failure(any Error)

    /// Whether it is a success.
    public var isSuccess: Bool {
        if case .success = self { true } else { false }
    }

    /// Whether it is a failure.
    public var isFailure: Bool { !isSuccess }

    /// The value of a success.
    public var value: Value? {
        if case .success(let value) = self { value } else { nil }
    }

    /// The error of a failure.
    public var error: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension Result: Sendable where Value: Sendable {}

extension Result: CustomStringConvertible {
    /// `SUCCESS` or `FAILURE`.
    public var description: String { isSuccess ? "SUCCESS" : "FAILURE" }
}

extension Result: CustomDebugStringConvertible {
    /// `SUCCESS` with the value, or `FAILURE` with the error.
    public var debugDescription: String {
        switch self {
        case .success(let value): "SUCCESS: \(value)".printableLines
        case .failure(let error): "FAILURE: \(error)".printableLines
        }
    }
}

extension Result {
    /// The value that the closure returns, or the error that it throws.
    public init(value: () throws -> Value) {
        do {
            self = .success(try value())
        } catch {
            self = .failure(error)
        }
    }

    /// Returns the value.
    ///
    /// - Throws: the error of a failure.
    public func unwrap() throws -> Value {
        switch self {
        case .success(let value): return value
        case .failure(let error): throw error
        }
    }

    /// The result with its value replaced by the closure's; a failure stays as it is.
    public func map<T>(_ transform: (Value) -> T) -> Result<T> {
        switch self {
        case .success(let value): .success(transform(value))
        case .failure(let error): .failure(error)
        }
    }

    /// Like `map`, but the closure may throw: its error is then the result.
    ///
    /// Unlike in Swift's `flatMap`, the closure returns a value, no `Result`.
    public func flatMap<T>(_ transform: (Value) throws -> T) -> Result<T> {
        switch self {
        case .success(let value): Result<T> { try transform(value) }
        case .failure(let error): .failure(error)
        }
    }

    /// The result with its error replaced by the closure's; a success stays as it is.
    public func mapError<T: Error>(_ transform: (any Error) -> T) -> Result {
        switch self {
        case .success: self
        case .failure(let error): .failure(transform(error))
        }
    }

    /// The result with its error replaced by the one that the closure returns or throws; a success stays as it is.
    public func flatMapError<T: Error>(_ transform: (any Error) throws -> T) -> Result {
        guard case .failure(let error) = self else { return self }
        do {
            return .failure(try transform(error))
        } catch {
            return .failure(error)
        }
    }

    /// Calls the closure with the value of a success.
    @discardableResult
    public func withValue(_ closure: (Value) throws -> Void) rethrows -> Result {
        if case .success(let value) = self { try closure(value) }
        return self
    }

    /// Calls the closure with the error of a failure.
    @discardableResult
    public func withError(_ closure: (any Error) throws -> Void) rethrows -> Result {
        if case .failure(let error) = self { try closure(error) }
        return self
    }

    /// Calls the closure if it is a success.
    @discardableResult
    public func ifSuccess(_ closure: () throws -> Void) rethrows -> Result {
        if isSuccess { try closure() }
        return self
    }

    /// Calls the closure if it is a failure.
    @discardableResult
    public func ifFailure(_ closure: () throws -> Void) rethrows -> Result {
        if isFailure { try closure() }
        return self
    }
}

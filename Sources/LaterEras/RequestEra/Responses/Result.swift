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

    /// Another value in place of the value.
    public func map<T>(_ transform: (Value) -> T) -> Result<T> {
        switch self {
        case .success(let value): .success(transform(value))
        case .failure(let error): .failure(error)
        }
    }

    /// Another value in place of the value, or the error that the closure throws.
    public func flatMap<T>(_ transform: (Value) throws -> T) -> Result<T> {
        switch self {
        case .success(let value): Result<T> { try transform(value) }
        case .failure(let error): .failure(error)
        }
    }

    /// Another error in place of the error.
    public func mapError<T: Error>(_ transform: (any Error) -> T) -> Result {
        switch self {
        case .success: self
        case .failure(let error): .failure(transform(error))
        }
    }

    /// Another error in place of the error: what the closure returns or throws.
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

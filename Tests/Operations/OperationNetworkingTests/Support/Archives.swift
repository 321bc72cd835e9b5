import TestSupport

func archived(_ object: some NSObject & NSSecureCoding) throws -> Data {
    try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
}

/// What comes of an object's archive.
func again<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object {
    let data = try archived(object)
    return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data))
}

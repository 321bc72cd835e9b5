/// A serializer whose object is made of the body: an invalid response gives no object to a caller
/// who takes no error (RE-6).
package protocol BodyDecoding: HTTPResponseSerializer {}

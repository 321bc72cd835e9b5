public import Foundation
public import FoundationNetworking

// What the serializers do, without a request.
extension Request {
    /// The bytes of a body; see `DataRequest.responseData`.
    public static func serializeResponseData(
        response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) -> Result<Data> {
        ResponseSerialization.data(response, data, error)
    }

    /// The text of a body; see `DataRequest.responseString`.
    public static func serializeResponseString(
        encoding: String.Encoding?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) -> Result<String> {
        ResponseSerialization.string(encoding, response, data, error)
    }

    /// The JSON of a body; see `DataRequest.responseJSON`.
    public static func serializeResponseJSON(
        options: JSONSerialization.ReadingOptions, response: HTTPURLResponse?, data: Data?,
        error: (any Error)?
    ) -> Result<Any> {
        ResponseSerialization.json(options, response, data, error)
    }

    /// The property list of a body; see `DataRequest.responsePropertyList`.
    public static func serializeResponsePropertyList(
        options: PropertyListSerialization.ReadOptions, response: HTTPURLResponse?, data: Data?,
        error: (any Error)?
    ) -> Result<Any> {
        ResponseSerialization.propertyList(options, response, data, error)
    }
}

extension DataRequest {
    /// Gives the bytes.
    public static func dataResponseSerializer() -> DataResponseSerializer<Data> {
        DataResponseSerializer { _, response, data, error in
            ResponseSerialization.data(response, data, error)
        }
    }

    /// Gives the text.
    public static func stringResponseSerializer(
        encoding: String.Encoding? = nil
    ) -> DataResponseSerializer<String> {
        DataResponseSerializer { _, response, data, error in
            ResponseSerialization.string(encoding, response, data, error)
        }
    }

    /// Gives the JSON.
    public static func jsonResponseSerializer(
        options: JSONSerialization.ReadingOptions = .allowFragments
    ) -> DataResponseSerializer<Any> {
        DataResponseSerializer { _, response, data, error in
            ResponseSerialization.json(options, response, data, error)
        }
    }

    /// Gives the property list.
    public static func propertyListResponseSerializer(
        options: PropertyListSerialization.ReadOptions = []
    ) -> DataResponseSerializer<Any> {
        DataResponseSerializer { _, response, data, error in
            ResponseSerialization.propertyList(options, response, data, error)
        }
    }

    /// Gives a value of a type, from JSON.
    static func decodingSerializer<Value: Decodable & Sendable>(
        _ type: Value.Type, _ decoder: JSONDecoder
    ) -> DataResponseSerializer<Value> {
        DataResponseSerializer { _, _, data, error in
            ResponseSerialization.decoded(type, decoder, data, error)
        }
    }
}

extension DownloadRequest {
    /// Gives the file's bytes.
    public static func dataResponseSerializer() -> DownloadResponseSerializer<Data> {
        DownloadResponseSerializer(readingFor: DataRequest.dataResponseSerializer())
    }

    /// Gives the file's text.
    public static func stringResponseSerializer(
        encoding: String.Encoding? = nil
    ) -> DownloadResponseSerializer<String> {
        DownloadResponseSerializer(
            readingFor: DataRequest.stringResponseSerializer(encoding: encoding))
    }

    /// Gives the file's JSON.
    public static func jsonResponseSerializer(
        options: JSONSerialization.ReadingOptions = .allowFragments
    ) -> DownloadResponseSerializer<Any> {
        DownloadResponseSerializer(readingFor: DataRequest.jsonResponseSerializer(options: options))
    }

    /// Gives the file's property list.
    public static func propertyListResponseSerializer(
        options: PropertyListSerialization.ReadOptions = []
    ) -> DownloadResponseSerializer<Any> {
        DownloadResponseSerializer(
            readingFor: DataRequest.propertyListResponseSerializer(options: options))
    }
}

extension DownloadResponseSerializer {
    /// A serializer that reads the file and gives its bytes to one for bytes.
    init(readingFor serializer: DataResponseSerializer<Value>) {
        self.init { request, response, file, error in
            ResponseSerialization.file(file, error) {
                serializer.serializeResponse(request, response, $0, nil)
            }
        }
    }
}

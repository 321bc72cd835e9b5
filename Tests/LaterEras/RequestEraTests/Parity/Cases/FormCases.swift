import Foundation
import ParitySupport
import RequestEra

/// request-multipart.json: forms in memory and in files.
enum FormCases {
    static func play(_ recorded: RecordedCase) throws -> GoldenValue {
        try FormRoom.with { room in
            let input = recorded.input
            if recorded.id == "constants" { return constants }
            if let calls = input["calls"] { return try again(input, calls.elements, room) }
            guard let parts = input["parts"]?.elements else { throw Unplayed(recorded.id) }
            if let url = input["url"]?.string { return try written(input, parts, url, room) }
            return try encoded(input, parts, room)
        }
    }

    // MARK: - One form

    private static func form(
        _ input: GoldenValue, _ parts: [GoldenValue], _ room: FormRoom
    ) throws -> MultipartFormData {
        let form = MultipartFormData()
        if let boundary = input["boundary"]?.string { form.boundary = boundary }
        for part in parts { try append(part, to: form, room) }
        return form
    }

    /// `encode()`, and `writeEncodedData(to:)` of a second equal form.
    private static func encoded(
        _ input: GoldenValue, _ parts: [GoldenValue], _ room: FormRoom
    ) throws -> GoldenValue {
        let (one, other) = (try form(input, parts, room), try form(input, parts, room))
        let file = room.folder.appendingPathComponent("written")
        var members: [String: GoldenValue] = [
            "contentLength": .int(Int(one.contentLength)), "contentType": .string(one.contentType),
        ]
        do {
            let body = try one.encode()
            members["body"] = SeenValue.data(body)
            try other.writeEncodedData(to: file)
            let fileBody = try Data(contentsOf: file)
            members["fileBody"] = SeenValue.data(fileBody)
            members["fileEqualsBody"] = .bool(fileBody == body)
        } catch {
            members["encodeError"] = room.error(error)
            do {
                try other.writeEncodedData(to: file)
            } catch {
                members["writeError"] = room.error(error)
            }
            members["fileExistsAfterError"] = .bool(
                FileManager.default.fileExists(atPath: file.path))
        }
        return .object(members)
    }

    private static func written(
        _ input: GoldenValue, _ parts: [GoldenValue], _ url: String, _ room: FormRoom
    ) throws -> GoldenValue {
        let url = try room.url(url)
        do {
            try form(input, parts, room).writeEncodedData(to: url)
            return ["wrote": SeenValue.data(try? Data(contentsOf: url))]
        } catch {
            return ["error": room.error(error)]
        }
    }

    private static func append(
        _ part: GoldenValue, to form: MultipartFormData, _ room: FormRoom
    ) throws {
        let name = part["name"]?.string ?? ""
        let (fileName, type) = (part["fileName"]?.string, part["mimeType"]?.string)
        switch (part["append"]?.string, fileName, type) {
        case ("data", let fileName?, let type?):
            form.append(
                try room.data(part), withName: name, fileName: fileName, mimeType: type)
        case ("data", nil, let type?):
            form.append(try room.data(part), withName: name, mimeType: type)
        case ("data", nil, nil):
            form.append(try room.data(part), withName: name)
        case ("file", let fileName?, let type?):
            form.append(
                try room.file(part), withName: name, fileName: fileName, mimeType: type)
        case ("file", nil, nil):
            form.append(try room.file(part), withName: name)
        case ("stream", let fileName?, let type?):
            form.append(
                InputStream(data: try room.data(part)), withLength: length(part), name: name,
                fileName: fileName, mimeType: type)
        case ("stream", nil, nil):
            form.append(
                InputStream(data: try room.data(part)), withLength: length(part),
                headers: part["headers"]?.members.compactMapValues(\.string) ?? [:])
        default: throw Unplayed("the part \(part)")
        }
    }

    private static func length(_ part: GoldenValue) -> UInt64 { UInt64(part["length"]?.int ?? 0) }

    // MARK: - Several calls

    private static func again(
        _ input: GoldenValue, _ calls: [GoldenValue], _ room: FormRoom
    ) throws -> GoldenValue {
        let form = try form(input, input["parts"]?.elements ?? [], room)
        var bodies: [GoldenValue] = []
        var types: [GoldenValue] = []
        for call in calls.map({ $0.string ?? "" }) {
            switch call {
            case "encode": bodies.append(SeenValue.data(try form.encode()))
            case "contentType": types.append(.string(form.contentType))
            case "boundary = fixed": form.boundary = "alamofire.boundary.fixed0123456789"
            case "boundary = other": form.boundary = "other"
            case "append a": form.append(Data("1".utf8), withName: "a")
            case "append b": form.append(Data("2".utf8), withName: "b")
            default: throw Unplayed(call)
            }
        }
        if types.count == 2, bodies.count == 1 {
            return ["first": types[0], "second": types[1], "body": bodies[0]]
        }
        guard types.isEmpty, bodies.count == 2 else { throw Unplayed("\(calls)") }
        return ["first": bodies[0], "second": bodies[1]]
    }

    private static var constants: GoldenValue {
        let (one, other) = (MultipartFormData(), MultipartFormData())
        let pattern = #"^alamofire\.boundary\.[0-9a-f]{16}$"#
        let matches = one.boundary.range(of: pattern, options: .regularExpression) != nil
        return [
            "boundaryPattern": .string(pattern), "matches": .bool(matches),
            "contentTypeIsBoundary": .bool(
                one.contentType == "multipart/form-data; boundary=" + one.boundary),
            "emptyContentLength": .int(Int(one.contentLength)),
            "twoFormsDiffer": .bool(one.boundary != other.boundary),
        ]
    }
}

import CurlConnection
import Foundation
import FoundationNetworking
import OperationNetworking
import RequestEra
import SessionEra

struct LocalAddresses: FoundationScenario {
    let id = "local-addresses"
    let title = "A file, and an address that is its own content"
    let question = "Is what is here already loaded like anything else?"
    let changes = [
        Change(
            .repair,
            "Apple's system loaded both in each era, wherever the address came from. Here the transport "
                + "does, and only if a setting allows it.",
            source: "Documentation/Transport.md"),
        Change(
            .foundation,
            "URLSession on Linux loads no file.",
            source: "measured here, on Foundation for Linux",
            differences: [
                .init("file", in: .foundation, was: "a page", is: "NSURLErrorDomain -1002")
            ]),
    ]

    func connectionEra(_ stage: Stage) throws {
        let file = stage.file("page.txt")
        try Data("a page".utf8).write(to: file)
        let manager = HTTPRequestOperationManager(baseURL: nil)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.configuration.loadsLocalAddresses = true
        for (name, address) in [("file", file.absoluteString), ("data", "data:,hello")] {
            manager.get(address) { _, data in
                stage.outcome(name, data)
            } failure: { _, error in
                stage.outcome(name, error)
            }
        }
        stage.ends(after: 2)
    }

    func sessionEra(_ stage: Stage) throws {
        let file = stage.file("page.txt")
        try Data("a page".utf8).write(to: file)
        let manager = HTTPSessionManager(baseURL: nil)
        manager.responseSerializer = HTTPResponseSerializer()
        var connection = URLConnectionConfiguration()
        connection.loadsLocalAddresses = true
        manager.connectionConfiguration = connection
        for (name, address) in [("file", file.absoluteString), ("data", "data:,hello")] {
            manager.get(address, progress: nil) { _, data in
                stage.outcome(name, data)
            } failure: { _, error in
                stage.outcome(name, error)
            }
        }
        stage.ends(after: 2)
    }

    func requestEra(_ stage: Stage) throws {
        let file = stage.file("page.txt")
        try Data("a page".utf8).write(to: file)
        let manager = stage.keep(SessionManager())
        manager.loadsLocalAddresses = true
        for (name, address) in [("file", file.absoluteString), ("data", "data:,hello")] {
            manager.request(address).responseData { response in
                stage.outcome(name, response.error ?? response.value)
            }
        }
        stage.ends(after: 2)
    }

    func foundationEra(_ stage: Stage) throws {
        let file = stage.file("page.txt")
        try Data("a page".utf8).write(to: file)
        let addresses = [("file", file), ("data", URL(string: "data:,hello") ?? file)]
        for (name, address) in addresses {
            URLSession.shared.dataTask(with: address) { data, _, error in
                stage.outcome(name, error ?? data)
            }.resume()
        }
        stage.ends(after: 2)
    }
}

import CMeasure
import Foundation

/// nginx with a configuration of its own, and the peer for what nginx cannot.
struct Servers {
    let plainPort: Int
    let tlsPort: Int
    let http2Port: Int
    let peerPort: Int
    /// The system's authorities and the server's own certificate.
    let authorities: String
    /// A file as large as the large body, to be sent.
    let largeFile: String
    let largeLength: Int
    /// The addresses of the small files, one a line.
    let smallList: String
    /// Where a received body goes; in memory, or in the folder that BENCH_RECEIVED names.
    let received: String
    /// The folder for what programs receive that print no measurement.
    let receivedFiles: String

    private let nginx: Child
    private let peer: Child
    private let folder: URL

    init(in folder: URL, programs: URL, isQuick: Bool) throws {
        self.folder = folder
        let files = folder.appending(path: "files")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        largeLength = Bodies.largeLength(isQuick: isQuick)
        try Bodies.write(into: files, largeLength: largeLength)
        largeFile = files.appending(path: "large.bin").path
        let place = ProcessInfo.processInfo.environment["BENCH_RECEIVED"] ?? "/dev/shm"
        received = "\(place)/bench-received-\(getpid())"
        receivedFiles = received + "-files"
        authorities = folder.appending(path: "authorities.pem").path
        try Identity.make(in: folder, authorities: authorities)

        let ports = try Ports.free(3)
        (plainPort, tlsPort, http2Port) = (ports[0], ports[1], ports[2])
        smallList = folder.appending(path: "small.txt").path
        let small = "http://127.0.0.1:\(ports[0])/small/"
        try (1...Bodies.smallCount).map { "\(small)\($0).bin\n" }.joined()
            .write(toFile: smallList, atomically: true, encoding: .utf8)
        let configuration = folder.appending(path: "nginx.conf")
        try Self.configuration(folder.path, ports).write(
            to: configuration, atomically: true, encoding: .utf8)
        let log = folder.appending(path: "nginx-errors.txt")
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        nginx = try Cores.on(.serversCore) {
            try Child(
                ["nginx", "-p", folder.path, "-c", configuration.path, "-e", log.path],
                environment: ["PATH": "/usr/local/sbin:/usr/sbin:/usr/local/bin:/usr/bin:/bin"],
                errors: FileHandle(forWritingAtPath: log.path))
        }
        peer = try Cores.on(.serversCore) {
            try Child([programs.appending(path: "bench-peer").path])
        }
        guard let port = peer.firstLine().flatMap({ Int($0) }) else {
            throw BenchError("bench-peer does not say its port; build it with `make bench`")
        }
        peerPort = port
        guard Ports.isOpen(plainPort) else {
            let said = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            stop()
            throw BenchError("nginx does not listen:\n\(said)")
        }
    }

    func stop() {
        nginx.stop()
        peer.stop()
        try? FileManager.default.removeItem(at: folder)
        for name in [received, received + ".part", received + ".part.json", receivedFiles] {
            try? FileManager.default.removeItem(atPath: name)
        }
    }

    private static func configuration(_ folder: String, _ ports: [Int]) -> String {
        """
        daemon off;
        master_process off;
        pid \(folder)/nginx.pid;
        events { worker_connections 16384; }
        http {
            access_log off;
            sendfile on;
            tcp_nodelay on;
            keepalive_requests 1000000000;
            keepalive_timeout 3600s;
            http2_max_concurrent_streams 128;
            open_file_cache max=100;
            client_body_temp_path \(folder)/1; proxy_temp_path \(folder)/2;
            fastcgi_temp_path \(folder)/3; uwsgi_temp_path \(folder)/4;
            scgi_temp_path \(folder)/5;
            types { application/json json; application/octet-stream bin; image/png png; }
            ssl_certificate \(folder)/certificate.pem;
            ssl_certificate_key \(folder)/key.pem;
            server {
                listen 127.0.0.1:\(ports[0]) backlog=4096;
                listen 127.0.0.1:\(ports[1]) ssl backlog=4096;
                listen 127.0.0.1:\(ports[2]) ssl http2 backlog=4096;
                root \(folder)/files;
            }
        }

        """
    }
}

/// Ports of 127.0.0.1.
enum Ports {
    /// Ports that nobody listens on now.
    static func free(_ count: Int) throws(BenchError) -> [Int] {
        var sockets: [Int32] = []
        defer { sockets.forEach { close($0) } }
        var ports: [Int] = []
        for _ in 0..<count {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            sockets.append(listener)
            var address = loopback(0)
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
                }
            }
            guard isBound else { throw BenchError("no free port on 127.0.0.1") }
            ports.append(Int(UInt16(bigEndian: address.sin_port)))
        }
        return ports
    }

    /// Whether somebody listens, within five seconds.
    static func isOpen(_ port: Int) -> Bool {
        for _ in 0..<500 {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(client) }
            var address = loopback(port)
            let isConnected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            if isConnected { return true }
            usleep(10_000)
        }
        return false
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }
}

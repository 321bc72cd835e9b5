import Alamofire
@testable import OldAlamofire
import TestSupport

@Suite("Old programs: requests and responses", .timeLimit(.minutes(2)))
struct AlamofireRequestTests {

    @Test
    func `every kind of handler gets the one answer, in order`() async throws {
        let world = TestWorld(programs: .httpbin)
        world.server.add("/hello") { _ in .text("[1]") }
        let client = ConsoleClient()
        await done { client.run(world.address("/hello"), finished: $0) }
        #expect(
            client.lines == [
                "plain true", "[1]", "data 3", "string true", "[1]", "utf16 true",
                "json SUCCESS", "json true", "plist true",
            ])
        #expect(world.server.requests.count == 1)
        #expect(await answer { client.runAside(world.address("/hello"), finished: $0) } == false)
    }

    @Test
    func `validations say what is wrong`() async throws {
        let world = TestWorld(programs: .httpbin)
        let check = OldAlamofire.StatusCheck()
        #expect(await answer { check.checkSimply(world.address("/json"), completion: $0) })
        #expect(!(await answer { check.checkSimply(world.address("/status/404"), completion: $0) }))
        let error: (any Error)? = await answer {
            check.checkBody(world.address("/x/empty-json"), completion: $0)
        }
        #expect(error is OldAlamofire.StatusCheck.EmptyBody)
    }

    @Test
    func `the verbs`() async throws {
        let world = TestWorld(programs: .httpbin)
        let client = VerbClient(baseURL: world.base)
        #expect(
            await answer { client.run(completion: $0) } == [
                "DELETE", "GET", "PATCH", "POST", "PUT",
            ])
        #expect(await answer { client.exists("/get", completion: $0) })
        #expect(!(await answer { client.exists("/nothing", completion: $0) }))
    }

    @Test
    func `parameters as query, form and property list`() async throws {
        let world = TestWorld(programs: .httpbin)
        let forms = OldAlamofire.Forms(server: world.base)
        #expect(await answer { forms.query($0) } == "place=Bath")
        let form: [String: Any]? = await answer { forms.nested($0) }
        #expect(form?["name"] as? String == "ann")
        #expect(form?["tags[]"] as? [String] == ["a", "1"])
        #expect(form?["size[width]"] as? String == "2")
        #expect(await answer { forms.queryOfAPost($0) } == "a=1&a=2&b=false")
        let list: String? = await answer { forms.propertyList($0) }
        #expect(list?.contains("<key>a</key>") == true)
        #expect(try forms.byHand() == "a=b%20c")
    }

    @Test
    func `an encoding of one's own`() async throws {
        let world = TestWorld(programs: .httpbin)
        let url = world.server.url("/post")
        #expect(await answer { postLines(["a", "b"], to: url, completion: $0) } == "a\nb")
    }

    @Test
    func `header fields of one call`() async throws {
        let world = TestWorld(programs: .httpbin)
        let headers = await answer { seenHeaders(world.base, completion: $0) }
        #expect(headers["Authorization"] == "Token 1234")
        #expect(headers["Accept"] == "application/json")
        #expect(headers["Accept-Encoding"] == "gzip;q=1.0, compress;q=0.5")
        #expect(headers["User-Agent"]?.contains("Alamofire/4.9.1") == true)
    }

    @Test
    func `logging in: Basic, Digest, and the field at once`() async throws {
        let world = TestWorld(programs: .httpbin)
        let client = LoginClient(server: world.base)
        #expect(
            await answer { client.logIn(user: "ann", password: "guess", completion: $0) } == 401)
        #expect(
            await answer { client.logIn(user: "ann", password: "secret", completion: $0) } == 200)
        #expect(await answer { client.logInWithDigest(completion: $0) } == 200)
        let before = world.server.requests.count
        #expect(await answer { client.logInAtOnce(completion: $0) } == 200)
        #expect(world.server.requests.count == before + 1)
    }

    @Test
    func `models: a serializer of one's own, and mapping`() async throws {
        let world = TestWorld(programs: .httpbin)
        world.server.add("/articles/1") { _ in .json("{\"id\":1,\"title\":\"tea\"}") }
        world.server.add("/articles/2") { _ in .json("[]") }
        let page = ArticlePage(server: world.base, id: 1)
        let response: DataResponse<Article> = await answer { loadArticle(page, completion: $0) }
        #expect(response.result.value?.title == "tea")
        let bad: DataResponse<Article> = await answer {
            loadArticle(ArticlePage(server: world.base, id: 2), completion: $0)
        }
        guard case ServiceError.unexpected? = bad.error as? ServiceError else {
            Issue.record("\(String(describing: bad.error))")
            return
        }
        let title: DataResponse<String> = await answer { loadTitle(page, completion: $0) }
        #expect(title.value == "TEA")
    }

    @Test
    func `errors by their names`() async throws {
        let world = TestWorld(programs: .httpbin)
        #expect(
            await answer { errorText(world.address("/json"), completion: $0) }
                == "application/json is none of [\"text/html\"]")
        #expect(
            await answer { errorText(world.address("/html"), completion: $0) }
                .hasPrefix("serialization true"))
        #expect(
            await answer { errorText("http://127.0.0.1:1/", completion: $0) }
                == "URLError \(NSURLErrorCannotConnectToHost)")
        #expect(await answer { errorText("", completion: $0) } == "invalid URL ")
    }

    @Test
    func `what is printed: a timeline, a line and a curl command`() async throws {
        let world = TestWorld(programs: .httpbin)
        let printing = Printing()
        let (timeline, line): (Timeline, String) = await answer { finish in
            printing.timeline(world.address("/get")) { finish(($0, $1)) }
        }
        #expect(timeline.totalDuration >= timeline.requestDuration)
        #expect(timeline.requestStartTime <= CFAbsoluteTimeGetCurrent())
        #expect(line == "GET \(world.address("/get")) (200)")
        #expect(printing.curl(world.address("/get")).contains("get?place=Bath"))
    }

    @Test
    func `a body by pieces is not kept`() async throws {
        let world = TestWorld(programs: .httpbin)
        let (count, isEmpty): (Int, Bool) = await answer { finish in
            readPieces(world.address("/bytes/50000")) { finish(($0, $1)) }
        }
        #expect(count == 50_000)
        #expect(isEmpty)
    }
}

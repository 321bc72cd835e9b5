/// The sets of routes that a server can have.
extension Routes {
    /// The routes of the catalogue.
    public static var standard: Routes {
        var routes = Routes()
        routes.addIndex()
        routes.addPlain()
        routes.addTimed()
        routes.addFiles()
        routes.addUploads()
        routes.addRedirects()
        routes.addShared()
        routes.addRangeFaults()
        routes.addFaults()
        routes.addOddHeads()
        return routes
    }

    /// The routes of `eras serve`: the standard routes and httpbin's.
    ///
    /// A path that both have is httpbin's. `/bytes/N` is the standard one, which has ranges and an
    /// entity tag.
    public static var served: Routes {
        var routes = standard
        routes.addHttpbin()
        routes.addFiles()
        routes.answerOptions()
        return routes
    }

    /// The paths and sentences of the standard routes, in the order of the index.
    public static var catalogue: [(path: String, sentence: String)] { standard.catalogue }

    /// httpbin's paths with responses of the same form, and under `/x/` further test routes.
    ///
    /// They are a separate set because `standard` gives several of the paths another meaning.
    public static var httpbin: Routes {
        var routes = Routes()
        routes.addIndex()
        routes.addHttpbin()
        routes.addExam()
        routes.addExamFaults()
        return routes
    }
}

import Foundation
import TimelinePage

/// The page beside a contact sheet: each tile is a part of the sheet, with its address as a link.
struct GalleryPage {
    let tiles: [GalleryTile]
    let layout: SheetLayout
    /// The sheet's file name; it lies beside the page.
    let sheet: String

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="generator" content="eras gallery">
        <title>\(HTMLText.escaped(tiles.summary))</title>
        <style>
        \(style)</style>
        </head>
        <body>
        <h1>\(HTMLText.escaped(tiles.summary))</h1>
        <p>Fetched by <code>eras gallery</code>. All on one sheet: \
        <a href="\(reference)">\(HTMLText.escaped(sheet))</a></p>
        <main>
        \(tiles.indices.map(figure).joined())</main>
        </body>
        </html>

        """
    }

    private func figure(_ index: Int) -> String {
        let tile = tiles[index]
        let name = HTMLText.escaped(tile.name)
        let label =
            tile.link.map {
                "<a href=\"\(HTMLText.escaped($0))\" rel=\"noreferrer\">\(name)</a>"
            } ?? name
        let content: String
        if let problem = tile.problem {
            content = "<div class=\"problem\">\(HTMLText.escaped(problem))</div>"
        } else {
            let square = layout.square(index)
            content =
                "<div class=\"image\" role=\"img\" aria-label=\"\(name)\" "
                + "style=\"background-position: -\(square.x)px -\(square.y)px\"></div>"
        }
        let details = tile.details.isEmpty ? tile.address : tile.details
        return "<figure title=\"\(HTMLText.escaped(tile.address))\">\(content)"
            + "<figcaption>\(label)<small>\(HTMLText.escaped(details))</small></figcaption>"
            + "</figure>\n"
    }

    /// The sheet's address from the page; a colon in a name begins no scheme.
    private var reference: String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return sheet.addingPercentEncoding(withAllowedCharacters: unreserved) ?? sheet
    }

    private var style: String {
        """
        :root {
          color-scheme: light dark;
          --paper: light-dark(#fcfbf8, #14171b);
          --ink: light-dark(#1c2025, #e8e5de);
          --soft: light-dark(#5a6068, #a5abb2);
          --bad: light-dark(#b4163a, #ff8595);
          --bad-card: light-dark(#fcf0f1, #2b1c21);
          --bad-line: light-dark(#e9c4ca, #5b313a);
        }
        html { background: var(--paper); color: var(--ink); }
        body { margin: 0 auto; max-width: 76rem; padding: 2rem 1.5rem; overflow-wrap: anywhere;
          font: .9375rem/1.4 -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
        h1 { font-size: 1.5rem; font-weight: 600; margin: 0; }
        p { color: var(--soft); margin: .25rem 0 1.5rem; }
        a { color: inherit; text-decoration-color: var(--soft); text-underline-offset: .15em; }
        main { display: grid; gap: 1.25rem;
          grid-template-columns: repeat(auto-fill, \(layout.side)px); }
        figure { margin: 0; width: \(layout.side)px; }
        .image, .problem { box-sizing: border-box; width: \(layout.side)px; height: \(layout.side)px; }
        .image { background: url("\(reference)") no-repeat; }
        .problem { padding: .75rem; overflow: auto; color: var(--bad);
          background: var(--bad-card); border: 1px solid var(--bad-line); }
        figcaption { margin-top: .375rem; }
        small { display: block; color: var(--soft); font-size: .8125rem; }

        """
    }
}

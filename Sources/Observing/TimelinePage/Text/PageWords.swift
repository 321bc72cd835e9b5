/// The page's own texts in its language. The English text is the key, and is used where there
/// is no translation.
struct PageWords {
    /// A value of HTML's `lang`: "en" or "zh-Hans".
    let language: String

    init(_ language: String) {
        self.language = language
    }

    var isChinese: Bool { language.hasPrefix("zh") }

    func callAsFunction(_ english: String) -> String {
        isChinese ? Self.chinese[english] ?? english : english
    }

    /// The translation, escaped.
    func html(_ english: String) -> String { HTMLText.escaped(self(english)) }

    /// "3 marks".
    func counted(_ number: Int, _ noun: String) -> String {
        isChinese ? "\(number) 个\(self(noun))" : HTMLText.counted(number, noun)
    }

    /// Translates a name such as "operation 3", "to main queue" or "woken by timer".
    func name(_ english: String) -> String {
        guard isChinese else { return english }
        if let whole = Self.chinese[english] { return whole }
        if let match = english.wholeMatch(of: /(\w+) (\d+(?:, \d+)*)( and \d+ more)?/) {
            let rest = match.3.map { _ in " 等" } ?? ""
            return "\(self(String(match.1))) \(match.2)\(rest)"
        }
        if let match = english.wholeMatch(of: /to (.+)/) { return "交给\(name(String(match.1)))" }
        if let match = english.wholeMatch(of: /waited (.+)/) { return "等待了 \(match.1)" }
        if let match = english.wholeMatch(of: /end of (.+)/) { return "\(match.1) 结束" }
        if let match = english.wholeMatch(of: /woken by (.+)/) { return "被 \(match.1) 唤醒" }
        return detail(english) ?? english
    }

    /// The translation of what a track contains; nil for another text.
    private func detail(_ english: String) -> String? {
        if let match = english.wholeMatch(of: /On (\d+) threads?\./) {
            return "在 \(match.1) 个线程上。"
        }
        if let match = english.wholeMatch(of: /(.+\.) All at (.+)\./) {
            return "\(name(String(match.1)))全部在 \(match.2)。"
        }
        if let match = english.wholeMatch(of: /(Named|Label) ([^ ]+)\.(?: (.+))?/) {
            let rest = match.3.map { name(String($0)) } ?? ""
            return (match.1 == "Label" ? "标签 " : "名为 ") + "\(match.2)。\(rest)"
        }
        return nil
    }

    /// The script's texts, as a literal of JavaScript.
    var script: String {
        let words = isChinese ? Self.scripted : []
        let pairs = words.map { "\"\($0)\": \"\(self($0))\"" }
        return "{\(pairs.joined(separator: ", "))}"
    }

    private static let scripted = [
        "Narrower", "Wider", "Light", "Dark", " to ", " ms long", " of ", " marks",
    ]

    private static let chinese: [String: String] = [
        // Around the pictures
        "How to read the pictures": "怎样看图",
        "Point at a track, or go to it with Tab and through it with the arrow keys, to read one mark after the other.":
            "用指针指着一行，或按 Tab 进入一行、再用方向键逐个移动，就能读出每个标记。",
        "Drawn from recordings of real runs. Marks too close to be told apart are drawn as one that says how many it stands for; the tables hold the same marks in words.":
            "图由真实运行的记录画成。挨得太近的标记合画成一个，并注明代表多少个；表格用文字列出同样的标记。",
        "Dark": "深色", "Light": "浅色", "Narrower": "收窄", "Wider": "放宽", "Filter": "筛选",
        "callback, operation 3, /items": "回调、操作 3、/items",
        " to ": " 到 ", " ms long": " ms 长", " of ": " / ", " marks": " 个标记",
        "mark": "标记", "all": "全部",
        // A picture
        "Look at": "看这里",
        "Nothing was recorded.": "没有记录到任何事件。",
        "Every track as a table": "用表格列出每一行",
        "callback": "回调", "thread": "线程", "value": "值", "result": "结果",
        "from, ms": "从（ms）", "to, ms": "到（ms）", "kind": "种类", "what": "内容", "whose": "属于",
        "Who waits for whom": "谁在等谁", "waits for": "等待", "held by": "持有者是",
        "a circle: a deadlock": "成了一个环：死锁",
        "results": "结果", "pace": "快慢", "wall, ms": "总时间（ms）",
        "wall time, shortest to longest run, ms": "总时间，从最短到最长的一次（ms）", "processor, ms": "处理器时间（ms）",
        "requests": "请求数", "connections": "连接数", "threads at most": "线程最多",
        "most nested locks of one lock by one thread": "一个线程对同一把锁最多嵌套的层数", "done": "完成",
        // Tracks
        "main": "主线程", "operations": "操作", "network thread": "网络线程",
        "other threads": "其他线程", "caller": "调用者", "operation's lock": "操作的锁", "sockets": "连接",
        "server": "服务器", "lock": "锁",
        "delegate queue": "delegate queue", "processing queue": "处理队列",
        "completion queue": "completion queue", "main queue": "主队列",
        "Threads without a name: an operation queue's, or the system's.": "没有名字的线程：操作队列的或系统的。",
        "A bar is an operation from start to finish, its core the exchange on the wire, the line before it the wait in the queue.":
            "长条是一个操作从开始到结束，中间的芯是网络上的请求与响应，前面的线是在队列里等待的时间。",
        "A bar is a task from resume to its completion, its core the exchange on the wire.":
            "长条是一个任务从 resume 到完成，中间的芯是网络上的请求与响应。",
        "A bar is a request from its creation until its queue of handlers is resumed, each core in it an exchange on the wire.":
            "长条是一个请求从创建到它的 handler 队列恢复，中间的每个芯是网络上的一次请求与响应。",
        "A bar is a socket from connecting to closed.": "长条是一个 socket 从开始连接到关闭。",
        "A line is a connection the server accepted, a bar an exchange on it.":
            "线是服务器接受的一个连接，长条是连接上的一次请求与响应。",
        // Kinds of marks
        "asleep": "休眠", "block": "block 运行", "delegate call": "delegate 调用",
        "serialization": "解析", "lock held": "持有锁", "lock wait": "等锁", "waiting": "从未开始",
        "operation": "操作", "task": "任务", "request": "请求", "paused": "暂停", "transfer": "传输",
        "socket": "连接", "connecting": "建立连接", "handshake": "TLS 握手", "connection": "连接",
        "exchange": "请求与响应", "failure": "失败", "progress": "进度", "cancelled": "取消",
        "submitted": "交给队列", "enqueued": "加入队列", "mode": "mode", "response head": "响应头",
        "received": "收到", "sent": "发出", "note": "注记",
        "no end when the recording stopped": "记录停止时还没有结束",
        // The legend
        "Work": "工作", "Sockets": "连接", "Server": "服务器", "Threads and queues": "线程与队列",
        "Locks": "锁", "Moments": "时刻", "Lines": "线条",
        "an operation, a task or a request": "操作、任务或请求",
        "the line before it: its wait in the queue": "前面的线：在队列里等待的时间",
        "its exchange on the wire": "它在网络上的请求与响应",
        "enqueued, and never started": "加入了队列，从未开始",
        "open": "已打开", "TLS handshake": "TLS 握手",
        "a connection that it accepted": "服务器接受的连接",
        "an exchange on it": "连接上的一次请求与响应",
        "asleep in the run loop": "在 RunLoop 里休眠", "a block runs": "block 在运行",
        "on a processor, as measured": "占用处理器（测得）", "on a processor": "占用处理器",
        "a delegate call": "delegate 调用", "your block runs": "你的 block 在运行",
        "a body is read or made": "解析或生成 body",
        "held, as many times as the steps are high": "持有锁，台阶多高就进入了多少次",
        "a thread waits for it": "有线程在等这把锁",
        "your block is called: a result": "调用你的 block：成功",
        "your block is called: an error": "调用你的 block：出错",
        "your block is called: progress": "调用你的 block：进度",
        "dispatched to a queue": "交给队列", "bytes sent": "发出字节",
        "a response's header": "响应头", "bytes received": "收到字节",
        "another mode of the run loop": "RunLoop 换了 mode", "a note": "注记",
        "dashed: no end when the recording stopped": "虚线：记录停止时还没有结束",
        "everything was done": "全部完成",
    ]
}

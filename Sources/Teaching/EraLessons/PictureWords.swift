public import Lessons

/// The texts beside the timeline of a lesson's run.
public enum PictureWords {
    /// What to look at in a lesson's timeline.
    ///
    /// - Parameter lesson: its number.
    public static func advice(for lesson: Int) -> Words? { advice[lesson] }

    /// A variant's title by its name; nil where the name suffices.
    public static func title(of variant: String) -> Words? { titles[variant] }

    /// The title of a part of a variant's recording: the variant's title for the first part, for a later one what
    /// is tried there.
    ///
    /// - Parameters:
    ///   - part: from 0 on.
    ///   - lesson: its number.
    public static func title(of variant: String, part: Int, of lesson: Int) -> Words? {
        let parts = parts[lesson] ?? []
        return parts.indices.contains(part - 1) ? parts[part - 1] : title(of: variant)
    }

    /// What the second and later parts of each variant are about.
    private static let parts: [Int: [Words]] = [
        6: [
            Words("an operation that is started twice", "被 start 两次的操作"),
            Words("start, while the server holds the request", "服务器扣住请求时的 start"),
        ],
        7: [
            Words(
                "another thread reads the state while the end is announced",
                "通知结束时，另一个线程读取状态")
        ],
        8: [Words("cancelled before it began", "开始之前取消")],
        9: [
            Words("a download of 64 MiB to a reader", "64 MiB 的下载，交给读取者"),
            Words("a download to a full disk", "下载到已满的磁盘"),
        ],
        10: [
            Words(
                "another thread reads the result while the block waits", "block 等待时，另一个线程读取结果")
        ],
        12: [
            Words("ten requests, at most four at once", "十个请求，同时最多四个"),
            Words("a download that is paused in the middle", "中途暂停的下载"),
            Words("a single request: where callbacks come from", "一个请求：回调来自哪里"),
        ],
        16: [
            Words("one of ten views cancels", "十个视图中有一个取消"),
            Words("a cell that is used again", "被复用的单元格"),
        ],
    ]

    private static let advice: [Int: Words] = [
        1: Words(
            "the server's lines: in correct it has both exchanges at once, in inTurn the second "
                + "begins where the first ends.",
            "服务器的两行：correct 中两个请求同时在服务器上，inTurn 中第二个请求在第一个结束处才开始。"),
        2: Words(
            "the number of thread tracks: the same sixteen exchanges need one track in correct and "
                + "sixteen in threadEach.",
            "线程有几行：同样十六个请求，correct 只要一行，threadEach 要十六行。"),
        3: Words(
            "the thread after its one request: in correct a line of sleep, in noPort nothing, for the "
                + "thread is gone, in endlessLoop bars of processor time, for it asks again and again.",
            "线程在唯一的请求之后做什么：correct 中是一条休眠线；noPort 中什么也没有，线程已退出；endlessLoop 中是占用处理器的长条，它在反复询问。"),
        4: Words(
            "the network thread's line of sleep: it breaks where a job wakes the loop, and in "
                + "noWakeUp it goes on although a job waits.",
            "网络线程的休眠线：作业唤醒 RunLoop 处线断开；noWakeUp 中作业已在等，线却没有断。"),
        5: Words(
            "the two marks of the mode, tracking and default: in correct the job stands between "
                + "them, in defaultModeOnly behind both.",
            "mode 的两个标记 tracking 和 default：correct 中作业在两者之间，defaultModeOnly 中在两者之后。"),
        6: Words(
            "the end of the operation's bar and what begins after it: without the announcement "
                + "nothing does.",
            "操作长条的结尾以及其后开始的东西：没有 KVO 通知，就什么也不开始。"),
        7: Words(
            "the lock's track: above its holder, below the threads that wait. In plainLock both are "
                + "the same thread, and that is the circle under the picture.",
            "锁的那一行：上面是持有者，下面是等待者。plainLock 中两者是同一个线程，这就是图下的环。"),
        8: Words(
            "where cancel is called and where the operation's bar ends: between them the call is "
                + "dispatched to the network thread.",
            "调用 cancel 处与操作长条的结尾：两者之间是交给网络线程的那段路。"),
        9: Words(
            "the server's exchange beside the reader's calls: with a stream they keep in step, in "
                + "memory the server runs ahead.",
            "服务器的请求与响应和读取者的调用：用流时两者同步，放进内存时服务器跑在前面。"),
        10: Words(
            "the bar of the completion and the network thread meanwhile: in completionHere they are "
                + "one, in completionUnderLock the lock's track shows the circle.",
            "completion 的长条和同一时刻的网络线程：completionHere 中两者合一，completionUnderLock 中锁的那一行显示出环。"),
        11: Words(
            "the handshakes: an exchange follows those that the policy accepts.",
            "各次握手：哪一次后面跟着请求与响应，就是策略的回答。"),
        12: Words(
            "the ten bars: operations start in steps of four, tasks all at once, and the line "
                + "before the exchange is the wait that the task hides.",
            "那十个长条：操作每次开始四个，任务同时开始；请求与响应前面的线，是任务隐藏起来的等待。"),
        13: Words(
            "pieces A and B on the callback threads: one below the other in width8, one behind the "
                + "other in correct.",
            "回调线程上的 A 和 B 两块：width8 中同时进行，correct 中一前一后。"),
        14: Words(
            "the delegate calls: they bring bytes of two tasks in turn, on one queue.",
            "delegate 的各次调用带来的是谁的字节：它们在同一个队列上交替属于两个任务。"),
        15: Words(
            "the handlers' marks and the end of the request: in correct all three follow it.",
            "各个 handler 的标记和请求的结尾：correct 中三个都在结尾之后。"),
        16: Words(
            "how many exchanges the server has at once, and how many in all: a hundred views, ten "
                + "pictures.",
            "服务器同时有几个请求，总共几个：一百个视图，十张图。"),
        17: Words(
            "how many tasks run before the first ends: in tasksBlock as many as there are threads.",
            "第一个结束之前有几个任务在运行：tasksBlock 中只有线程那么多个。"),
        18: Words(
            "what is awake while something waits, for how long, and who could end the wait.",
            "有东西在等时谁醒着、等了多久、谁能结束这次等待。"),
    ]

    private static let titles: [String: Words] = [
        "correct": Words("as it should be", "正确的做法"),
        "inTurn": Words("one thread, a request after the other", "一个线程，一个请求接一个请求"),
        "threadEach": Words("a thread for each request", "每个请求一个线程"),
        "noPort": Words("the loop has nothing to wait for", "RunLoop 没有东西可等"),
        "endlessLoop": Words("the loop is run again and again", "RunLoop 返回后一再重新运行"),
        "noWakeUp": Words("the source is signalled, the loop not woken", "只 signal，不唤醒 RunLoop"),
        "defaultModeOnly": Words(
            "the source is in the default mode alone", "source 只在 default mode 里"),
        "startWaits": Words("start returns at the end of the request", "start 等到请求结束才返回"),
        "noAnnouncement": Words("states change without KVO notifications", "状态变了，却没有 KVO 通知"),
        "anyMove": Words("every move between states is allowed", "状态之间可以任意移动"),
        "plainLock": Words("a lock that its holder cannot take again", "持有者不能再次进入的锁"),
        "noLock": Words("no lock at all", "完全没有锁"),
        "lockedGetter": Words("reading the state takes the lock", "读取状态的线程也要拿锁"),
        "cancelHere": Words("cancel touches the connection at once", "cancel 当场动连接"),
        "cancelTellsNobody": Words("cancel ends nothing", "cancel 之后没有人结束操作"),
        "resultWins": Words("a result replaces the cancel", "结果盖过了取消"),
        "completionHere": Words("the block runs on the network thread", "block 在网络线程上运行"),
        "completionUnderLock": Words("the block runs while the lock is held", "block 在持有锁时运行"),
        "width8": Words("a callback queue of width 8", "宽度为 8 的回调队列"),
        "inMemory": Words("the whole body in memory", "整个 body 放进内存"),
        "forgetsErrors": Words("the stream ignores the disk's error", "流忽略磁盘的错误"),
        "operations": Words("AFNetworking 2: operations", "AFNetworking 2：操作"),
        "tasks": Words("AFNetworking 4: tasks of a session", "AFNetworking 4：会话的任务"),
        "oneBuffer": Words("one buffer for all tasks", "所有任务共用一个缓冲区"),
        "patchedTwice": Words("the same method, swizzled twice", "同一个方法被 swizzle 两次"),
        "listOfBlocks": Words("handlers in an array, called at the end", "handler 放在数组里，结束时调用"),
        "atOnce": Words("a handler is called when it is added", "添加时立即调用 handler"),
        "fifo": Words("first in, first out", "先进先出"),
        "lifo": Words("last in, first out", "后进先出"),
        "alone": Words("each view with an address of its own", "每个视图有自己的地址"),
        "noReceipt": Words("the cell shows whatever arrives", "单元格来什么就显示什么"),
        "tasksBlock": Words("tasks that block their threads", "阻塞线程的任务"),
        "none": Words("no pins", "没有固定值"),
        "allowInvalid": Words("no pins, invalid certificates allowed", "没有固定值，允许无效证书"),
        "certificate": Words("a pinned certificate", "固定证书"),
        "publicKey": Words("a pinned public key", "固定公钥"),
        "publicKeyAllowInvalid": Words(
            "a pinned public key, invalid certificates allowed", "固定公钥，允许无效证书"),
        "networkThreadIsKept": Words("a block blocks the network thread", "有 block 占住网络线程"),
        "mainIsKept": Words("something blocks the main thread", "有东西占住主线程"),
        "oneAtATime": Words("the queue's limit is one", "队列的上限是一"),
        "neverStarted": Words("an operation never starts", "有操作一直没有开始"),
        "newConnections": Words("each request makes a connection", "每个请求都新建连接"),
    ]
}

import Foundation

/// The result of an exercise's check.
public struct Verdict: Sendable {
    /// Which behaviour is missing, and why; nil where the exercise is solved.
    public let failure: Words?

    /// Why the solution is right; nil where the exercise is not solved.
    public let reason: Words?

    /// A stage of an exercise, from 1 on, and how many it has. Those before it are solved.
    typealias Stage = (number: Int, count: Int)

    /// The stage in which the behaviour is missing; nil where the exercise is solved.
    let stage: Stage?

    static func missing(_ english: String, _ chinese: String, stage: Stage) -> Verdict {
        Verdict(failure: Words(english, chinese), reason: nil, stage: stage)
    }

    /// Whether the exercise is solved.
    public var isSolved: Bool { failure == nil }

    /// What is missing, or that the exercise is solved, and why.
    public func text(_ language: Language) -> String {
        if let failure, let stage {
            let position = Words(
                "Stage \(stage.number) of \(stage.count). ",
                "第 \(stage.number) 步（共 \(stage.count) 步）。")
            return position.text(language) + failure.text(language)
        }
        let reason = reason.map { $0.text(language) } ?? ""
        return Words("Solved. \(reason)", "通过。\(reason)").text(language)
    }

    /// Prints the text, in Chinese where `LANG` asks for it, and exits, with 0 where the exercise is
    /// solved.
    public func finish() -> Never {
        print(text(.current(ProcessInfo.processInfo.environment)))
        exit(isSolved ? 0 : 1)
    }
}

extension Verdict {
    /// - Parameter exercise: its number.
    static func solved(_ exercise: Int) -> Verdict {
        Verdict(failure: nil, reason: reasons[exercise], stage: nil)
    }

    /// Why a solution of each exercise is right.
    private static let reasons = [
        1: Words(
            "The thread waits for all lines at once, so a silent line does not delay another.",
            "线程一次询问所有线路，所以沉默的线路不会耽误已有消息的线路。"),
        2: Words(
            "Waiting is no work: one thread waits for eight lines as for one, and what only one "
                + "thread uses needs no lock.",
            "等待不是工作：一个线程等八条线路和等一条一样，它触碰的东西也不需要锁。"),
        3: Words(
            "The run loop has something to wait for. That it never happens does not matter; the "
                + "thread sleeps until the loop is stopped.",
            "RunLoop 有东西可等。那件事从不发生也没有关系：线程一直休眠，直到有人停止循环。"),
        4: Words(
            "Signalling marks the source, and waking makes the loop check its sources: both are needed.",
            "signal 给 source 做标记，唤醒让 RunLoop 去看标记：两者缺一不可。"),
        5: Words(
            "The timer is in each of the common modes now, so the loop sees it in whichever of them "
                + "it runs.",
            "timer 现在在每个 common mode 里，RunLoop 处于其中哪一个都看得到它。"),
        6: Words(
            "Both keys have KVO calls around their change: by isFinished the queue starts dependent "
                + "operations, by isExecuting observers notice the end.",
            "两个 key 都在修改前后发出通知：队列靠 isFinished 启动依赖者，观察者靠 isExecuting 得知操作已停下。"),
        7: Words(
            "The same thread may lock a recursive lock again, and another one still has to wait: "
                + "check and change are one step.",
            "同一个线程可以再次进入递归锁，别的线程仍然要等：“检查”与“修改”是一步。"),
        8: Words(
            "The cancel is a job that runs after the one that opens the line, so it finds whatever that has "
                + "made.",
            "取消是排在“打开”之后的作业，所以它能找到前者建立的东西。"),
        9: Words(
            "You count what the sink took, and throw when it takes no more: a part is no success.",
            "你数的是 sink 收下的字节，它不再收时也说了出来：残缺的结果不是成功。"),
        10: Words(
            "The block runs on a queue of its own, without a lock: one that waits blocks that queue "
                + "and nothing else.",
            "block 在指定的队列上运行，外面没有锁：等待的 block 只占住那个队列。"),
        11: Words(
            "A pin is an additional check: name and date are checked as before, and only the "
                + "authority can be replaced.",
            "固定值是附加的条件：主机名和日期照样算数，能被代替的只有 CA。"),
        12: Words(
            "The second request starts in the first one's block, where the token is known, and no "
                + "thread waits for it.",
            "第二个请求在第一个的 block 里开始，token 就在那里，也没有线程在等。"),
        13: Words(
            "One block runs at a time, in the order of the pieces, and the caller of `deliver` does "
                + "not wait for it.",
            "一次一个 block，按到来的顺序，而送来数据块的线程不必等。"),
        14: Words(
            "Each task has a body of its own, found by its number, and removed when the task ends.",
            "每个任务有自己的 body，按编号查找，结束时从表里移除。"),
        15: Words(
            "Early and late handlers take the same path, so none is lost between two.",
            "早来和晚来的 handler 走同一条路，所以没有哪个会漏在两条路之间。"),
        16: Words(
            "A receipt counts once, in any order of events, and the download ends with the last one.",
            "无论谁遇上谁，一张回执只数一次；最后一张取消时，下载才取消。"),
        17: Words(
            "A task that awaits releases its thread, so the few threads suffice for all tasks.",
            "在 await 的任务会交还线程，所以那几个线程够所有任务用。"),
        18: Words(
            "You have found in each trace which thread was awake, which waited, and for what.",
            "你问过每份记录：谁醒着，谁在等，等的是谁。"),
        19: Words(
            "You have written versions 5 to 8 of the small port: announced, started once, cancelled at "
                + "any moment, and completed once on the queue that was asked for.",
            "你写出了小移植版的阶段 5 到 8：发通知，只启动一次，随时可以取消，并在指定的队列上完成一次。"),
    ]
}

import Lessons

/// The command's own texts, in the reader's language.
enum LessonWords {
    static let result = Words("Result", "结果")
    static let running = Words(
        "The experiment runs, for some seconds.", "实验正在运行，需要几秒钟。")
    static let noTerminal = Words(
        "Standard input is no terminal, so no guess is asked for; --guess N gives one.",
        "标准输入不是终端，无法请你猜测；可以用 --guess N 给出猜测。")
    static let list = Words(
        "\"eras lesson 7\" runs a lesson, \"eras quiz\" asks 24 questions.",
        "“eras lesson 7”运行一课，“eras quiz”提出二十四个问题。")
    /// After the title of a lesson.
    static let done = Words(" (done)", "（已完成）")
    static let afterGuess = Words("Enter runs the experiment: ", "按回车运行实验：")
    static let beforeSource = Words("Enter shows the source: ", "按回车显示源码：")
    static let noAnswer = Words(
        "The run has shown none of the answers. Run it once more; if that changes nothing, please "
            + "report it as a bug.",
        "这次运行没有给出任何一个答案。请再运行一次；如果还是这样，就是应当报告的缺陷。")
    static let page = Words("The page: ", "页面：")
    static let isTrue = Words("True.", "对。")
    static let isFalse = Words("False.", "错。")
    static let judge = Words("True or false (t or f)? ", "对还是错（t 或 f）？")
    static let judgeAgain = Words(
        "Type t for true or f for false; Enter leaves it out.", "对请输入 t，错请输入 f；直接回车跳过。")
    static let quizNoTerminal = Words(
        "Standard input is no terminal, so no question is asked; here are the answers.",
        "标准输入不是终端，无法提问；以下是答案。")
    static let noMoreHints = Words(
        "That was the last hint. The folder of the exercise has a solution.",
        "这是最后一个提示。练习的文件夹里有答案。")

    /// Whether the reader was right, and what is true.
    static func judged(_ isRight: Bool, isTrue: Bool) -> Words {
        Words(
            (isRight ? "Right, it is " : "No, it is ") + (isTrue ? "true." : "false."),
            (isRight ? "答对了，这句话是" : "答错了，这句话是") + (isTrue ? "对的。" : "错的。"))
    }

    static func prompt(_ count: Int) -> Words {
        Words("Your guess, 1 to \(count): ", "你猜是 1 到 \(count) 中的哪一个？")
    }

    static func promptAgain(_ count: Int) -> Words {
        Words(
            "Type a number from 1 to \(count); Enter continues without a guess.",
            "请输入 1 到 \(count) 的数字；直接回车则不猜。")
    }

    /// Guess and answer, from 1 on.
    static func comparison(guess: Int?, answer: Int, _ text: String) -> Words {
        let shown = Words("The run shows \(answer): \(text)", "运行结果是 \(answer)：\(text)")
        guard let guess else { return shown }
        if guess == answer {
            return Words(
                "You guessed \(guess), and so it is: \(text)", "你猜的是 \(guess)，正是如此：\(text)")
        }
        return Words(
            "You guessed \(guess). \(shown.text(.english))",
            "你猜的是 \(guess)。\(shown.text(.simplifiedChinese))")
    }

    static func next(_ number: Int) -> Words {
        Words("Next: eras lesson \(number)", "下一课：eras lesson \(number)")
    }

    /// The text before the check of one of several exercises.
    static func exercise(_ lesson: Lesson) -> Words {
        Words(
            "Exercise \(lesson.number), \(lesson.exercise). \"eras lesson hint \(lesson.number)\" helps.\n",
            "练习 \(lesson.number)：\(lesson.exercise)。“eras lesson hint \(lesson.number)”给出提示。\n")
    }

    static func watching(_ path: String) -> Words {
        Words(
            "It is checked again when you save the file; Ctrl-C ends.\n\(path)",
            "保存文件后会自动重新检查；按 Ctrl-C 结束。\n\(path)")
    }

    static let allSolved = Words("All exercises are solved.", "所有练习都已通过。")

    static func lesson(_ number: Int) -> Words {
        Words("Lesson \(number) shows it.", "见第 \(number) 课。")
    }

    static func score(_ right: Int, of asked: Int, lessons: [Int]) -> Words {
        let numbers = lessons.map(String.init)
        let english = "You were right in \(right) of \(asked)."
        let chinese = "答对 \(right) 题，共答 \(asked) 题。"
        guard !numbers.isEmpty else { return Words(english, chinese) }
        return Words(
            english + " Read lesson \(numbers.joined(separator: ", ")) about the others.",
            chinese + "没答对的见第 \(numbers.joined(separator: "、")) 课。")
    }

    static func experimentFailed(_ reason: String) -> String {
        "The experiment could not be run: \(reason)."
    }
}

extension HelpText {
    static let lesson = """
        eras lesson - asks for a guess, runs an experiment and explains its result

        Examples
          eras lesson
          eras lesson 7
          eras lesson 12 --open
          eras lesson hint 7
          eras lesson check 7
          eras lesson watch
          eras lesson 3 --no-guess --language zh-Hans

        Without a number it lists the eighteen lessons. With one it asks for a guess,
        runs the experiment in a process of its own, which takes some seconds and at
        most 30, shows guess and result, explains, and shows the source. It needs no
        network. At a terminal it waits for Enter before the experiment and before the
        source, and the list marks the lessons and exercises that are done;
        $XDG_STATE_HOME/eras/lessons has them, or ~/.local/state/eras/lessons.

        Commands
          check N          check your solution of a lesson's exercise: your file in the
                           folder Exercises of a checkout, which it looks for from this
                           folder upwards, and then where this program was built
          watch [N]        the same, and again whenever you save the file, until it is
                           solved; without N all unsolved exercises, one after the other
          hint N [M]       hint M of that exercise, from 1 on (1)
          trace N          show the recorded trace N of exercise 18, 1 to 5

        Options
              --no-guess       ask nothing, for scripts; the default where standard
                               input is no terminal
              --guess N        your guess, instead of a question
              --language NAME  en or zh-Hans; the default is Chinese where LANG begins
                               with zh
              --html FILE      a page with the timeline of the run; "-" is standard
                               output, and the text is left out then
              --open           show that page in the browser

        Exit codes
            0  the experiment ran, or the exercise is solved
            1  the experiment could not run, or the exercise is not solved yet
            2  the arguments are wrong
          130  interrupted with Ctrl-C

        """

    static let quiz = """
        eras quiz - 24 sentences about the architecture, each true or false

        Examples
          eras quiz
          eras quiz --language zh-Hans
          eras quiz --no-guess

        It asks for t or f, says what is true and why, and which lesson shows it. Enter
        skips a sentence; the end of the input ends the quiz.

        Options
              --no-guess       ask nothing and show the answers; the default where
                               standard input is no terminal
              --language NAME  en or zh-Hans; the default is Chinese where LANG begins
                               with zh

        Exit codes
            0  the quiz was shown
            2  the arguments are wrong
          130  interrupted with Ctrl-C

        """
}

import Lessons

Verdict.of(write: Exercise.self).finish()

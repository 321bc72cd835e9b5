import Lessons

Verdict.of(completion: Exercise.self).finish()

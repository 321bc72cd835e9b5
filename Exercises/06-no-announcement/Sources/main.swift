import Lessons

Verdict.of(announcement: Exercise.self).finish()

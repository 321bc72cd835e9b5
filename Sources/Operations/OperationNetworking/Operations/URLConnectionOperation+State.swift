import EventRecorder
import Foundation
import Synchronization

// How an operation's state changes: under the lock, announced in order. The network thread does the
// work.

extension URLConnectionOperation {
    var state: OperationState { CountedState.state(stateNow.load(ordering: .acquiring)) }

    /// Acts under the lock. The network thread is woken after it, because it would wait for the lock.
    func act(_ action: () -> Void) {
        let thread = lock.withLock {
            action()
            defer { guarded.threadToWake = nil }
            return guarded.threadToWake
        }
        thread?.wakeUp()
    }

    /// The one place that changes the state. The lock is held.
    func apply(_ event: OperationState.Event) {
        let moves = state.moves(on: event, guarded.circumstances)
        switch event {
        case .start
        where moves != OperationState.Moves()
            || state == .paused && guarded.circumstances.areDependenciesDone:
            guarded.circumstances.wasStarted = true
            guarded.runThread = guarded.runThread ?? guarded.settings.networkThread
        case .cancel:
            guarded.circumstances.isCancelled = true
        case .pause where state == .executing && !moves.states.isEmpty:
            post(guarded.notifications.pause())
        case .start, .pause, .resume, .complete:
            break
        }
        if let last = moves.states.last {
            announce(moves.states, then: { handOn(moves.work) }, last)
            holdItself()
        } else {
            handOn(moves.work)
        }
    }

    /// Keeps a paused operation alive whose success or failure has not been called, also where its
    /// caller keeps no reference: the original's block held it until it had run (wound 12). The lock is
    /// held.
    ///
    /// While it runs, its connection holds it. One that was never started is not held (wound 15).
    func holdItself() {
        let mustWait =
            state == .paused && guarded.circumstances.wasStarted && guarded.mustTell
        if mustWait != (guarded.itself != nil) {
            guarded.itself = mustWait ? self : nil
        }
    }

    /// The lock is held.
    func setMustTell(_ mustTell: Bool) {
        guarded.mustTell = mustTell
        holdItself()
    }

    /// Stores and announces each state; the work goes out before the last announcement, so that a
    /// cancel made inside it is queued behind what it cancels.
    private func announce(
        _ states: [OperationState], then handOn: () -> Void, _ last: OperationState
    ) {
        for new in states {
            let old = state
            willChangeValue(forKey: new.keyPath)
            willChangeValue(forKey: old.keyPath)
            let next = CountedState.next(new, after: stateNow.load(ordering: .relaxed))
            stateNow.store(next, ordering: .releasing)
            note(old, to: new)
            noteTime(of: new)
            if new == last {
                handOn()
            }
            if new == .finished {
                guarded.finishHooks.forEach { $0() }
                guarded.finishHooks = []
            }
            changed(old)
            changed(new)
            // An observer may have changed the state again; the newer state counts.
            guard state == new else { return }
        }
    }

    /// Announces the current value, as the getter gives it.
    private func changed(_ key: OperationState) {
        guarded.stateObserver?(StateAnnouncement(keyPath: key.keyPath, isTrue: state == key))
        askers.announcing { didChangeValue(forKey: key.keyPath) }
    }

    private func handOn(_ work: OperationState.Work) {
        switch work {
        case .none:
            break
        case .begin:
            currentAdmission?.begin()
            guarded.run &+= 1
            let run = guarded.run
            handOn { self.begin(run) }
        case .interrupt:
            let run = guarded.run
            handOn { self.interrupt(run) }
        case .abort:
            handOn { self.abort() }
        }
    }

    /// Enqueues a job after all jobs handed on before. The modes are the connection's: outside them the
    /// connection makes no progress, but the operation can end.
    private func handOn(_ job: @escaping @Sendable () -> Void) {
        let thread = runThread
        if thread.enqueue(alsoIn: guarded.settings.runLoopModes, job) {
            guarded.threadToWake = thread
        }
    }

    /// One thread for all runs, whatever is set after the first start.
    var runThread: NetworkThread { guarded.runThread ?? guarded.settings.networkThread }
}

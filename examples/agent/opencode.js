// Tells soundd what each session of opencode does, with the words of soundd-agent: agent/SESSION is working, waiting, done,
// idle, failed or ended. opencode loads it from ~/.config/opencode/plugins.
import { execFile } from "node:child_process"

// Work that takes less is `idle` at its end, because you are still there. In milliseconds.
const long = 20_000

export const Soundd = async () => {
  const parents = new Map() // of sub-agents
  const words = new Map() // the last of each session
  const began = new Map()
  let last = Promise.resolve()

  // One after the other, so that the last word is the last one. Nothing waits for it, and no shell is involved.
  const set = (session, word) => {
    if (words.get(session) === word) return
    words.set(session, word)
    const name = "agent/" + session.replace(/[^\w.:-]/g, "-").slice(0, 100)
    const run = (done) =>
      execFile("soundd", ["set", "--if-running", `${name}=${word}`], { timeout: 2_000 }, () => done())
    last = last.then(() => new Promise(run))
  }

  const isBusy = (session) => ["working", "waiting"].includes(words.get(session))

  const begin = (session) => {
    if (!isBusy(session)) began.set(session, Date.now())
    set(session, "working")
  }

  const end = (session) => {
    // What was aborted or failed ends, too.
    if (isBusy(session)) set(session, Date.now() - began.get(session) < long ? "idle" : "done")
  }

  const event = async ({ event: { type, properties } }) => {
    const info = properties?.info
    if (type === "session.created" || type === "session.updated") {
      if (info?.parentID) parents.set(info.id, info.parentID)
      return
    }
    let session = properties?.sessionID ?? (type === "session.deleted" ? info?.id : undefined)
    if (typeof session !== "string") return
    // A question of a sub-agent is one of its session. Nothing else of it counts.
    const isChild = parents.has(session)
    while (parents.has(session)) session = parents.get(session)
    switch (type) {
      case "permission.asked":
      case "permission.updated": // in older versions
      case "question.asked":
        if (!isBusy(session)) began.set(session, Date.now())
        return set(session, "waiting")
      case "permission.replied":
      case "question.replied":
      case "question.rejected":
        return set(session, "working")
    }
    if (isChild) return
    switch (type) {
      case "session.status":
        if (properties.status?.type === "busy") begin(session)
        if (properties.status?.type === "idle") end(session)
        return
      case "session.idle":
        return end(session)
      case "session.error":
        return set(session, properties.error?.name === "MessageAbortedError" ? "idle" : "failed")
      case "session.deleted":
        return set(session, "ended")
    }
  }

  return { event }
}

/** One thing that a person says in a conversation, what becomes of it, and what they ask about it much later. */
export interface Said {
  /** A whole message, as people type it. It may hold more than this one thing. */
  readonly says: string
  /** Whole messages in which the same person changes it, in order. What the last one says holds. */
  readonly changes?: readonly string[]
  /** Its first change comes within three messages. Default: at least twelve messages later, as every further one. */
  readonly soon?: boolean
  /** The question, as the person would ask it weeks later. */
  readonly asks: string
  /** The same question with none of the telling words of what was said. */
  readonly asksOtherwise: string
  /** Regular expression (source, matched without regard to case): it matches the message that says what holds now, and no other message of the talk, no question among them. */
  readonly answer: string
  /** The same for each value that no longer holds: it matches the message that said so, and not the one that changed it, unless that names the old value too. */
  readonly stale?: readonly string[]
}

/** One conversation. */
export interface Talk {
  readonly name: string
  /** BCP 47, `mixed` where the person switches. */
  readonly language: string
  /** The assistant has tools (it reads files, searches, books). */
  readonly tools: boolean
  readonly said: readonly Said[]
  /** Messages of the same person that stand between: requests, small talk, questions that are answered at once. None of them bears on anything in `said`, but they come from the same life. */
  readonly around: readonly string[]
  /** What the assistant answers, in turn: prose of 60 to 180 words each in that language, such as real assistants write. None says anything that `said` says. */
  readonly replies: readonly string[]
}

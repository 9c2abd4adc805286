import { CompactionError, type CompactionSession, InvalidConfigurationError, type RecallOption } from '@precis/core'
import { awaitLookUp, givenOptions, noModel, sharedRecallMemory, withSharedStorage } from '@precis/core/adapters'
import type { AgentItem } from '@precis/wire/openai-agents'
import { type CompactionOptions, createDoor, type Door } from './door.ts'
import { noteNamed } from './layers.ts'
import type { Model, Reply, Request, StreamEvent } from './model-call.ts'
import { createModelName } from './model-name.ts'
import { withReadableCalls } from './own-tools.ts'
import type { KeptRounds } from './recall/memory.ts'
import { isLookUp } from './recall/reply-items.ts'
import { type Intercepting, respond, respondInStream } from './recall/rounds.ts'
import { createTurn, type Turn } from './recall/turn.ts'

export interface WithCompactionOptions extends CompactionOptions {
  /**
   * Whether the model may look up what left its context. `on`: from the first compaction on it is offered one tool, and its calls of that are answered inside
   * the model call: turns, history, session and hooks never see them; what a question of the user asks about comes back by itself. `asked`: only what the model asks for.
   * `tool`: you give it `recallTool(wrapped)` among your own. `off`: neither. Default `on`.
   */
  readonly recall?: RecallOption | undefined
  /**
   * Where the model is served, any text. Needed where Chat Completions models of one name run on several servers, since the SDK hides the base URL of their
   * client: what one server refuses says nothing of the other. Default: the base URL of the client, where it can be seen.
   */
  readonly endpoint?: string | undefined
}

/** A provider or a model of the SDK that keeps its requests inside the window. */
export type Compacted<T> = T & {
  /** The same for the calls of one conversation, as `session` of the options; all of them share what was learned of their models. */
  for(session: string): T
}

interface Provider {
  getModel(name?: string): unknown
}

/** The conversation behind what was wrapped with a name for it. */
const sessions = new WeakMap<object, CompactionSession<AgentItem>>()

/** What each wrapped object shares with its siblings. */
const doors = new WeakMap<object, Door>()

/** For our tools: what the calls of a wrapped provider or model found. @throws CompactionError for any other object. */
export function doorOf(wrapped: object): Door {
  const found = doors.get(wrapped)
  if (found === undefined) throw new CompactionError('This was not wrapped: pass what withCompaction(…) returns.')
  return found
}

/** The session of a model or a provider that was wrapped for one conversation: `compact`, `schedule`, `rewind`, `state`, `tools`. @throws CompactionError for any other object. */
export function sessionOf(wrapped: object): CompactionSession<AgentItem> {
  const found = sessions.get(wrapped)
  if (found === undefined)
    throw new CompactionError('There is no session of its own here: pass what withCompaction(…, { session }) or withCompaction(…).for(session) returns.')
  return found
}

/** Where look-ups are remembered: beside a storage, but for one client alone, as another account has none of the items of a round. */
const places = new WeakMap<object, WeakMap<object, object>>()

function placeOf(inner: object, storage: object | undefined): object | undefined {
  if (storage === undefined) return undefined
  const own = places.get(inner) ?? new WeakMap<object, object>()
  places.set(inner, own)
  const place = own.get(storage) ?? {}
  own.set(storage, place)
  return place
}

/**
 * A provider, or a model, whose requests stay inside the context window: `setDefaultModelProvider(withCompaction(new OpenAIProvider()))`. Every request of every
 * agent is counted whole, compacted when it has to be, and sent again smaller when it is refused for its size; what left the context can be looked up by the
 * model itself. Strictly a view: run state, history and session keep everything.
 *
 * @param options Everything that `createCompactor` takes. Without `limits` those of `@precis/models`, and what refusals teach.
 * @throws InvalidConfigurationError for what is neither a provider nor a model, for limits or a policy that cannot be meant.
 */
export function withCompaction<T extends object>(inner: T, options: WithCompactionOptions = {}): Compacted<T> {
  const given = givenOptions(options)
  const { recall, endpoint: said } = given
  const { getModel, getResponse } = Object(inner) as Partial<Provider & Model>
  if (typeof getModel !== 'function' && typeof getResponse !== 'function')
    throw noModel(inner, 'expected a provider such as new OpenAIProvider(), or a model of one')
  if (said !== undefined && typeof said !== 'string') throw new InvalidConfigurationError('endpoint', said, 'expected the URL of the server, or any other text')
  const { value, endpoint } = createModelName(inner as unknown as Model, undefined, said)
  const wrapping = [inner.constructor.name, value, endpoint, recall]
  const shared = withSharedStorage(given, ...wrapping)
  const door = createDoor(inner, shared, sharedRecallMemory<KeptRounds>(placeOf(inner, shared.storage), ...wrapping))
  const membersOf = typeof getModel === 'function' ? providerMembers : modelMembers
  const made = (named: string | undefined): T => {
    const { session } = givenOptions({ session: named })
    const wrapped = withMembers(inner, { ...membersOf(inner, { door, recall, said, session }), for: made })
    doors.set(wrapped, door)
    if (session !== undefined) {
      sessions.set(wrapped, door.compactor.session(session))
      if (given.storage !== undefined) noteNamed(['filter', 'view'], session)
    }
    return wrapped
  }
  return made(given.session) as Compacted<T>
}

interface Wrapping {
  readonly door: Door
  readonly recall: RecallOption | undefined
  readonly said: string | undefined
  readonly session: string | undefined
}

/** A proxy keeps the class's name and every other member: parts of the SDK look at them. */
function withMembers<T extends object>(target: T, members: Readonly<Record<string, unknown>>): T {
  return new Proxy(target, {
    get(_, name) {
      if (typeof name === 'string' && Object.hasOwn(members, name)) return members[name]
      const value = Reflect.get(target, name, target) as unknown
      return typeof value === 'function' && name !== 'constructor' ? (value as (...args: unknown[]) => unknown).bind(target) : value
    },
  })
}

/** Reaches agents that are used as tools, and those that are handed over to. */
function providerMembers(inner: object, wrapping: Wrapping) {
  const models = new WeakMap<object, object>()
  const getModel = async (name?: string): Promise<object> => {
    const model = (await (inner as Provider).getModel(name)) as object
    const wrapped = models.get(model) ?? withMembers(model, modelMembers(model, wrapping, name))
    models.set(model, wrapped)
    return wrapped
  }
  return { getModel }
}

function modelMembers(inner: object, { door, recall, said, session }: Wrapping, asked?: string) {
  const model = inner as Model
  const name = createModelName(model, asked, said)
  const turnFor = (request: Request): Promise<Turn | undefined> =>
    door.compactor.guard<Turn | undefined>(
      async () => {
        if (!door.isOurs(request, name)) return undefined
        await door.ready()
        return createTurn(request, { door, name, session, recall })
      },
      () => undefined,
      request.signal,
    )
  const intercepting = (request: Request): Intercepting => {
    /** The agent answers calls of its own tool, from what stood behind the request. */
    const noted = ({ output = [] }: Reply, { intercepts, lookUp }: Turn): void => {
      if (!intercepts) for (const { callId = '' } of output.filter(isLookUp)) awaitLookUp(door, callId, lookUp)
    }
    return { noted, readable: (reply) => withReadableCalls(reply, request) }
  }
  const getResponse = async (request: Request): Promise<Reply | undefined> => {
    const turn = await turnFor(request)
    return turn === undefined ? model.getResponse(request) : respond(turn, model, intercepting(request))
  }
  async function* getStreamedResponse(request: Request): AsyncGenerator<StreamEvent> {
    const turn = await turnFor(request)
    yield* turn === undefined ? model.getStreamedResponse(request) : respondInStream(turn, model, intercepting(request))
  }
  return { getResponse, getStreamedResponse }
}

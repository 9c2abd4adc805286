import { omitUndefined } from '../../history/omit-undefined.ts'
import type { ToolDefinition } from '../../history/tool.ts'
import type { Effects } from '../effects.ts'
import type { StorageDriver } from '../storage/driver.ts'
import { answered } from '../storage/output-tools.ts'
import { traced } from '../telemetry/trace.ts'
import type { CompactorParts, GivenParts } from './parts.ts'

/** The parts as one session uses them: none of its calls waits longer for what is outside than its deadline allows. */
export function bounded<M>(parts: GivenParts<M>, effects: Effects): CompactorParts<M> {
  const { archive, outputs, embedder, queue, storage } = parts
  return {
    ...parts,
    effects,
    storage: boundedStorage(storage, effects),
    trace: traced(parts.trace, effects),
    archive: archive && {
      saveTranscript: (id, source, messages, signal, redact) =>
        effects.wait('archive', (either) => archive.saveTranscript(id, source, messages, either, redact), signal),
      saveCheckpoint: (id, checkpoint, at, redact) => effects.wait('archive', () => archive.saveCheckpoint(id, checkpoint, at, redact)),
      forget: (id) => effects.wait('archive', () => archive.forget(id)),
      recallTool: (id, codec) => boundedTool(archive.recallTool(id, codec), 'archive', effects),
    },
    outputs: outputs && {
      ...omitUndefined({ keep: outputs.keep }),
      save: (output, { signal, ...options } = {}) => effects.wait('output store', (either) => outputs.save(output, { ...options, signal: either }), signal),
      gc: (texts, options) => effects.wait('output store', () => outputs.gc(texts, options)),
      tools: () => outputs.tools().map((tool) => boundedTool(tool, 'output store', effects)),
    },
    embedder: embedder && { name: embedder.name, embed: (texts, signal) => effects.wait('embedder', (either) => embedder.embed(texts, either), signal, 1 / 2) },
    queue: queue && { name: queue.name, enqueue: (job) => effects.wait('queue', () => queue.enqueue(job)) },
  }
}

export function boundedStorage(storage: StorageDriver, effects: Effects): StorageDriver {
  return {
    name: storage.name,
    get: (key, options) => effects.wait('storage', (signal) => storage.get(key, { signal }), options?.signal),
    put: (key, body, options) =>
      effects.wait('storage', (signal) => storage.put(key, body, { ...omitUndefined({ ifVersion: options?.ifVersion }), signal }), options?.signal),
    delete: (key) => effects.wait('storage', () => storage.delete(key)),
    list: (prefix) => storage.list(prefix),
  }
}

/** A tool is called beside the session's own calls, and waits as long as one of them would. The model is told why it has no answer. */
function boundedTool(tool: ToolDefinition, what: string, effects: Effects): ToolDefinition {
  return { ...tool, execute: (input, options) => answered(() => effects.apart().wait(what, (signal) => tool.execute(input, { signal }), options?.signal)) }
}

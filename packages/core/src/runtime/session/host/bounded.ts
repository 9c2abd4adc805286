import type { ToolDefinition } from '../../../history/tool.ts'
import type { Effects } from '../../effects.ts'
import type { StorageDriver } from '../../storage/driver.ts'
import { answered } from '../../storage/output-tools.ts'

/** A storage as one session uses it: none of its calls waits longer than its deadline allows. */
export function boundedStorage(storage: StorageDriver, effects: Effects): StorageDriver {
  return {
    name: storage.name,
    get: (key, options) => effects.wait('storage', (signal) => storage.get(key, { signal }), options?.signal),
    put: (key, body, options) => effects.wait('storage', (signal) => storage.put(key, body, { ...options, signal }), options?.signal),
    delete: (key) => effects.wait('storage', () => storage.delete(key)),
    list: (prefix) => storage.list(prefix),
  }
}

/** A tool is called beside the session's own calls, and waits as long as one of them would. The model is told why it has no answer. */
export function boundedTool(tool: ToolDefinition, what: string, effects: Effects): ToolDefinition {
  return { ...tool, execute: (input, options) => answered(() => effects.apart().wait(what, (signal) => tool.execute(input, { signal }), options?.signal)) }
}

import type { CompactionSession, Message } from '@precis/core'
import { result } from '../builders.ts'
import { recallModel, unknownAnswer } from '../provider/recall-model.ts'
import type { Fact } from './world.ts'

/** What a model does that does not find a name in its context: it looks into the record. */
export async function lookUp(session: CompactionSession<unknown>, fact: Fact): Promise<string> {
  const tool = session.tools().find((one) => one.name === 'recall_history')
  const found = await tool?.execute({ query: fact.name, limit: 5 })
  return found === undefined ? unknownAnswer : ask([result('look', found)], fact)
}

/** Asks about one fact: the model knows what stands in front of it, nothing else. */
export function ask(context: readonly Message[], fact: Fact): string {
  const question = `What is the value of ${fact.name}?`
  const model = recallModel({ steps: [], final: '', questions: [{ asks: question, pattern: new RegExp(`${fact.name} (?:is|=|:) ?"?([A-Z]+-\\d+)`) }] })
  const texts = context.map((message) => ({
    role: message.role,
    text: message.parts.map((part) => ('text' in part ? part.text : 'output' in part ? part.output : 'input' in part ? part.input : '')).join('\n'),
    callIds: [],
    isResult: message.role === 'tool',
  }))
  // Earlier answers to the same question are no memory of the fact.
  const asked = { role: 'user', text: question, callIds: [], isResult: false }
  return model([...texts.filter((entry) => !entry.text.startsWith('It is ')), asked]).text || unknownAnswer
}

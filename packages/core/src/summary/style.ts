import type { SummaryStyle } from '../policy/policy.ts'
import { brief } from './styles/brief.ts'
import { checkpoint } from './styles/checkpoint.ts'
import { codeDelta } from './styles/code-delta.ts'
import { decisionLog } from './styles/decision-log.ts'
import type { StyleDefinition } from './styles/definition.ts'
import { narrative } from './styles/narrative.ts'
import { requirementsLedger } from './styles/requirements-ledger.ts'
import { stepLedger } from './styles/step-ledger.ts'
import { structured } from './styles/structured.ts'
import { taskState } from './styles/task-state.ts'

const definitions: Readonly<Record<SummaryStyle, StyleDefinition>> = {
  structured,
  checkpoint,
  narrative,
  brief,
  'task-state': taskState,
  'step-ledger': stepLedger,
  'requirements-ledger': requirementsLedger,
  'code-delta': codeDelta,
  'decision-log': decisionLog,
}

export function styleOf(style: SummaryStyle): StyleDefinition {
  return definitions[style]
}

/** Headings that an acceptable summary in this style must have; none for free prose. */
export function requiredSections(style: SummaryStyle): readonly string[] {
  return definitions[style].sections.map((section) => section.title)
}

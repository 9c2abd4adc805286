import { brief } from './styles/brief.ts'
import type { StyleDefinition } from './styles/definition.ts'
import { structured } from './styles/structured.ts'

export type SummaryStyle = 'structured' | 'brief'

const definitions: Readonly<Record<SummaryStyle, StyleDefinition>> = { structured, brief }

export function styleOf(style: SummaryStyle): StyleDefinition {
  return definitions[style]
}

/** Headings that an acceptable summary in this style must have. */
export function requiredSections(style: SummaryStyle): readonly string[] {
  return definitions[style].sections.map((section) => section.title)
}

import { requiredSections } from '@precis/core'

export const sections = requiredSections('structured')
export const good = sections.map((title) => `## ${title}\n- something`).join('\n')

import type { CompactionPolicy } from '../policy.ts'

type Groups = { readonly [Group in keyof CompactionPolicy]?: Partial<CompactionPolicy[Group]> }

/** A policy with some fields of its groups replaced, each as a whole. */
export function basedOn(policy: CompactionPolicy, own: Groups): CompactionPolicy {
  const groups = Object.entries(policy) as [keyof Groups, object][]
  return Object.fromEntries(groups.map(([group, fields]) => [group, { ...fields, ...own[group] }])) as unknown as CompactionPolicy
}

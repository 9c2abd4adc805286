/**
 * How traits of a name speak for its being used again: logistic regression on 48755 names of 52 public agent sessions
 * (Claude Code, pi, SWE-agent, OpenHands, tau-bench, WebDancer), each cut weighing the same, ridge 20. Made by `npm run evals -- fit`.
 */
export const reuseBias = -1.08

/** In the order of `traitsOf`. */
export const reuseWeights: readonly number[] = [
  -0.24, -0.2, -0.22, 0.12, -0.07, 0.37, 0.71, -0.75, 0.03, 0, -0.01, -0.12, -0.25, 1.1, 0.16, -0.27, 0.56, 0.55, -1.34, 0.58, 0.39, -0.18, -0.56, 0.95, 0.54,
  0.86, 0.08,
]

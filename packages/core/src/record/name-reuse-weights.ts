/**
 * How traits of a name speak for its being used again: logistic regression on 48538 names of 52 public agent sessions
 * (Claude Code, pi, SWE-agent, OpenHands, tau-bench, WebDancer), each cut weighing the same, ridge 20. Made by `npm run evals -- fit`.
 */
export const reuseBias = -1.34

/** In the order of `traitsOf`. */
export const reuseWeights: readonly number[] = [
  -0.14, -0.06, -0.15, 0.17, -0.05, 0.35, 0.63, -0.53, -0.07, 0.03, -0.04, -0.3, 1.03, 0.18, -0.26, 0.6, 0.56, -1.32, 0.53, 0.38, -0.18, -0.56, 1.04, 0.58,
  0.92, 0.09,
]

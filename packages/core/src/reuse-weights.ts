/**
 * How traits of a name speak for its being used again: logistic regression on 48755 names of 52 public agent sessions
 * (Claude Code, pi, SWE-agent, OpenHands, tau-bench, WebDancer), each cut weighing the same, ridge 20. Made by `npm run evals -- fit`.
 */
export const reuseBias = -1.082

/** In the order of `traitsOf`. */
export const reuseWeights: readonly number[] = [
  -0.244, -0.203, -0.222, 0.124, -0.074, 0.373, 0.707, -0.748, 0.027, 0, -0.013, -0.12, -0.253, 1.102, 0.164, -0.265, 0.561, 0.547, -1.343, 0.579, 0.387,
  -0.177, -0.563, 0.952, 0.538, 0.859, 0.081,
]

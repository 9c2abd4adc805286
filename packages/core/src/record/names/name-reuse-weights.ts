/**
 * How traits of a name speak for its being used again: logistic regression on 48466 names of 52 public agent sessions
 * (Claude Code, pi, SWE-agent, OpenHands, tau-bench, WebDancer), each cut weighing the same and with a bias of its own, ridge 20. Made by `npm run evals -- fit --write`.
 */
export const reuseBias = -4.57

/** In the order of `traitsOf`. */
export const reuseWeights: readonly number[] = [0.46, -0.41, 1.45, 0.44, -1.6, 0.96, 0.82, 0.25]

/** An exporter's failure is its own: it must not become the agent's. */
export async function settled(work: () => unknown): Promise<void> {
  try {
    await work()
  } catch {
    // Reported by the exporter itself, where anybody listens; events carry no way back.
  }
}

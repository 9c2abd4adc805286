import { createCompaction } from '@precis/ai-sdk'
import { renderReport } from '@precis/core'
import { generateText, stepCountIs, wrapLanguageModel } from 'ai'
import { model, prompt, refused, tools } from './support/agent.ts'

// No limits given: the guard learns the window from the first refusal.
const compaction = createCompaction({
  onReport: (report) => {
    if (report.outcome === 'summarized') console.log(renderReport(report))
  },
})
const guarded = wrapLanguageModel({
  model,
  middleware: compaction.middleware(),
})
const { text } = await generateText({
  model: guarded,
  tools,
  prompt,
  stopWhen: stepCountIs(200),
})
console.log(text)
console.log(`${refused()} request refused: that is how the window was learned`)

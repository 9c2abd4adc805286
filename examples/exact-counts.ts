import { openai } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { gptTokenizerEstimator } from '@precis/tokenizers'
import { generateText } from 'ai'

const estimator = await gptTokenizerEstimator() // loaded here, not before
const model = withCompaction(openai('gpt-5.2'), { estimator }) // counts with the tokenizer

const { text } = await generateText({ model, prompt: 'Why is the sky blue?' })
console.log(text, estimator.count('How many tokens are these?'))

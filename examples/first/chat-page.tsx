'use client'
import { useChat } from '@ai-sdk/react'
import { useState } from 'react'

export default function Page() {
  const { messages, sendMessage, status } = useChat()
  const [input, setInput] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        sendMessage({ text: input })
        setInput('')
      }}
    >
      {messages.map(({ id, role, parts }) => (
        <p key={id}>
          {role}: {parts.map((part) => (part.type === 'text' ? part.text : ''))}
        </p>
      ))}
      <input value={input} onChange={(event) => setInput(event.target.value)} />
      <button type="submit" disabled={status !== 'ready'}>
        Send
      </button>
    </form>
  )
}

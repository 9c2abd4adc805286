#!/usr/bin/env node
import { enableCompileCache } from 'node:module'

// What Node compiled of this program is there for the next command. It has to be said before the rest is loaded.
enableCompileCache()
await import('./run.ts')

import type { Talk } from '../format.ts'
import { talk as t1 } from './choir.ts'
import { talk as t2 } from './excursion.ts'
import { talk as t3 } from './fete.ts'
import { talk as t4 } from './galga.ts'
import { talk as t5 } from './hausautomat.ts'
import { talk as t6 } from './mianguan.ts'
import { talk as t7 } from './nursing.ts'
import { talk as t8 } from './radio-mare.ts'
import { talk as t9 } from './saltmarsh.ts'
import { talk as t10 } from './ultra.ts'
import { talk as t11 } from './wildbees.ts'
import { talk as t12 } from './zonnedak.ts'

export const talks: readonly Talk[] = [
  t1,
  t2,
  t3,
  t4,
  t5,
  t6,
  t7,
  t8,
  t9,
  t10,
  t11,
  t12,
]

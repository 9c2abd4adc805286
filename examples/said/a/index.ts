import type { Talk } from '../format.ts'
import { talk as t1 } from './cluster-move.ts'
import { talk as t2 } from './fari.ts'
import { talk as t3 } from './kitchen.ts'
import { talk as t4 } from './ksiazka.ts'
import { talk as t5 } from './lofoten.ts'
import { talk as t6 } from './mama-lucia.ts'
import { talk as t7 } from './parcel-api.ts'
import { talk as t8 } from './shotengai.ts'
import { talk as t9 } from './steuer.ts'
import { talk as t10 } from './toepferei.ts'
import { talk as t11 } from './velos.ts'
import { talk as t12 } from './wedding.ts'

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

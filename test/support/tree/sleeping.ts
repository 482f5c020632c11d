/** Code forms that wait for time to pass. Tests may not use them, because they must wait for conditions. */

/** Simulations run on a virtual clock, on which a sleep takes no real time. */
const VIRTUAL = "test/simulation/"
/** Tests that check a state for the whole length of an outage. */
const OUTAGES = [
  "test/journeys/kafka/outage.kafka.",
  "test/journeys/kafka/shortOutage.kafka.",
  "test/journeys/kafka/kafkaHealth.kafka."
]
/** No tests: a service that lives for a while, and its pictures. */
const PICTURES = ["test/support/dashboard/day/", "test/dashboard/screenshots."]
/** Patterns for waiting on the real clock without a condition. Code that fakes timers names them in strings. */
export const sleeping: ReadonlyArray<{ readonly form: RegExp; readonly except?: ReadonlyArray<string> }> = [
  { form: /\bset(?:Timeout|Interval)\b(?!")/, except: PICTURES },
  { form: /"(?:node:)?timers(?:\/promises)?"/, except: [VIRTUAL] },
  { form: /\bscheduler\.wait\b|\bAtomics\.wait/ },
  { form: /\[\s*"set(?:Timeout|Interval)"\s*\]/ },
  { form: /\bsleep\(|\bdelay\(/, except: [VIRTUAL, ...PICTURES] },
  { form: /\bEffect\.never\b.*\btimeout|\btimeout\w*\(\s*Effect\.never\b|\bAbortSignal\.timeout\(/ },
  { form: /\bStream\.(?:tick|fromSchedule)\b|\bSchedule\.(?:duration|delayed|addDelay)\w*\(/ },
  { form: /\bwhile \([^)]*\b(?:Date|performance|process)\.(?:now|hrtime|uptime)\b/ },
  {
    form: /\bschedule:[^}]*\btimes:|\btimes:[^}]*\bschedule:|\bSchedule\.(?:recurs|take|during)\(/,
    except: OUTAGES
  },
  { form: /\bpg_sleep\b|["'`]sleep\b|["'`].*\bsleep \d/ }
]

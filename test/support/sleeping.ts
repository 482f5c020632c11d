/** The forms of waiting for a time to pass, which tests may not use: they wait for conditions. */

/** Simulations have a clock of their own, on which a sleep takes no time. */
const VIRTUAL = "test/simulation/"
/** What is looked at for as long as an outage lasts. */
const OUTAGES = ["test/e2e/outage.kafka.", "test/e2e/kafkaHealth.kafka."]
/** Waiting on the real clock for no condition. Fake timers are named by strings. */
export const sleeping: ReadonlyArray<{ readonly form: RegExp; readonly except?: ReadonlyArray<string> }> = [
  { form: /\bset(?:Timeout|Interval)\b(?!")/ },
  { form: /"(?:node:)?timers(?:\/promises)?"/, except: [VIRTUAL] },
  { form: /\bscheduler\.wait\b|\bAtomics\.wait/ },
  { form: /\[\s*"set(?:Timeout|Interval)"\s*\]/ },
  { form: /\bsleep\(|\bdelay\(/, except: [VIRTUAL] },
  { form: /\bEffect\.never\b.*\btimeout|\btimeout\w*\(\s*Effect\.never\b|\bAbortSignal\.timeout\(/ },
  { form: /\bStream\.(?:tick|fromSchedule)\b|\bSchedule\.(?:duration|delayed|addDelay)\w*\(/ },
  { form: /\bwhile \([^)]*\b(?:Date|performance|process)\.(?:now|hrtime|uptime)\b/ },
  {
    form: /\bschedule:[^}]*\btimes:|\btimes:[^}]*\bschedule:|\bSchedule\.(?:recurs|take|during)\(/,
    except: OUTAGES
  },
  { form: /\bpg_sleep\b|["'`]sleep\b|["'`].*\bsleep \d/ }
]

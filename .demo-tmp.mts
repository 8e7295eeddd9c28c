import * as S from '/work/main/test/support/flight-scenarios.ts';
import { showRun } from '/work/main/src/views/show.ts';
import { explain } from '/work/main/src/views/why.ts';
import { renderMermaid, renderDot, lastPlan } from '/work/main/src/views/graph.ts';
for (const [n, f] of Object.entries(S)) if (typeof f === 'function') { const ev = f(); console.log('=====', n); console.log(showRun(ev, { width: 100 })); console.log('--- why'); console.log(explain(ev)); }
const ev = S.failedRun(); console.log(explain(ev, 'report')); console.log(explain(S.retriedRun(), 'paris')); console.log(explain(S.replannedRun(),'atlantis'));console.log(explain(S.foreachRun(),'each[1]'));
console.log(renderMermaid(lastPlan(S.foreachRun())!)); console.log(renderDot(lastPlan(S.foreachRun())!));

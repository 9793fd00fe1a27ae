"""SQL migrations and YAML files of the invented project."""

from __future__ import annotations

import random
from string import Template

from proxy.demo.texts.vocabulary import THINGS, Thing, words

_COLUMNS = {
    "text": "text not null check (length({0}) between 1 and {1})",
    "number": "integer not null default 0 check ({0} between 0 and {1}000)",
    "money": "numeric(12, 2) not null default 0.00 check ({0} >= 0)",
    "time": "timestamptz not null",
    "flag": "boolean not null default false",
}

_AFTER = """
create index concurrently ${things}_waiting on $things ($time, $text) where state in ('$first', '$second');
create index ${things}_by_$partner on $things (${partner}_id) include ($money, state);

create or replace function ${thing}_history() returns trigger language plpgsql as $$$$
begin
    if new.state is distinct from old.state then
        insert into ${thing}_changes ($text, before, after, changed_by, changed_at)
        values (new.$text, old.state, new.state, current_setting('quayside.user', true), now());
    end if;
    new.version := old.version + 1;
    return new;
end;
$$$$;

create trigger ${things}_history before update on $things for each row execute function ${thing}_history();

-- $ticket: rows from before the merger of $whom carry no $number; take it from $where.
update $things t
   set $number = coalesce(o.$number, $small), $money = round(o.$money * $rate / 100, 2)
  from old_$things o
 where o.$text = t.$text and t.$number = 0 and t.$time >= date '2024-0$small-01';

create view open_$things as
select t.$text, t.state, t.$number, t.$money, p.state as ${partner}_state,
       extract(day from now() - t.$time)::int as age_days
  from $things t join $partners p on p.id = t.${partner}_id
 where t.state <> '$fourth' and not t.$flag;
"""

_DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: $thing-worker
  labels: {app: quayside, part: $thing}
  annotations: {owner: "$where", ticket: $ticket}
spec:
  replicas: $small
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
  selector: {matchLabels: {app: quayside, part: $thing}}
  template:
    metadata:
      labels: {app: quayside, part: $thing}
    spec:
      terminationGracePeriodSeconds: $medium
      containers:
        - name: worker
          image: registry.quayside.example/$thing-worker:2.$medium.$small
          args: ["--batch", "$medium", "--pause-ms", "$large", "--state", "$first"]
          env:
            - {name: ${THING}_DSN, valueFrom: {secretKeyRef: {name: $thing-db, key: dsn}}}
            - {name: ${THING}_MAX_${number}, value: "$large"}
          resources:
            requests: {cpu: ${medium}m, memory: 256Mi}
            limits: {memory: 512Mi}
          readinessProbe: {httpGet: {path: /ready, port: 8080}, periodSeconds: $small}
          livenessProbe: {httpGet: {path: /alive, port: 8080}, failureThreshold: $small}
---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: $thing-worker
spec:
  groups:
    - name: $things
      rules:
        - alert: ${Thing}BacklogGrows
          expr: sum(quayside_${things}_waiting{state="$second"}) > $large
          for: ${medium}m
          annotations: {summary: "$things wait in state $second", runbook: "wiki/$thing-backlog"}
        - alert: ${Thing}MoneyDrifts
          expr: abs(quayside_${thing}_${money}_total - quayside_ledger_${thing}_total) > $rate
          annotations: {summary: "$money of $things differs from $where"}
"""


def _columns(thing: Thing, rng: random.Random) -> list[str]:
    return [f"    {name} {_COLUMNS[kind].format(name, rng.randint(2, 60))}," for name, kind in thing.fields]


def sql_migration(*things: str) -> str:
    """Tables, indexes, history trigger, backfill and view for each thing."""
    parts = []
    for name in things:
        thing = THINGS[name]
        rng = random.Random(f"sql {name}")
        states = ", ".join(f"'{state}'" for state in thing.states)
        table = [
            f"create table {thing.plural} (", "    id uuid primary key default gen_random_uuid(),",
            *_columns(thing, rng),
            f"    {thing.partner}_id uuid not null references {THINGS[thing.partner].plural} (id),",
            f"    state text not null default '{thing.states[0]}' check (state in ({states})),",
            "    version integer not null default 0,", f"    unique ({thing.first('text')}, {thing.partner}_id)", ");",
        ]  # fmt: skip
        parts.append("\n".join(table) + "\n" + Template(_AFTER).substitute(words(thing, rng)))
    return "\n".join(parts)


def yaml_manifest(*things: str) -> str:
    """A deployment and its alerts for each thing's worker."""
    filled = (Template(_DEPLOYMENT).substitute(words(THINGS[name], random.Random(f"yaml {name}"))) for name in things)
    return "---\n".join(filled)
